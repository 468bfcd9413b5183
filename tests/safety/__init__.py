"""Tests of what may be stored, whose words a text is, and which commands are harmless."""
