"""Remembers between runs how the words of entries and fixes were judged: reading them costs more than all else."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.delivery.remedies import is_named_by_error
from wisen.delivery.user_statements import is_lasting_statement
from wisen.model.entry import EntryOrigin, EntryStatus, EntryType
from wisen.safety.entry_texts import is_worth_showing
from wisen.store.folds import Fold, keep_fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.entry_state import EntryState
    from wisen.model.fix import Fix
    from wisen.store.folds import Folds

_NAME = "judgements"
_FORMAT = "1"


class Judgements:
    """Judges entries and fixes by their words; the same words are read once."""

    def __init__(self, folds: Folds, version: str) -> None:
        """Load what was judged before. `version`: of the program that judges."""
        self._folds, self._version = folds, f"{_FORMAT} {version}"
        stored = folds.load(_NAME, self._version)
        self._before = {} if stored is None else _decode(stored.value)
        self._used: dict[str, int] = {}

    def is_lasting_statement(self, state: EntryState) -> bool:
        """Whether the user said that it lasts, or confirmed it."""
        entry = state.entry
        is_statement = entry.origin is EntryOrigin.STATED and entry.type is EntryType.LEARNING
        if not is_statement or state.status is not EntryStatus.PENDING:
            return False
        facts = (state.confirmed, state.lasting, entry.standing, entry.category, entry.durable)
        return self._judge(("lasting", *facts, state.text, entry.details), lambda: is_lasting_statement(state))

    def is_worth_showing(self, state: EntryState) -> bool:
        """Whether a person would want to read it."""
        facts = (state.status is EntryStatus.PROMOTED, state.confirmed, state.sessions > 1)
        return any(facts) or self._judge(("worth showing", state.text), lambda: is_worth_showing(state))

    def is_named_by_error(self, fix: Fix) -> bool:
        """Whether the error message of its newest example names what a fix changes."""
        about = ("named", fix.signature, fix.change, fix.said, fix.before, fix.after)
        return self._judge(about, lambda: is_named_by_error(fix))

    def save(self) -> None:
        """Store what was judged; judgements that were not needed are dropped."""
        if self._used != self._before:
            keep_fold(self._folds, _NAME, self._version, Fold(0, json.dumps(self._used, sort_keys=True)))

    def _judge(self, about: tuple[object, ...], judge: Callable[[], bool]) -> bool:
        key = blake2b(repr(about).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        if key not in self._used:
            known = self._before.get(key)
            self._used[key] = int(judge()) if known is None else known
        return bool(self._used[key])


def _decode(value: str) -> dict[str, int]:
    """Return the stored judgements; none if they cannot be read."""
    try:
        decoded = json.loads(value)
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) and all(each in (0, 1) for each in decoded.values()) else {}
