"""Proposals: how they are named, answered and taken back."""
