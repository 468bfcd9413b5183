"""Trials of rules: a coin for each session, evidence that may be looked at any time, verdicts, and when to check."""
