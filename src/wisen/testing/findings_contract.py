"""The contract of every index for querying findings, as a test suite for any backend.

A backend's test inherits from `FindingsContract` and provides the same two fixtures as for `EventsContract`.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.event import Status
from wisen.model.failure import CallChange, Ending, FixAttempt, SessionFindings, Signature
from wisen.model.fix import Danger, fix_id
from wisen.model.report import Selection
from wisen.testing.fake_miner import mine_all
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON, Log
from wisen.testing.sample_findings import (
    CHANGE,
    SIGNATURE,
    a_failure,
    a_goal,
    an_attempt,
    store_calls,
    store_three_sessions,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.index import Index

ALL = Selection()


class FindingsContract:
    """The contract of every index for querying findings."""

    def test_a_new_index_has_nothing_to_mine_and_found_nothing(self, index: Index) -> None:
        assert list(index.findings.take_unmined(1)) == []
        index.findings.store_findings([], 1)
        assert (
            index.findings.failures(ALL),
            index.findings.fixes(ALL),
            index.findings.evidence("a"),
            list(index.findings.goals(ALL)),
        ) == ((), (), (), [])

    def test_failures_are_counted_by_signature(self, index: Index) -> None:
        one, two = store_calls(index, "a"), store_calls(index, "b")
        rare = Signature(key="file.missing", who="cat", version=1)
        also_rare = Signature(key="file.missing", who="awk", version=1)
        newer = structs.replace(rare, version=2)
        edit = structs.replace(a_failure("a1", 5), tool="Edit", masked=True, ended_by="a2")
        of_one = (a_failure("a0", 1), edit, a_failure("a2", 2, rare), a_failure("a3", 2, rare))
        of_two = (a_failure("b0", 3), a_failure("b1", 4, also_rare), a_failure("b2", 4, newer))
        index.findings.store_findings(
            [SessionFindings(session=one, failures=of_one), SessionFindings(session=two, failures=of_two)], 1
        )
        kinds = index.findings.failures(ALL)
        assert [(kind.signature, kind.sessions, kind.calls) for kind in kinds] == [
            (SIGNATURE, 2, 3),
            (rare, 1, 2),
            (also_rare, 1, 1),
            (newer, 1, 1),
        ]
        first = kinds[0]
        assert (first.tool, first.masked, first.overcome) == ("Bash", 1, 1)
        assert (first.lost_ms, first.lost_tokens) == (300, 30)
        assert (first.first, first.last) == (NOON + timedelta(minutes=1), NOON + timedelta(minutes=5))

    def test_what_went_away_by_itself_stops_counting(self, index: Index) -> None:
        session = store_calls(index, "a")
        found = [a_failure("a0", 0), *(structs.replace(a_failure(f"a{each}", each), transient=True) for each in (1, 2))]
        index.findings.store_findings([SessionFindings(session=session, failures=tuple(found))], 1)
        for alive, calls in ((None, 3), (NOON, 3), (NOON + timedelta(minutes=2), 2), (NOON + timedelta(days=1), 1)):
            assert [kind.calls for kind in index.findings.failures(ALL, alive=alive)] == [calls]

    def test_a_fix_tells_where_it_worked_and_where_not(self, index: Index) -> None:
        one, two, three = (store_calls(index, native) for native in "abc")
        worse = structs.replace(an_attempt("a0", "a2", 2), danger=Danger.PACKAGE)
        worst = structs.replace(an_attempt("b2", "b3", 9, worked=False), danger=Danger.DELETES)
        tries = (an_attempt("a0", "a1", 1), worse, an_attempt("a1", "a2", 2), an_attempt("a3", "a2", 2, worked=False))
        index.findings.store_findings(
            [
                SessionFindings(
                    session=one,
                    failures=tuple(a_failure(f"a{each}") for each in range(4)),
                    attempts=tries,
                    habits={CHANGE: 3, CallChange(tool="Bash", added=("x",)): 9},
                    pairs={"Bash": (10, 4), "Edit": (7, 7)},
                ),
                SessionFindings(
                    session=two, attempts=(an_attempt("b0", "b1", 1, worked=False), an_attempt("b1", "b2", 1), worst)
                ),
                SessionFindings(
                    session=three, attempts=(an_attempt("c0", "c1", 8, worked=False),), pairs={"Bash": (2, 1)}
                ),
            ],
            1,
        )
        (fix,) = index.findings.fixes(ALL)
        assert (fix.id, fix.signature, fix.change) == (fix_id(SIGNATURE, CHANGE), SIGNATURE, CHANGE)
        assert (fix.sessions, fix.calls, fix.failed_again) == (2, 3, 1)
        assert fix.by_chance == pytest.approx(3 / 12 * 5)
        assert fix.danger is Danger.PACKAGE
        assert (fix.before, fix.after) == ('{"command":"a1"}', '{"command":"a2"}')
        assert (fix.lost_ms, fix.lost_tokens) == (200, 20)
        assert (fix.first, fix.last) == (NOON + timedelta(minutes=1), NOON + timedelta(minutes=2))
        assert not fix.last_worked

    def test_a_change_that_never_worked_is_no_fix(self, index: Index) -> None:
        session = store_calls(index, "a")
        index.findings.store_findings(
            [SessionFindings(session=session, attempts=(an_attempt("a0", "a1", worked=False),))], 1
        )
        assert index.findings.fixes(ALL) == ()
        assert index.findings.evidence(fix_id(SIGNATURE, CHANGE)) == ()

    def test_at_the_same_moment_having_worked_counts(self, index: Index) -> None:
        session = store_calls(index, "a")
        index.findings.store_findings(
            [SessionFindings(session=session, attempts=(an_attempt("a0", "a2"), an_attempt("a1", "a3", worked=False)))],
            1,
        )
        assert [fix.last_worked for fix in index.findings.fixes(ALL)] == [True]

    def test_of_several_at_the_same_moment_the_one_called_last_is_the_newest(self, index: Index) -> None:
        session = store_calls(index, "a")
        index.findings.store_findings(
            [
                SessionFindings(
                    session=session, attempts=(an_attempt("a1", "a3"), an_attempt("a2", "a3"), an_attempt("a0", "a2"))
                )
            ],
            1,
        )
        (fix,) = index.findings.fixes(ALL)
        assert (fix.before, fix.after) == ('{"command":"a2"}', '{"command":"a3"}')
        assert [shown.before[-4:-2] for shown in index.findings.evidence(fix.id)] == ["a2", "a1", "a0"]

    def test_chance_is_computed_from_the_selected_sessions(self, index: Index) -> None:
        old, new = store_calls(index, "a", 2), store_calls(index, "b", agent="codex")
        tries = (an_attempt("b2", "b3", 3),)
        index.findings.store_findings(
            [
                SessionFindings(session=old, habits={CHANGE: 1}, pairs={"Bash": (2, 3)}),
                SessionFindings(session=new, habits={CHANGE: 1}, pairs={"Bash": (6, 1)}, attempts=tries),
            ],
            1,
        )
        recent = Selection(since=NOON + timedelta(minutes=2))
        for selection, chance in ((ALL, 2 / 8 * 4), (Selection(agent="codex"), 1 / 6), (recent, 1 / 6)):
            assert [fix.by_chance for fix in index.findings.fixes(selection)] == [pytest.approx(chance)]

    def test_fixes_come_by_sessions_and_calls_and_then_by_id(self, index: Index) -> None:
        session, other = store_calls(index, "a"), store_calls(index, "b")
        changes = [CallChange(tool="Bash", added=(word,)) for word in ("one", "two", "three", "four")]

        def tried(change: CallChange, *failed: str) -> tuple[FixAttempt, ...]:
            return tuple(structs.replace(an_attempt(each, f"{each[0]}3"), change=change) for each in failed)

        of_one = tried(changes[0], "a0") + tried(changes[1], "a0") + tried(changes[2], "a0", "a1")
        of_one += tried(changes[3], "a0")
        index.findings.store_findings(
            [
                SessionFindings(session=session, attempts=of_one),
                SessionFindings(session=other, attempts=tried(changes[3], "b0")),
            ],
            1,
        )
        rest = sorted(fix_id(SIGNATURE, change) for change in changes[:2])
        found = [fix.id for fix in index.findings.fixes(ALL)]
        assert found == [fix_id(SIGNATURE, changes[3]), fix_id(SIGNATURE, changes[2]), *rest]

    def test_evidence_is_every_try_with_what_was_called_and_said(self, index: Index) -> None:
        one, two = store_calls(index, "a"), store_calls(index, "b", agent="codex")
        long = structs.replace(a_failure("a0"), trajectory="001", attempts=("a0", "a1", "a2"))
        index.findings.store_findings(
            [
                SessionFindings(
                    session=one,
                    failures=(long,),
                    attempts=(an_attempt("a0", "a1", 1, worked=False), an_attempt("a0", "a2", 3)),
                ),
                SessionFindings(session=two, failures=(a_failure("b1"),), attempts=(an_attempt("b1", "b2", 2),)),
            ],
            1,
        )
        (fix,) = index.findings.fixes(ALL)
        newest, middle, oldest = index.findings.evidence(fix.id)
        assert (newest.agent, newest.session, newest.at) == ("claude-code", "a", NOON + timedelta(minutes=3))
        assert (newest.before, newest.after) == ('{"command":"a0"}', '{"command":"a2"}')
        assert (newest.said, newest.trajectory, newest.worked) == ("a0 says no", "001", True)
        assert (middle.agent, middle.session, middle.said, middle.trajectory) == ("codex", "b", "b1 says no", "0")
        assert (oldest.after, oldest.worked) == ('{"command":"a1"}', False)
        assert {each.context for each in (newest, middle)} == {middle.context}
        assert index.fix_examples.newest([fix.id, "no such"]) == {fix.id: (newest,), "no such": ()}
        assert index.fix_examples.in_sessions([one]) == {fix.id: (newest, oldest)}
        assert index.fix_examples.in_sessions([one, two]) == {fix.id: (newest, middle, oldest)}
        assert index.fix_examples.in_sessions([]) == {}

    def test_the_beginning_of_an_id_is_enough_where_only_one_begins_so(self, index: Index) -> None:
        session = store_calls(index, "a")
        changes = [CallChange(tool="Bash", added=(str(number),)) for number in range(40)]
        tries = tuple(structs.replace(an_attempt("a0", "a1"), change=change) for change in changes)
        index.findings.store_findings([SessionFindings(session=session, attempts=tries)], 1)
        ids = [fix.id for fix in index.findings.fixes(ALL)]
        assert len(set(ids)) == 40
        for fix in ids:
            assert len(fix) == 10
            for length in range(1, 11):
                only = sum(each.startswith(fix[:length]) for each in ids) == 1
                assert bool(index.findings.evidence(fix[:length])) == only
        assert (
            index.findings.evidence("")
            == index.findings.evidence("no such")
            == index.findings.evidence(f"{ids[0]}0")
            == ()
        )

    def test_the_id_of_a_fix_depends_on_nothing_but_signature_and_change(self) -> None:
        assert fix_id(SIGNATURE, CHANGE) == fix_id(structs.replace(SIGNATURE, version=7), CHANGE) == "1f1cfd9b75"
        others = {
            fix_id(structs.replace(SIGNATURE, who="zsh"), CHANGE),
            fix_id(SIGNATURE, structs.replace(CHANGE, removed=(), added=("py", "python3"))),
            fix_id(SIGNATURE, structs.replace(CHANGE, added=(), first=("python3",))),
            fix_id(SIGNATURE, CHANGE),
        }
        assert len(others) == 4

    def test_goals_come_in_the_order_of_time_with_their_calls(self, index: Index) -> None:
        log, other = Log("/a.jsonl"), Log("/b.jsonl", "s2")
        log.typed("m1", 1)
        log.call("c1", 2)
        log.call("c2", 3)
        log.typed("m3", 7)
        other.typed("m2", 4)
        other.call("c3", 5)
        other.end("c3", Status.FAILED, 6)
        index.events.store([other.batch(), log.batch()])
        mine_all(index)
        first, second, third = index.findings.goals(ALL)
        assert (first.request, first.calls, first.said_next, first.failed) == ("m1", ("c1", "c2"), "m3", 0)
        assert (first.at, first.ended, first.ending) == (log.at(1), log.at(3), Ending.DONE)
        assert (second.request, second.calls, second.failed, second.ending) == ("m2", ("c3",), 1, Ending.FAILING)
        assert (third.request, third.calls, third.said_next, third.ending) == ("m3", (), None, Ending.EMPTY)

    def test_a_selection_narrows_everything_that_was_found(self, index: Index) -> None:
        store_three_sessions(index)
        mine_all(index)
        assert _totals(index, ALL) == (3, 3, 3)
        assert _totals(index, Selection(under=Path("/p"))) == (2, 2, 2)
        assert _totals(index, Selection(under=Path("/p/b.jsonl"))) == (1, 1, 1)
        assert _totals(index, Selection(agent="codex")) == (1, 1, 1)
        assert _totals(index, Selection(since=NOON + timedelta(minutes=10))) == (2, 2, 2)
        assert _totals(index, Selection(since=NOON + timedelta(minutes=10), agent="claude-code")) == (1, 1, 1)
        assert _totals(index, Selection(since=NOON + timedelta(days=1))) == (0, 0, 0)

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_that_was_found_comes_back_as_it_was(
        self, index: Index, reopen: Callable[[], Index], text: str
    ) -> None:
        log = Log("/a.jsonl", native=text, agent=text)
        log.call(f"1{text}", arguments=text)
        log.end(f"1{text}", Status.FAILED, text=text)
        log.call(f"2{text}", 1, arguments=None)
        log.typed(f"3{text}", 2)
        index.events.store([log.batch()])
        (history,) = index.findings.take_unmined(1)
        signature = Signature(key=text, who=text, says=text, version=1)
        change = CallChange(tool=text, removed=(text, ""), added=(text,), first=(text,))
        failed = structs.replace(
            a_failure(f"1{text}", 0, signature), tool=text, command=text, place=text, trajectory=text or "0"
        )
        tried = structs.replace(an_attempt(f"1{text}", f"2{text}"), signature=signature, change=change)
        goal = structs.replace(a_goal(f"3{text}"), calls=(f"1{text}", f"2{text}"))
        found = SessionFindings(
            session=history.session,
            failures=(failed,),
            attempts=(tried,),
            habits={change: 1},
            pairs={text: (1, 2)},
            goals=(goal,),
        )
        index.findings.store_findings([found], 1)
        again = reopen()
        assert [(kind.signature, kind.tool) for kind in again.findings.failures(ALL)] == [(signature, text)]
        (fix,) = again.findings.fixes(ALL)
        assert (fix.signature, fix.change, fix.by_chance, fix.before, fix.after) == (signature, change, 2.0, text, "")
        (shown,) = again.findings.evidence(fix.id)
        assert (shown.agent, shown.session, shown.said, shown.trajectory) == (text, text, text, text or "0")
        assert list(again.findings.goals(ALL)) == [goal]


def _totals(index: Index, selection: Selection) -> tuple[int, int, int]:
    """Return how many sessions have a failure and a fix, and how many goals there are."""
    failed = sum(kind.sessions for kind in index.findings.failures(selection))
    return (
        failed,
        sum(fix.sessions for fix in index.findings.fixes(selection)),
        len(list(index.findings.goals(selection))),
    )
