"""Adds triggers to the lessons of a turn; a correction of a call becomes a lesson about that call alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.kernel.call_names import FILE, SHELL, kind_of
from wisen.mining.triggers import find_trigger
from wisen.model.directive import TriggerCause
from wisen.model.signal import Lesson, LessonTopic, SignalKind
from wisen.text.directives import shipped_reader
from wisen.text.lasting_words import is_temporary
from wisen.text.negations import count_negations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.directive import Trigger
    from wisen.model.history import History, Turn
    from wisen.model.signal import Signal

MAX_QUOTE = 280
"""What a user typed is quoted whole or not at all."""
_ASKS = ("?", "？", "؟")
_ABOUT = {SHELL: LessonTopic.COMMAND, FILE: LessonTopic.FILE}


def add_triggers(history: History, turn: Turn, signals: Iterable[Signal]) -> tuple[Signal, ...]:
    """The signals of a turn, each lesson with its trigger, where the call that it was about is known."""
    detected = tuple(signals)
    if not any(each.lesson is not None or each.kind is SignalKind.CORRECTION for each in detected):
        return detected
    text = turn.text or ""
    trigger = find_trigger(history, turn, text)
    if trigger is None:
        return detected
    return tuple(_add_trigger(each, trigger, text) for each in detected)


def _add_trigger(signal: Signal, trigger: Trigger, text: str) -> Signal:
    if signal.lesson is not None:
        return structs.replace(signal, lesson=structs.replace(signal.lesson, trigger=trigger))
    lesson = _lesson_about_call(trigger, text) if signal.kind is SignalKind.CORRECTION else None
    return signal if lesson is None else structs.replace(signal, lesson=lesson)


def _lesson_about_call(trigger: Trigger, text: str) -> Lesson | None:
    """The user's words as a lesson for the moment: quoted whole, and never what they limited to this one time.

    Only a negative remark about a rejected or interrupted call is one: a question, a state or a name teaches nothing.
    """
    quote = " ".join(text.split())
    if len(quote) > MAX_QUOTE or is_temporary(quote) or any(mark in quote for mark in _ASKS):
        return None
    if shipped_reader().is_question_or_temporary(text):
        return None
    if trigger.cause is TriggerCause.NAMED or not count_negations(quote):
        return None
    return Lesson(
        text=quote,
        forbids=count_negations(quote) > 0,
        durable=0.0,
        is_durable=False,
        about=_ABOUT.get(kind_of(trigger.tool), LessonTopic.TOOL),
        trigger=trigger,
    )
