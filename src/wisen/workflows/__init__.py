"""Workflows: what agents do next, as sessions show it."""
