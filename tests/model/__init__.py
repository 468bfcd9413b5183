"""Tests of rows and values."""
