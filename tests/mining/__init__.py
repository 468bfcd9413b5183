"""Tests of mining failures, fixes and goals from recorded sessions."""
