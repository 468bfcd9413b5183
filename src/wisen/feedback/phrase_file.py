"""Reads and updates `.user-feedback-phrases.json`, a file of feedback phrases that some users keep already.

`{"reinforcement": [...], "correction": [...], "updatedAt": "...", "initialRunDone": true}`. Unknown fields are kept;
a writer sets only what `changed_fields` returns.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from wisen.errors import UsageError
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = {"reinforcement": SignalKind.PRAISE, "correction": SignalKind.CORRECTION}
_MAX_LENGTH = 120
_SHOWN = 60


class FeedbackPhrases(Struct, frozen=True, kw_only=True):
    """The content of such a file."""

    reinforcement: tuple[str, ...] = ()
    correction: tuple[str, ...] = ()
    updated: datetime | None = None
    done: bool = False
    """Whether phrases were searched at least once."""

    @property
    def phrases(self) -> tuple[tuple[str, SignalKind], ...]:
        """Every phrase with its kind, in order."""
        return tuple((text, kind) for name, kind in _LISTS.items() for text in getattr(self, name))


def read_phrases(text: str) -> FeedbackPhrases:
    """Parse the text of a phrase file.

    Raises:
        UsageError: it has another format; the message shows the offending value.
    """
    try:
        data = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"it is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(
            f"it contains {_quote_value(data)}, but must contain an object with reinforcement and correction"
        )
    if not data.keys() & _LISTS.keys():
        raise UsageError(f"it has neither reinforcement nor correction, only {', '.join(sorted(data)) or 'nothing'}")
    lists = {name: _read_texts(name, data.get(name, [])) for name in _LISTS}
    both = set(lists["reinforcement"]) & set(lists["correction"])
    if both:
        raise UsageError(f"{_quote_value(min(both))} is in both reinforcement and correction: it can only be in one")
    done = data.get("initialRunDone", False)
    if not isinstance(done, bool):
        raise UsageError(f"initialRunDone is {_quote_value(done)}, but must be true or false")
    return FeedbackPhrases(**lists, updated=_read_moment(data.get("updatedAt")), done=done)


def changed_fields(held: FeedbackPhrases, phrases: Iterable[tuple[str, SignalKind]], now: datetime) -> dict[str, Any]:
    """The fields to set so that a file has these phrases too: none where it has them already."""
    known = {_normalize(text) for text, _ in held.phrases}
    new: dict[str, list[str]] = {name: [] for name in _LISTS}
    for text, kind in phrases:
        if _normalize(text) not in known:
            known.add(_normalize(text))
            new[next(name for name, listed in _LISTS.items() if listed is kind)].append(text)
    changed: dict[str, Any] = {name: [*getattr(held, name), *texts] for name, texts in new.items() if texts}
    if not changed and held.done:
        return {}
    return changed | {"updatedAt": now.isoformat(timespec="seconds"), "initialRunDone": True}


def _read_texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is {_quote_value(value)}, but must be a list of phrases")
    for number, each in enumerate(value, 1):
        if not isinstance(each, str) or not each.strip():
            raise UsageError(f"{name} number {number} is {_quote_value(each)}, but must be a phrase")
        if len(each) > _MAX_LENGTH:
            raise UsageError(
                f"{name} number {number} has {len(each)} characters, {_quote_value(each)}: at most {_MAX_LENGTH}"
            )
    return tuple(value)


def _read_moment(value: object) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else _reject_moment(value)
    except ValueError:
        return _reject_moment(value)


def _reject_moment(value: object) -> datetime:
    raise UsageError(f"updatedAt is {_quote_value(value)}, but must be a date like 2026-03-02T09:00:00Z")


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())


def _quote_value(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
