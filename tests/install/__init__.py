"""Tests of installing and removing hooks in agents' settings."""
