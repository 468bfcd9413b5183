"""Tests of edits to users' files."""
