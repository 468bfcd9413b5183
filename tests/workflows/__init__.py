"""Tests of which step follows which in recorded sessions."""
