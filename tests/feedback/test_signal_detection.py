"""Detection in a recorded session: the context of each typed message, and recurring themes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wisen.feedback.signal_detection import detect_in_session
from wisen.feedback.turns import turns_of
from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.signal import (
    Lesson,
    LessonTopic,
    Polarity,
    PrecedingEvent,
    RecordedSignal,
    Signal,
    SignalKind,
    SourcedSignal,
)
from wisen.report.themes import group_themes

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def step(number: int, tool: str = "Bash", arguments: str = '{"command":"ls"}', status: Status = Status.OK) -> Step:
    at = NOON + timedelta(minutes=number)
    return Step(call=f"c{number}", tool=tool, arguments=arguments, status=status, text=None, at=at)


def turn(
    name: str, minutes: float, before: int, text: str | None = None, act: UserAction = UserAction.SAID, **more: object
) -> Turn:
    at = NOON + timedelta(minutes=minutes)
    return Turn(id=name, action=act, at=at, text=text, before=before, **more)  # type: ignore[arg-type]


def edit(path: str) -> tuple[str, str]:
    return "Edit", f'{{"file_path":"{path}"}}'


def test_a_turn_knows_what_happened_around_it() -> None:
    history = History(
        session=1,
        steps=(step(1), step(2, *edit("a.py")), step(3, *edit("a.py"))),
        turns=(
            turn("t1", 0, 0, "build the page", origin="prompt"),
            turn("t2", 2.5, 2, "no, the other page", origin="prompt", conceded=True),
            turn("t3", 9, 3, "good", origin="queued"),
        ),
    )
    first, second, third = (typed for _, typed in turns_of(history))
    assert (first.before, first.earlier, first.calls) == (PrecedingEvent.START, (), ())
    assert first.later == ("no, the other page", "good")
    assert second.before is PrecedingEvent.OK
    assert second.calls == ("Edit a.py", "ls")
    assert (second.undone, second.conceded) == (True, True)
    assert (third.queued, third.undone, third.later) == (True, False, ())


def test_what_the_user_did_before_a_turn_is_known() -> None:
    history = History(
        session=1,
        steps=(step(1), step(2)),
        turns=(
            turn("t1", 0, 0, "go"),
            turn("stop", 1.5, 1, act=UserAction.INTERRUPTED),
            turn("t2", 1.6, 1, "wait"),
            turn("refused", 2.5, 2, act=UserAction.REJECTED),
            turn("t3", 2.5, 2, "use the other file", origin="rejection"),
            turn("t4", 2.9, 2, "and the header too", origin="prompt"),
            turn("kept", 3, 2, None),
        ),
    )
    turns = {turn.id: typed for turn, typed in turns_of(history)}
    assert [turns[name].before for name in ("t1", "t2", "t3", "t4")] == [
        PrecedingEvent.START,
        PrecedingEvent.INTERRUPT,
        PrecedingEvent.REJECT,
        PrecedingEvent.REJECT,
    ]
    assert turns["t3"].reason
    assert not turns["t4"].reason
    assert "kept" not in turns


def test_a_session_is_listened_to_in_order() -> None:
    history = History(
        session=1,
        steps=(),
        turns=(turn("t1", 0, 0, "👍"), turn("t2", 1, 0, "that was wrong"), turn("t3", 2, 0, "list the files")),
    )
    assert [(recorded.message, recorded.signal.kind) for recorded in detect_in_session(history)] == [
        ("t1", SignalKind.PRAISE),
        ("t2", SignalKind.CORRECTION),
    ]


def sighting(session: int, text: str, kind: SignalKind = SignalKind.CORRECTION, durable: float = 0.4) -> SourcedSignal:
    lesson = Lesson(text=text, forbids=False, durable=durable, is_durable=durable > 0.5, about=LessonTopic.FACT)
    signal = Signal(kind=kind, probability=0.9, start=0, end=3, polarity=Polarity.AGAINST, lesson=lesson)
    recorded = RecordedSignal(message=f"m{session}-{text}", at=NOON + timedelta(days=session), signal=signal)
    return SourcedSignal(agent="claude-code", native=f"n{session}", session=session, said=recorded, text=text)


def test_the_same_lesson_in_other_words_is_one_theme() -> None:
    found = group_themes(
        [
            sighting(1, "This repo uses pnpm, not npm, remember that."),
            sighting(2, "Use pnpm in this repo, not npm."),
            sighting(3, "Use pnpm, not npm.", durable=0.8),
            sighting(3, "Sort the orders by date."),
        ]
    )
    assert [(theme.lesson, theme.sessions) for theme in found] == [
        ("Use pnpm, not npm.", 3),
        ("Sort the orders by date.", 1),
    ]
    assert found[0].durable == 0.8
    assert [each.session for each in found[0].sightings] == [3, 2, 1]


def test_what_one_asks_for_and_another_forbids_is_never_one_theme() -> None:
    found = group_themes([sighting(1, "Use pnpm, not npm."), sighting(2, "Use npm, not pnpm.")])
    assert [theme.sessions for theme in found] == [1, 1]
    found = group_themes([sighting(1, "Commit the lockfile."), sighting(2, "Do not commit the lockfile.")])
    assert [theme.sessions for theme in found] == [1, 1]
    found = group_themes([sighting(1, "Use default exports."), sighting(2, "Don't use default exports.")])
    assert [theme.sessions for theme in found] == [1, 1]


def test_a_message_that_says_two_things_counts_once_and_praise_has_no_theme() -> None:
    both = [sighting(1, "Never force-push."), sighting(1, "Never force-push.", SignalKind.PREFERENCE)]
    plain = SourcedSignal(
        agent="claude-code",
        native="n9",
        session=9,
        said=RecordedSignal(
            message="p",
            at=NOON,
            signal=Signal(kind=SignalKind.PRAISE, probability=0.9, start=0, end=1, polarity=Polarity.FOR),
        ),
        text="nice",
    )
    (theme,) = group_themes([*both, plain])
    assert len(theme.sightings) == 1
    assert theme.sightings[0].said.signal.kind is SignalKind.PREFERENCE


def test_many_lessons_of_the_same_words_are_grouped_in_bounded_time() -> None:
    many = [
        sighting(number, f"Use the helper number {number % 700} for case {number % 90}.") for number in range(2_000)
    ]
    found = group_themes(many)
    assert sum(len(theme.sightings) for theme in found) == 2_000
