"""Listens to a recorded session: what each typed turn in it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.domain.signals import Said
from wisen.loop.detect.model import detect
from wisen.loop.detect.turns import turns_of

if TYPE_CHECKING:
    from wisen.domain.histories import History


def listen(history: History) -> tuple[Said, ...]:
    """The signals of a session, in order."""
    return tuple(
        Said(message=turn.id, at=turn.at, signal=signal)
        for turn, heard in turns_of(history)
        for signal in detect(heard)
    )
