"""Feedback: detects corrections, preferences and praise in typed messages, in any language and personal wording."""
