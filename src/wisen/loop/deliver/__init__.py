"""Prepares what agents are told: blocks for the start of a session, fixes for failures, and answers to questions."""
