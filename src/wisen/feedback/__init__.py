"""Feedback: what users say about the work, in any language and in their own phrases."""
