"""The version, in one place; the build and the command line read it."""

__version__ = "0.1.0"
