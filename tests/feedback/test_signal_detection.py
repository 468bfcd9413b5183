"""Detection in a recorded session: the context of each typed message, in order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wisen.feedback.signal_detection import detect_in_session
from wisen.feedback.turns import turns_of
from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.signal import (
    PrecedingEvent,
    SignalKind,
)

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
