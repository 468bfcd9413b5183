"""Tests of the report of what was learned."""
