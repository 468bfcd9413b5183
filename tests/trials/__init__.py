"""Trials: the coin, the evidence, the verdicts."""
