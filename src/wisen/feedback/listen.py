"""Listens to a recorded session: what each typed turn in it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.feedback.own_phrases import Own
from wisen.feedback.turns import turns_of
from wisen.model.signal import Said

if TYPE_CHECKING:
    from wisen.model.history import History

_NONE = Own()


def listen(history: History, own: Own = _NONE) -> tuple[Said, ...]:
    """The signals of a session, in order; also those that only the user's own phrases tell."""
    return tuple(
        Said(message=turn.id, at=turn.at, signal=signal)
        for turn, heard in turns_of(history)
        for signal in own.hears(heard)
    )
