"""Checks a text before it is stored: returns the rule that forbids it, for a secret or private data."""

from __future__ import annotations

from wisen.safety.private import find_private_data
from wisen.safety.secrets import secret_scanner


def rule_against(text: str) -> str | None:
    """Return the rule that forbids storing a text: a secret's, `private:…`, or `doubtful:…` if the user must decide."""
    secret, clues = secret_scanner().scan(text)
    if secret is not None or not clues:
        return secret
    private = find_private_data(text, clues)
    return None if private is None else private.rule
