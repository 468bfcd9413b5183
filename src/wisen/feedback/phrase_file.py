"""The file of feedback phrases that some users keep already: `.user-feedback-phrases.json`, as values and back.

`{"reinforcement": [...], "correction": [...], "updatedAt": "...", "initialRunDone": true}`. Fields that are not known
here stay where they are; whoever writes sets only what `fields` tells.
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
_LONGEST = 120
_SHOWN = 60


class FeedbackPhrases(Struct, frozen=True, kw_only=True):
    """What such a file holds."""

    reinforcement: tuple[str, ...] = ()
    correction: tuple[str, ...] = ()
    updated: datetime | None = None
    done: bool = False
    """Whether phrases were looked for at least once."""

    @property
    def phrases(self) -> tuple[tuple[str, SignalKind], ...]:
        """Every phrase with what it stands for, in order."""
        return tuple((text, kind) for name, kind in _LISTS.items() for text in getattr(self, name))


def read_phrases(text: str) -> FeedbackPhrases:
    """What the text of a file holds.

    Raises:
        UsageError: it is not such a file; the value that is wrong is named.
    """
    try:
        data = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"it is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"it holds {_shown(data)}, and has to hold an object with reinforcement and correction")
    if not data.keys() & _LISTS.keys():
        raise UsageError(f"it has neither reinforcement nor correction, only {', '.join(sorted(data)) or 'nothing'}")
    lists = {name: _texts(name, data.get(name, [])) for name in _LISTS}
    both = set(lists["reinforcement"]) & set(lists["correction"])
    if both:
        raise UsageError(f"{_shown(min(both))} stands in reinforcement and in correction: it can be one of them")
    done = data.get("initialRunDone", False)
    if not isinstance(done, bool):
        raise UsageError(f"initialRunDone is {_shown(done)}, and has to be true or false")
    return FeedbackPhrases(**lists, updated=_moment(data.get("updatedAt")), done=done)


def fields(held: FeedbackPhrases, phrases: Iterable[tuple[str, SignalKind]], now: datetime) -> dict[str, Any]:
    """What has to be set in a file so that it holds these phrases too: nothing where it holds them already."""
    known = {_folded(text) for text, _ in held.phrases}
    new: dict[str, list[str]] = {name: [] for name in _LISTS}
    for text, kind in phrases:
        if _folded(text) not in known:
            known.add(_folded(text))
            new[next(name for name, of in _LISTS.items() if of is kind)].append(text)
    changed: dict[str, Any] = {name: [*getattr(held, name), *texts] for name, texts in new.items() if texts}
    if not changed and held.done:
        return {}
    return changed | {"updatedAt": now.isoformat(timespec="seconds"), "initialRunDone": True}


def _texts(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is {_shown(value)}, and has to be a list of phrases")
    for number, each in enumerate(value, 1):
        if not isinstance(each, str) or not each.strip():
            raise UsageError(f"{name} number {number} is {_shown(each)}, and has to be a phrase")
        if len(each) > _LONGEST:
            raise UsageError(f"{name} number {number} has {len(each)} characters, {_shown(each)}: at most {_LONGEST}")
    return tuple(value)


def _moment(value: object) -> datetime | None:
    if value is None:
        return None
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else _refused(value)
    except ValueError:
        return _refused(value)


def _refused(value: object) -> datetime:
    raise UsageError(f"updatedAt is {_shown(value)}, and has to be a date like 2026-03-02T09:00:00Z")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _shown(value: object) -> str:
    told = msgspec.json.encode(value).decode()
    return told if len(told) <= _SHOWN else f"{told[: _SHOWN - 1]}…"
