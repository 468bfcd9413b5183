"""Tests of clocks, git, processes and locks."""
