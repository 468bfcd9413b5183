"""Entries that are ready become proposals, by a policy that people can read."""
