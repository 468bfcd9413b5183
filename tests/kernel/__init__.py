"""Tests of what the hook client loads: shell parsing, and matching calls to guards."""
