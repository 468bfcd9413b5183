"""Lessons get a trigger that brings them up again, and a correction of a call is one by that alone."""

from __future__ import annotations

import pytest

from tests.history_builder import build_history
from wisen.feedback.lesson_triggers import add_triggers
from wisen.model.signal import Lesson, LessonTopic, Polarity, Signal, SignalKind


def signal(kind: SignalKind = SignalKind.CORRECTION, lesson: Lesson | None = None) -> Signal:
    return Signal(kind=kind, probability=0.9, start=0, end=3, polarity=Polarity.AGAINST, lesson=lesson)


def signals_with_call(message: str, *signals: Signal) -> tuple[Signal, ...]:
    history = build_history("said go on", "ok git push origin harvest", "refused", f"said {message}")
    return add_triggers(history, history.turns[-1], signals)


@pytest.mark.requirement("N5")
def test_a_correction_of_a_refused_call_is_a_lesson_in_the_users_words_that_is_not_delivered_at_starts() -> None:
    (found,) = signals_with_call("no, I had asked   for a review first", signal())
    assert found.lesson is not None
    assert found.lesson.text == "no, I had asked for a review first"
    assert found.lesson.trigger is not None
    assert found.lesson.trigger.words == ("git", "push")
    assert found.lesson.about is LessonTopic.COMMAND
    assert (found.lesson.standing, found.lesson.is_durable) == (False, False)


def test_every_lesson_of_a_message_gets_the_trigger_and_stays_as_it_is_else() -> None:
    lesson = Lesson(
        text="Never push", forbids=True, durable=0.9, is_durable=True, about=LessonTopic.TOOL, standing=True
    )
    one, two = signals_with_call("Never push. Ask me.", signal(lesson=lesson), signal(SignalKind.PREFERENCE, lesson))
    for each in (one, two):
        assert each.lesson is not None
        assert each.lesson.trigger is not None
        assert (each.lesson.text, each.lesson.standing) == ("Never push", True)


@pytest.mark.parametrize("message", ["no " + "and wrong again " * 30, "no, don't push just this once"])
@pytest.mark.requirement("N4")
def test_a_long_correction_and_one_for_now_are_no_lesson_of_the_moment(message: str) -> None:
    assert signals_with_call(message, signal()) == (signal(),)


def test_praise_is_no_lesson_and_without_a_call_nothing_changes() -> None:
    assert signals_with_call("great", signal(SignalKind.PRAISE)) == (signal(SignalKind.PRAISE),)
    history = build_history("said go on", "ok ls", "said that is wrong")
    assert add_triggers(history, history.turns[-1], [signal()]) == (signal(),)
