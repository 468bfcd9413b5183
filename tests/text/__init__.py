"""Tests of splitting sentences and parsing command lines."""
