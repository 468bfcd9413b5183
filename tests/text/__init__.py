"""Sentences and command lines."""
