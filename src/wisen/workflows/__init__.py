"""Workflows: predicts what agents do next from recorded sessions."""
