"""Contexts: the projects that users work in, who owns their files and folders, and which checkouts belong together."""
