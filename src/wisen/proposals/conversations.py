"""Shows the conversation around an occurrence: the user's turns and the agent's calls before and after it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.event import Status
from wisen.model.history import UserAction
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry import Occurrence
    from wisen.model.history import History, Step, Turn
    from wisen.store.index import Index

_AROUND = 4
"""How many turns and calls are shown before and after it."""
_LONG_SESSION = timedelta(days=2)
_ACTS = {UserAction.REJECTED: "(refused the call)", UserAction.INTERRUPTED: "(stopped the agent)"}


class ConversationLine(NamedTuple):
    """One turn or call."""

    who: str
    text: str
    is_quote: bool
    """Whether the lesson was learned from it."""


class ConversationExcerpt(NamedTuple):
    """A part of a session."""

    agent: str
    session: str
    at: datetime
    lines: tuple[ConversationLine, ...]
    """Empty if the session is no longer kept."""


def conversations_around(index: Index, seen: Sequence[Occurrence], most: int) -> tuple[ConversationExcerpt, ...]:
    """Return what happened around occurrences, the newest first."""
    excerpts = []
    for each in [*reversed(seen)][:most]:
        histories = index.events.histories(Selection(agent=each.agent, since=each.at - _LONG_SESSION))
        excerpts.append(ConversationExcerpt(each.agent, each.session, each.at, _lines(histories, each)))
    return tuple(excerpts)


def _lines(histories: Iterable[History], seen: Occurrence) -> tuple[ConversationLine, ...]:
    for history in histories:
        if (history.agent, history.native) != (seen.agent, seen.session):
            continue
        rows: list[tuple[datetime, str, Turn | Step]] = [(turn.at, turn.id, turn) for turn in history.turns]
        rows += [(step.at, step.call, step) for step in history.steps]
        rows.sort(key=lambda each: each[:2])
        at = next((number for number, (_, id_, _) in enumerate(rows) if id_ == seen.message), None)
        if at is not None:
            part = rows[max(0, at - _AROUND) : at + _AROUND + 1]
            return tuple(_line(row, is_quote=id_ == seen.message) for _, id_, row in part)
    return ()


def _line(row: Turn | Step, *, is_quote: bool) -> ConversationLine:
    from wisen.model.history import Turn

    if isinstance(row, Turn):
        return ConversationLine("you", _ACTS.get(row.action) or row.text or "(not kept)", is_quote)
    failed = f" (failed: {row.text})" if row.status is Status.FAILED and row.text else ""
    return ConversationLine(row.tool, f"{row.arguments or '(not kept)'}{failed}", is_quote)
