"""The next tool is predicted from what followed in earlier sessions and in this one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from benchmarks.next_tool import measure
from hypothesis import given
from hypothesis import strategies as st

from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.workflows.next_steps import NextSteps

AT = datetime(2026, 3, 2, tzinfo=UTC)
ALL = 1_000


def step(number: int, tool: str, arguments: object = None, status: Status | None = Status.OK, text: str = "") -> Step:
    at = AT + timedelta(minutes=number)
    return Step(
        call=f"c{number}",
        tool=tool,
        arguments=None if arguments is None else json.dumps(arguments),
        status=status,
        text=text or None,
        at=at,
        ended=None if status is None else at + timedelta(seconds=5),
    )


def steps(*course: str) -> tuple[Step, ...]:
    """`TOOL`, `TOOL!` for a failed call, `TOOL?` for one that runs on, `$ COMMAND` for a shell, a minute apart."""
    ends = {"!": Status.FAILED, "?": None}
    return tuple(
        step(number, "Bash", {"command": each[2:]})
        if each.startswith("$ ")
        else step(number, each.rstrip("!?"), {}, ends.get(each[-1], Status.OK))
        for number, each in enumerate(course)
    )


def history(*course: str, session: int = 1, turns: tuple[Turn, ...] = ()) -> History:
    return History(session=session, steps=steps(*course), turns=turns)


def user_turn(text: str, before: int) -> Turn:
    return Turn(id=f"m{before}", action=UserAction.SAID, at=AT, text=text, before=before)


def train(*histories: History) -> NextSteps:
    model = NextSteps()
    for each in histories:
        model.learn(each)
    return model


def first(model: NextSteps, *course: str) -> str:
    return model.predict(steps(*course))[0].tool


def test_what_always_followed_is_likely_and_its_evidence_is_counted() -> None:
    model = train(*[history("Read", "Edit", "Read", "Edit", "Read", "Edit")] * 4)
    best, other = model.predict(steps("Read"))
    assert (best.tool, best.seen, best.of) == ("Edit", 12, 12)
    assert (other.tool, other.seen, other.of) == ("Read", 0, 12)
    assert best.probability > 0.9
    assert first(model, "Read", "Edit") == "Read"
    assert first(model) == "Read"


def test_nothing_learnt_tells_nothing_but_what_the_session_did() -> None:
    assert NextSteps().predict(()) == ()
    (only,) = NextSteps().predict(steps("Read", "Read"))
    assert (only.tool, only.probability, only.seen, only.of) == ("Read", 1.0, 0, 0)


def test_probabilities_sum_to_one_over_all_tools_and_few_are_shown() -> None:
    model = train(history("Read", "Edit", "Bash", "Grep", "Read", "Write"), history("Task", "Read", "Bash"))
    predictions = model.predict(steps("Read", "Unheard"), limit=ALL)
    assert {each.tool for each in predictions} == {"Read", "Edit", "Bash", "Grep", "Write", "Task", "Unheard"}
    assert sum(each.probability for each in predictions) == pytest.approx(1)
    assert model.predict(steps("Read", "Unheard")) == predictions[:3]
    assert model.predict(steps("Read"), limit=0) == ()


def test_a_situation_never_seen_falls_back_to_the_coarser_one() -> None:
    model = train(*[history("Glob", "$ git add a", "Read", "$ git add b", "Read")] * 3)
    assert first(model, "Edit", "Edit", "$ git add c") == "Read"
    assert first(model, "Edit", "Edit", "$ git push") == "Read"
    predictions = model.predict(steps("Unheard"), limit=ALL)
    assert {each.tool for each in predictions[:2]} == {"Bash", "Read"}
    assert predictions[0].of == 0


def test_the_program_and_its_subcommand_make_a_difference() -> None:
    pairs = (("$ git add a", "Skill"), ("$ git log", "Read"), ("$ npm test", "Edit"))
    model = train(*[history(*pair) for pair in pairs] * 3)
    assert first(model, "$ cd /p && git add b/c") == "Skill"
    assert first(model, "$ git log") == "Read"
    assert first(model, "$ npm test -- x") == "Edit"


def test_how_the_last_call_ended_makes_a_difference() -> None:
    model = train(*[history("Edit!", "Read", "Edit", "Bash", "Edit!", "Read", "Edit", "Bash")] * 3)
    assert first(model, "Edit!") == "Read"
    assert first(model, "Edit") == "Bash"


def test_how_a_failure_begins_makes_a_difference() -> None:
    unread = step(0, "Edit", {}, Status.FAILED, "<tool_use_error>File has not been read yet.")
    absent = step(0, "Edit", {}, Status.FAILED, "<tool_use_error>String to replace not found in file.")
    sessions = [
        History(session=number, steps=(failed, step(1, then)))
        for number, (failed, then) in enumerate([(unread, "Read"), (absent, "Grep")] * 5)
    ]
    model = train(*sessions)
    assert [model.predict([failed])[0].tool for failed in (unread, absent)] == ["Read", "Grep"]


def test_an_end_later_than_the_moment_of_asking_is_not_known() -> None:
    model = train(*[history("Edit!", "Read", "Edit?", "Edit", "Bash")] * 3)
    (failed,) = steps("Edit!")
    assert failed.ended is not None
    soon = model.predict([failed], at=failed.ended - timedelta(seconds=1))
    assert soon == model.predict(steps("Edit?"))
    assert model.predict([failed], at=failed.ended) == model.predict([failed]) != soon


def test_the_same_file_and_another_are_distinguished() -> None:
    def session(*course: tuple[str, str]) -> History:
        return History(session=1, steps=tuple(step(n, tool, {"file_path": p}) for n, (tool, p) in enumerate(course)))

    course = (("Read", "/a"), ("Edit", "/a"), ("Edit", "/a"), ("Bash", ""), ("Edit", "/b"), ("Read", "/c"))
    model = train(*[session(*course, ("Edit", "/c"), ("Edit", "/c"), ("Bash", ""), ("Edit", "/d"), ("Read", "/e"))] * 3)
    same = session(("Write", "/x"), ("Edit", "/x")).steps
    other = session(("Write", "/x"), ("Edit", "/y")).steps
    assert [model.predict(each)[0].tool for each in (same, other)] == ["Edit", "Read"]


def test_what_the_user_just_typed_makes_a_difference() -> None:
    pairs = (("commit this", "Bash"), ("fix that", "Edit"))
    model = train(*[history("Read", tool, turns=(user_turn(text, 1),)) for text, tool in pairs] * 3)
    assert model.predict(steps("Read"), [user_turn("Commit all", 1)])[0].tool == "Bash"
    assert model.predict(steps("Read"), [user_turn("fix it", 1)])[0].tool == "Edit"


def test_the_habit_of_this_session_counts() -> None:
    model = train(*[history("Read", "Edit", "Read", "Edit")] * 3)
    before = {each.tool: each.probability for each in model.predict(steps("Read"), limit=ALL)}
    course = ["Read", "Grep"] * 8 + ["Read"]
    after = model.predict(steps(*course), limit=ALL)
    assert "Grep" not in before
    assert after[0].tool == "Grep"


def test_newer_sessions_weigh_more_and_long_learning_stays_in_bounds() -> None:
    model = train(*[history("Read", "Edit")] * 1_000, *[history("Read", "Write")] * 60)
    predictions = model.predict(steps("Read"), limit=ALL)
    assert [each.tool for each in predictions[:2]] == ["Write", "Edit"]
    assert [each.seen for each in predictions[:2]] == [60, 1_000]
    assert sum(each.probability for each in predictions) == pytest.approx(1)


def test_learning_the_same_gives_the_same_and_counts_come_back_from_json() -> None:
    sessions = [history("Read", "Edit!", "Read", "$ git add a", "Edit"), history("Grep", "Read", "Edit", "Write")]
    model, again = train(*sessions), train(*sessions)
    assert model.to_counts() == again.to_counts()
    back = NextSteps.from_counts(json.loads(json.dumps(model.to_counts())))
    for each in (model, back):
        each.learn(history("Glob", "Read", "Edit"))
    for asked in (steps(), steps("Read"), steps("Grep", "Read", "Edit!")):
        expected = model.predict(asked, limit=ALL)
        found = back.predict(asked, limit=ALL)
        assert [(each.tool, each.seen, each.of) for each in found] == [(e.tool, e.seen, e.of) for e in expected]
        assert [each.probability for each in found] == pytest.approx([each.probability for each in expected])


def test_the_gains_say_which_situation_speaks_for_a_tool() -> None:
    model = train(*[history("Edit!", "Read", "Edit", "Bash")] * 3)
    gains = model.gains(steps("Edit!"))
    assert set(gains.by_situation["end"]) == {"Read"}
    assert set(gains.by_situation["tool"]) == {"Read", "Bash"}
    assert sum(gains.overall.values()) == pytest.approx(1)


def made_step(**fields: Any) -> Step:
    return Step(**fields)


def made_turn(**fields: Any) -> Turn:
    return Turn(**fields)


ANY_STEPS = st.lists(
    st.builds(
        made_step,
        call=st.text(max_size=3),
        tool=st.sampled_from(["Read", "Edit", "Bash", ""]) | st.text(max_size=5),
        arguments=st.none()
        | st.text(max_size=8)
        | st.dictionaries(
            st.sampled_from(["command", "file_path", "path", "pattern", "todos", "limit"]),
            st.text(max_size=9)
            | st.integers()
            | st.lists(st.dictionaries(st.sampled_from(["status", "content"]), st.text(max_size=3) | st.none())),
        ).map(json.dumps),
        status=st.none() | st.sampled_from(Status),
        text=st.none() | st.text(max_size=20),
        at=st.datetimes(timezones=st.just(UTC)),
        ended=st.none() | st.datetimes(timezones=st.just(UTC)),
    ),
    max_size=12,
)
ANY_TURNS = st.lists(
    st.builds(
        made_turn,
        id=st.text(max_size=3),
        action=st.sampled_from(UserAction),
        at=st.datetimes(timezones=st.just(UTC)),
        text=st.none() | st.text(max_size=9),
        before=st.integers(0, 12),
    ),
    max_size=3,
)


@given(learned=st.lists(st.tuples(ANY_STEPS, ANY_TURNS), max_size=3), asked=ANY_STEPS, turns=ANY_TURNS)
def test_whatever_was_done_the_answer_is_sorted_and_whole(
    learned: list[tuple[list[Step], list[Turn]]], asked: list[Step], turns: list[Turn]
) -> None:
    model = train(*(History(session=1, steps=tuple(one), turns=tuple(two)) for one, two in learned))
    predictions = model.predict(asked, turns, limit=ALL)
    assert list(predictions) == sorted(predictions, key=lambda each: (-each.probability, each.tool))
    assert {each.tool for each in predictions} == {
        each.tool for each in [*asked, *(s for one, _ in learned for s in one)]
    }
    assert not predictions or sum(each.probability for each in predictions) == pytest.approx(1)
    assert all(0 <= each.seen <= each.of for each in predictions)


def test_the_benchmark_predicts_every_call_of_the_later_sessions_beside_plain_chains() -> None:
    course = ("Read", "Edit", "Bash", "Read", "Edit", "Bash")
    sessions = [
        History(session=n, steps=tuple(s_at(each, n) for each in steps(*course, *(["Odd"] if n == 9 else []))))
        for n in range(10)
    ]
    figures = measure(reversed(sessions))
    assert figures["next_tool"] == {"top1": pytest.approx(18 / 19), "top3": pytest.approx(18 / 19), "n": 19}
    assert figures["next_tool_learning_on"] == {"top1": pytest.approx(18 / 19), "top3": pytest.approx(18 / 19)}
    assert figures["next_tool_sessions"] == {"learnt": 7, "predicted": 3}
    assert figures["markov"] == {
        "order0": {"top1": pytest.approx(6 / 19), "top3": pytest.approx(18 / 19)},
        **{f"order{n}": {"top1": pytest.approx(18 / 19), "top3": pytest.approx(18 / 19)} for n in (1, 2, 3)},
    }


def s_at(each: Step, day: int) -> Step:
    """The same call on a later day."""
    moved = AT + timedelta(days=day) + (each.at - AT)
    return Step(call=f"{day}{each.call}", tool=each.tool, arguments="{}", status=Status.OK, text=None, at=moved)
