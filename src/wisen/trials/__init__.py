"""Trials: randomized experiments that measure whether delivered hints help."""
