"""Tests of what judgekit shows."""
