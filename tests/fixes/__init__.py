"""Failures and what made the call work, as people meet them."""
