"""Drivers over many rows."""
