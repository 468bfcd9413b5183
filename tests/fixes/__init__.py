"""Tests of failures and the fixes that made the call work."""
