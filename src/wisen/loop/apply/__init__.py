"""Applies changes to users' files and takes them back."""
