"""Tests of the list of changes to users' files, and of undo."""
