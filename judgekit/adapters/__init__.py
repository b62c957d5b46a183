"""Judges inside other people's runners, and their evaluators as judgekit's: one module a runner."""
