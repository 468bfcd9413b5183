"""Tests of contexts: projects, who owns their files, and where sessions belong."""
