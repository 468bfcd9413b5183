"""Tests of what a program records of its own work."""
