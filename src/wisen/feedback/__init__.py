"""Feedback: detects corrections, preferences and praise in typed messages, in any language or the user's own wording."""
