"""Tests of how messages become entries, and when they are proposed."""
