"""Benchmarks: one command, one table. Alternatives and limits are measured in the same run."""
