"""Tests of finding and reading agents' logs, and of resolving the projects they belong to."""
