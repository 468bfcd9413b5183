"""Fixes: changes that made failing calls work, and the questions to the user about them."""
