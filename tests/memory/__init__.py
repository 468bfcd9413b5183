"""Tests of session summaries, daily files and search."""
