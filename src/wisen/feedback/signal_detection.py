"""Detects signals (corrections, preferences, praise, ...) in a message or in each turn of a recorded session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.feedback.lesson_triggers import add_triggers
from wisen.feedback.turns import turns_of
from wisen.feedback.user_detector import UserDetector
from wisen.model.signal import PrecedingEvent, RecordedSignal, TypedTurn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.history import History
    from wisen.model.phrase import UserPhrase
    from wisen.model.signal import Signal

_NONE = UserDetector()


def detect_in_session(history: History, own: UserDetector = _NONE) -> tuple[RecordedSignal, ...]:
    """The signals of a session in order, including those that only the user's own phrases reveal."""
    return tuple(
        RecordedSignal(message=turn.id, at=turn.at, signal=signal)
        for turn, message in turns_of(history)
        for signal in add_triggers(history, turn, own.detect(message))
    )


def detect_in_message(
    text: str,
    before: str = PrecedingEvent.OK,
    *,
    reason: bool = False,
    queued: bool = False,
    own: Iterable[UserPhrase] | UserDetector = (),
) -> tuple[Signal, ...]:
    """The signals in a message that a user typed, the likeliest first.

    `before` is what happened just before it, `reason` whether it was typed when rejecting a call, `queued` whether it
    was typed while the agent worked. Signals that only the user's `own` phrases reveal come last.

    Raises:
        UsageError: `before` is not a known event.
    """
    if before not in list(PrecedingEvent):
        raise UsageError(
            f"--before {before!r} is not one of {', '.join(PrecedingEvent)}. Give one of them, or leave it out."
        )
    message = TypedTurn(text=text, before=PrecedingEvent(before), reason=reason, queued=queued)
    return (own if isinstance(own, UserDetector) else UserDetector(own)).detect(message)
