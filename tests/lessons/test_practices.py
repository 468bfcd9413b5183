"""Best practices: a step that always failed on the way to a known goal and was not needed is delivered as a hint."""

from __future__ import annotations

from datetime import timedelta

import pytest

from wisen.edits.permission import PromotePolicy
from wisen.lessons.goal_runs import known_goals
from wisen.lessons.practices import known_practices, record_practices
from wisen.mining.goals import goals_of
from wisen.model.entry import Category, EntryOrigin, EntrySource, EntryStatus, MoveKind
from wisen.model.entry_state import EntryState, fold_entry_states
from wisen.model.event import Status as End
from wisen.model.history import History, Step, Turn, UserAction
from wisen.proposals.propose import is_ready
from wisen.store.row_factory import RowFactory
from wisen.store.sessions import Request
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON

pytestmark = pytest.mark.requirement("S2")

Call = tuple[str, End]
SKILL: Call = ('Skill {"skill":"release"}', End.FAILED)
TAG: Call = ('Bash {"command":"git tag v1"}', End.OK)
PUSH: Call = ('Bash {"command":"git push --tags"}', End.OK)


def session(number: int, *calls: Call, asked: str = "release it now", context: str = "shop") -> History:
    at = NOON + timedelta(days=number)
    steps = []
    for place, (call, end) in enumerate(calls, 1):
        tool, _, arguments = call.partition(" ")
        step = Step(
            call=f"c{number}-{place}",
            tool=tool,
            arguments=arguments,
            status=end,
            text="Unknown skill: release" if end is End.FAILED else None,
            at=at + timedelta(minutes=place),
        )
        steps.append(step)
    turn = Turn(id=f"m{number}", action=UserAction.SAID, at=at, text=asked, before=0, context=context)
    return History(session=number, agent="claude-code", native=f"s{number}", steps=tuple(steps), turns=(turn,))


def run(ledger: MemoryLedger, *sessions: History, ids: CountingIds | None = None) -> tuple[EntryState, ...]:
    factory = RowFactory(FixedClock(NOON + timedelta(days=60)), ids or CountingIds(), "desk")
    requests = [
        Request(
            session=each.session,
            message=goal.request,
            text=each.turns[0].text or "",
            context=each.turns[0].context,
            has_calls=bool(goal.calls),
            has_failed=goal.failed > 0,
        )
        for each in sessions
        for goal in goals_of(each)
    ]

    def read(numbers: frozenset[int]) -> list[History]:
        return [each for each in sessions if each.session in numbers]

    states = entry_states(ledger)
    goals = [*known_goals(requests, read, [each.entry for each in known_practices(states)])]
    ledger.entries.record(record_practices(goals, states, ledger.occurrences.ids(), factory))
    return entry_states(ledger)


def entry_states(ledger: MemoryLedger) -> tuple[EntryState, ...]:
    return fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())


FAILING = (session(1, SKILL, TAG, PUSH), session(2, SKILL, TAG, PUSH, asked="release it"))
CLEAN = (session(3, TAG, PUSH), session(4, TAG, PUSH, asked="now release it"))


def test_what_always_failed_and_was_not_needed_is_a_best_practice_with_its_evidence() -> None:
    ledger = MemoryLedger()
    (state,) = run(ledger, *FAILING, *CLEAN)
    entry = state.entry
    assert (entry.category, entry.source, entry.origin) == (
        Category.BEST_PRACTICE,
        EntrySource.SELF_DISCOVERY,
        EntryOrigin.MEASURED,
    )
    assert "leave out Skill release: it always failed" in entry.summary
    assert "2 got there without it" in entry.details
    assert "git tag, git push (session s4)" in entry.details
    assert [(each.session, each.message) for each in ledger.occurrences.all()] == [("s1", "c1-1"), ("s2", "c2-1")]


@pytest.mark.parametrize(
    "sessions",
    [
        (*FAILING, CLEAN[0]),
        (FAILING[0], *CLEAN),
        (*FAILING, *CLEAN, session(5, (SKILL[0], End.OK), TAG)),
        (*FAILING, *(session(number, TAG, PUSH, context="mill") for number in (3, 4))),
        (*FAILING, *(session(number, TAG, (PUSH[0], End.FAILED)) for number in (3, 4))),
        (*FAILING, *(session(number, TAG, PUSH, asked="add a dark mode") for number in (3, 4))),
    ],
    ids=[
        "one that did without",
        "one that failed",
        "it worked once",
        "another project",
        "it did not go well without",
        "another goal",
    ],
)
def test_less_than_that_tells_nothing(sessions: tuple[History, ...]) -> None:
    assert run(MemoryLedger(), *sessions) == ()


def test_it_is_entered_once_and_is_over_when_it_worked_since() -> None:
    ledger, ids = MemoryLedger(), CountingIds()
    run(ledger, *FAILING, *CLEAN, ids=ids)
    (again,) = run(ledger, *FAILING, *CLEAN, session(5, SKILL, TAG), ids=ids)
    assert (again.times, again.status) == (3, EntryStatus.PENDING)
    rows = len(ledger.moves.all())
    (over,) = run(ledger, *FAILING, *CLEAN, session(6, (SKILL[0], End.OK), TAG), ids=ids)
    assert over.status is EntryStatus.RESOLVED
    assert len(ledger.moves.all()) == rows + 1
    run(ledger, *FAILING, *CLEAN, session(6, (SKILL[0], End.OK), TAG), ids=ids)
    assert len(ledger.moves.all()) == rows + 1


def test_it_is_a_hint_and_no_rule_until_a_person_confirms_it() -> None:
    ledger = MemoryLedger()
    many = (session(number, SKILL, TAG) for number in range(5, 12))
    (state,) = run(ledger, *FAILING, *CLEAN, *many)
    seen = ledger.occurrences.all()
    assert len(seen) == 9
    assert not is_ready(state, seen, PromotePolicy())
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    ledger.entries.record([factory.build_move(state.entry.id, MoveKind.CONFIRM)])
    assert is_ready(entry_states(ledger)[0], seen, PromotePolicy())
