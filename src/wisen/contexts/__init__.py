"""Contexts: the projects that people work in, whose files and folders are, and which checkouts belong together."""
