"""Tests of rules in files that people edit."""
