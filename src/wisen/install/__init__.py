"""Installs hooks into agents' settings and removes them."""
