"""Feedback: detects corrections, preferences and praise in typed messages, in any language and in the user's wording."""
