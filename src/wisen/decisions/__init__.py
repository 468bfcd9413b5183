"""Decisions: who decides, and which rows belong to one decision."""
