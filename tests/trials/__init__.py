"""Tests of trials: the coin, the evidence, the verdicts."""
