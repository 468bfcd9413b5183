"""Tests of guards: proposals, the backtest, and what they do before a call."""
