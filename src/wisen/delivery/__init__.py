"""Decides what is delivered to agents: snapshots from which hooks answer, and the spool that hooks write to."""
