"""Fixes: changes that made failing calls work, and the questions about them."""
