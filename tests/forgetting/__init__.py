"""Tests that forgotten, disabled and expired data leaves no trace."""
