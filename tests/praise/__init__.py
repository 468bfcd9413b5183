"""Tests of what praise strengthens."""
