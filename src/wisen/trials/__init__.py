"""Trials: whether what agents are told helps, by coins and outcomes."""
