"""Asks of every text, before it is kept, whether there is a rule against it: a secret, or private data."""

from __future__ import annotations

from wisen.safety.private import find_private
from wisen.safety.secrets import finder


def rule_against(text: str) -> str | None:
    """The rule that forbids keeping a text: a secret's, `private:…`, or `doubtful:…` where somebody is to be asked."""
    secret, clues = finder().scan(text)
    if secret is not None or not clues:
        return secret
    private = find_private(text, clues)
    return None if private is None else private.rule
