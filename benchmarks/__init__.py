"""Benchmarks: one command, one table. Peers and limits are measured in the same run."""
