"""A goal is a typed request that starts new work; calls and the user's reaction show how it ended."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from wisen.mining.goals import goals_of
from wisen.model.event import Status
from wisen.model.failure import Ending, Goal
from wisen.model.history import History, Step, Turn, UserAction

pytestmark = pytest.mark.requirement("F5")
AT = datetime(2026, 3, 2, tzinfo=UTC)


def goals(*course: str) -> tuple[Goal, ...]:
    """`said TEXT`, `stopped`, `refused`, `ok COMMAND` and `failed COMMAND`, a minute apart."""
    steps: list[Step] = []
    turns: list[Turn] = []
    for number, each in enumerate(course):
        what, _, rest = each.partition(" ")
        at = AT + timedelta(minutes=number)
        if what in ("ok", "failed"):
            steps.append(
                Step(
                    call=f"c{number}",
                    tool="Bash",
                    arguments=json.dumps({"command": rest}),
                    status=Status(what),
                    text="no" if what == "failed" else None,
                    at=at,
                    ended=at + timedelta(seconds=20),
                )
            )
        else:
            text = rest if what == "said" else None
            turns.append(Turn(id=f"m{number}", action=UserAction(what), at=at, text=text, before=len(steps)))
    return goals_of(History(session=1, steps=tuple(steps), turns=tuple(turns)))


def test_a_session_holds_several_goals_with_their_calls() -> None:
    one, two = goals("said add a login page", "ok ls", "ok make", "said now write the docs", "ok cat a")
    assert (one.request, one.calls, one.said_next) == ("m0", ("c1", "c2"), "m3")
    assert (two.request, two.calls, two.said_next) == ("m3", ("c4",), None)
    assert one.ended - one.at == timedelta(minutes=2, seconds=20)


@pytest.mark.parametrize("word", ["yes", "ok", "go on", "continue", "Thanks!", "2", "yes please"])
def test_a_word_that_lets_the_agent_go_on_is_no_new_goal(word: str) -> None:
    (goal,) = goals("said add a login page", "ok ls", f"said {word}", "ok make")
    assert goal.calls == ("c1", "c3")


def test_two_messages_in_one_breath_are_one_goal() -> None:
    (goal,) = goals("said add a login page", "said with a captcha", "ok ls")
    assert goal.calls == ("c2",)


@pytest.mark.parametrize(
    ("course", "ending", "failed"),
    [
        (["ok ls", "ok cp a b"], Ending.DONE, 0),
        (["failed bun test", "ok vi x", "ok bun test"], Ending.CHECKED, 1),
        (["ok ls", "failed bun test"], Ending.FAILING, 1),
        (["failed bun test", "ok ls"], Ending.FAILING, 1),
        (["failed cp a b", "ok cp a c"], Ending.DONE, 1),
        (["ok ls", "stopped"], Ending.STOPPED, 0),
        (["ok ls", "refused"], Ending.STOPPED, 0),
        (["stopped"], Ending.EMPTY, 0),
        ([], Ending.EMPTY, 0),
    ],
)
def test_how_the_work_ended(course: list[str], ending: Ending, failed: int) -> None:
    (goal,) = goals("said add a login page", *course)
    assert (goal.ending, goal.failed) == (ending, failed)


def test_a_session_without_a_typed_request_has_no_goal() -> None:
    assert goals("ok ls") == ()
