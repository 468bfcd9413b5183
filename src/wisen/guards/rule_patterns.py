"""Keeps what each rule clearly prohibits, by its wording: every wording is read once."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from wisen.delivery.guards_from_fixes import GuardPattern
from wisen.delivery.guards_from_rules import pattern_of_rule
from wisen.store.folds import Fold

if TYPE_CHECKING:
    from wisen.store.folds import Folds

_NAME = "rule patterns"
_FORMAT = 1
"""Increases with every change of what is stored, or of how patterns are derived."""


class RulePatterns:
    """What rules prohibit, from what is kept of earlier runs."""

    def __init__(self, folds: Folds, version: str) -> None:
        """`version`: of wisen."""
        self._folds, self._version = folds, f"{_FORMAT} {version}"
        stored = folds.load(_NAME, self._version)
        self._before = {} if stored is None else _decode(stored.value)
        self._found: dict[str, GuardPattern | None] = {}

    def of(self, text: str) -> GuardPattern | None:
        """Return what a rule prohibits and what to use instead; None if it does not say so clearly."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        if digest not in self._found:
            known = digest in self._before
            self._found[digest] = self._before[digest] if known else pattern_of_rule(text)
        return self._found[digest]

    def save(self) -> None:
        """Keep what was asked for, for the next run."""
        if self._found != self._before:
            value = msgspec.json.encode(self._found).decode()
            self._folds.save(_NAME, self._version, Fold(self._folds.revision(), value), holds_text=True)


def _decode(value: str) -> dict[str, GuardPattern | None]:
    """Return the stored patterns by digest of the wording; none if they cannot be read."""
    try:
        return msgspec.json.decode(value, type=dict[str, GuardPattern | None])
    except msgspec.DecodeError:
        return {}
