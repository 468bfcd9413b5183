"""Tests of proposals: how they are named, answered and undone."""
