"""Tests of what is reported when something is broken."""
