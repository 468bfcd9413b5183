"""The contract of every index for the mining queue, as a test suite for any backend.

A backend's test inherits from `MiningContract` and provides the same two fixtures as for `EventsContract`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs
from msgspec.structs import replace

from wisen.model.event import Status
from wisen.model.failure import SessionFindings
from wisen.model.report import Selection
from wisen.testing.fake_miner import mine, mine_all
from wisen.testing.log_writer import NOON, Log
from wisen.testing.sample_findings import CHANGE, a_failure, a_goal, an_attempt, store_calls, store_three_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.history import History
    from wisen.store.index import Index

ALL = Selection()


class MiningContract:
    """The contract of every index for the mining queue."""

    def test_a_session_is_unmined_until_it_was_mined_and_again_when_it_grows(
        self, index: Index, reopen: Callable[[], Index]
    ) -> None:
        log, other = Log("/a.jsonl"), Log("/b.jsonl", "s2")
        log.call("c1")
        other.call("c2")
        index.events.store([log.batch(), other.batch()])
        assert mine_all(index) == 2
        again = reopen()
        assert list(again.findings.take_unmined(1)) == []
        assert again.events.store([log.batch()]) == 0
        assert list(again.findings.take_unmined(1)) == []
        log.call("c3", 1)
        assert again.events.store([log.batch(), other.batch()]) == 1
        assert [_calls(history) for history in again.findings.take_unmined(1)] == [["c1", "c3"]]

    def test_another_version_of_the_miner_looks_at_every_session_again(self, index: Index) -> None:
        store_calls(index, "a")
        store_calls(index, "b")
        assert (mine_all(index, 2), mine_all(index, 2)) == (2, 0)
        assert (mine_all(index, 1), mine_all(index, 1)) == (2, 0)
        assert {kind.signature.version for kind in index.findings.failures(ALL)} == {1}

    def test_a_session_can_be_mined_again_though_it_holds_nothing_new(self, index: Index) -> None:
        for name in ("a", "b"):
            store_calls(index, name)
        mine_all(index)
        found = index.findings.failures(ALL)
        _, second = sorted(history.session for history in index.events.histories(ALL))
        index.findings.mine_again([second, 999])
        assert [history.session for history in index.findings.take_unmined(1)] == [second]
        assert index.findings.failures(ALL) == found
        assert (mine_all(index), mine_all(index)) == (1, 0)

    def test_what_comes_while_a_session_is_mined_is_not_lost(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.call("c1")
        index.events.store([log.batch()])
        (history,) = index.findings.take_unmined(1)
        log.call("c2", 1)
        index.events.store([log.batch()])
        index.findings.store_findings([mine(history)], 1)
        assert index.events.counts(ALL).tools[0].calls == 2
        assert [_calls(history) for history in index.findings.take_unmined(1)] == [["c1", "c2"]]
        assert (mine_all(index), mine_all(index)) == (1, 0)

    def test_sessions_can_be_taken_by_their_numbers(self, index: Index) -> None:
        store_three_sessions(index)
        first, second, third = index.events.unmined(1)
        (history,) = index.findings.take_unmined(1, [second])
        assert history.session == second
        index.findings.store_findings([SessionFindings(session=third), mine(history)], 1)
        assert index.events.unmined(1) == [first]
        assert list(index.findings.take_unmined(1, [second, third])) == []

    def test_stopping_between_keeping_and_mining_loses_nothing(self, index: Index, reopen: Callable[[], Index]) -> None:
        store_three_sessions(index)
        assert len(list(index.findings.take_unmined(1))) == 3
        again = reopen()
        assert mine_all(again) == 3
        assert [kind.calls for kind in again.findings.failures(ALL)] == [3]

    def test_stopping_half_way_through_mining_leaves_the_rest(self, index: Index, reopen: Callable[[], Index]) -> None:
        store_three_sessions(index)
        unmined = index.findings.take_unmined(1)
        first = next(unmined)
        index.findings.store_findings([mine(first)], 1)
        again = reopen()
        assert first.session not in [history.session for history in again.findings.take_unmined(1)]
        assert mine_all(again) == 2

    def test_what_was_not_handed_out_is_kept_and_stays_unmined(self, index: Index, reopen: Callable[[], Index]) -> None:
        session = store_calls(index, "a")
        again = reopen()
        again.findings.store_findings(
            [SessionFindings(session=session, failures=(a_failure("a0"),)), SessionFindings(session=999, failures=())],
            1,
        )
        again.findings.store_findings(
            [SessionFindings(session=session, failures=(a_failure("a0"), a_failure("a1")))], 1
        )
        assert [kind.calls for kind in again.findings.failures(ALL)] == [2]

    def test_two_sessions_that_take_turns_in_one_source_are_distinguished(self, index: Index) -> None:
        one, two = Log("/a.jsonl", "s1"), Log("/a.jsonl", "s2")
        for each in range(6):
            log = (one, two)[each % 2]
            log.call(f"c{each}", each)
            log.end(f"c{each}", Status.FAILED, each, "no")
            log.typed(f"m{each}", each)
        mixed = [kept for pair in zip(one.events, two.events, strict=True) for kept in pair]
        batch = replace(one.batch(), events=tuple(mixed))
        assert index.events.store([batch]) == 18
        before = index.events.counts(ALL)
        assert [(_calls(each), [turn.id for turn in each.turns]) for each in index.findings.take_unmined(1)] == [
            (["c0", "c2", "c4"], ["m0", "m2", "m4"]),
            (["c1", "c3", "c5"], ["m1", "m3", "m5"]),
        ]
        mine_all(index)
        assert index.events.counts(ALL) == before
        assert [goal.calls for goal in index.findings.goals(ALL)] == [("c2",), ("c3",), ("c4",), ("c5",), (), ()]

    def test_mining_again_takes_the_place_of_what_was_found(self, index: Index) -> None:
        session, other = store_calls(index, "a"), store_calls(index, "b")
        pairs = {"Bash": (2, 2)}
        first = SessionFindings(
            session=session,
            failures=(a_failure("a0"), a_failure("a1")),
            attempts=(an_attempt("a0", "a1"),),
            habits={CHANGE: 1},
            pairs=pairs,
            goals=(a_goal("a0"), a_goal("a1")),
        )
        rest = SessionFindings(
            session=other, failures=(a_failure("b0"),), attempts=(an_attempt("b0", "b1"),), pairs=pairs
        )
        index.findings.store_findings([first, rest], 1)
        assert [(kind.calls, kind.sessions) for kind in index.findings.failures(ALL)] == [(3, 2)]
        assert [(fix.sessions, fix.by_chance) for fix in index.findings.fixes(ALL)] == [(2, 1.0)]
        assert len(list(index.findings.goals(ALL))) == 2
        index.findings.store_findings([SessionFindings(session=session, failures=(a_failure("a2"),))], 1)
        assert [(kind.calls, kind.sessions) for kind in index.findings.failures(ALL)] == [(2, 2)]
        assert [(fix.sessions, fix.by_chance) for fix in index.findings.fixes(ALL)] == [(1, 0.0)]
        assert list(index.findings.goals(ALL)) == []

    def test_what_names_an_unknown_event_is_left_out(self, index: Index) -> None:
        session = store_calls(index, "a")
        found = SessionFindings(
            session=session,
            failures=(a_failure("gone"), structs.replace(a_failure("a0"), ended_by="gone", attempts=("a0", "gone"))),
            attempts=(an_attempt("a0", "gone"), an_attempt("gone", "a1"), an_attempt("a0", "a1")),
            goals=(a_goal("gone"), structs.replace(a_goal("a1"), calls=("a2", "gone", "a3"), said_next="gone")),
        )
        index.findings.store_findings([found], 1)
        assert [(kind.calls, kind.overcome) for kind in index.findings.failures(ALL)] == [(1, 0)]
        assert [(fix.calls, len(index.findings.evidence(fix.id))) for fix in index.findings.fixes(ALL)] == [(1, 1)]
        assert [(goal.request, goal.calls, goal.said_next) for goal in index.findings.goals(ALL)] == [
            ("a1", ("a2", "a3"), None)
        ]

    def test_the_same_id_of_another_agent_is_another_event(self, index: Index) -> None:
        store_calls(index, "a", 1)
        theirs = store_calls(index, "b", 1, agent="codex")
        index.findings.store_findings([SessionFindings(session=theirs, failures=(a_failure("a0"), a_failure("b0")))], 1)
        assert [kind.calls for kind in index.findings.failures(ALL)] == [1]

    def test_calls_and_turns_come_with_the_context_they_belong_to(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1")
        log.context = "ctx\udc80"
        log.call("c1", 1)
        log.context = None
        log.typed("m2", 2)
        index.events.store([log.batch()])
        (history,) = index.findings.take_unmined(1)
        assert [turn.context for turn in history.turns] == ["ctx", ""]
        assert [step.context for step in history.steps] == ["ctx\udc80"]
        assert [history] == list(index.events.histories(ALL))

    def test_of_a_turn_only_the_users_own_words_are_its_text(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1", 0)
        kept = log.events.pop().event
        texts = ("> use figs\n\nno, use pears", "ada: use figs", "use pears")
        for number, text in enumerate(texts):
            log.add(structs.replace(kept, id=f"m{number}", text=text, at=log.at(number)))
        index.events.store([log.batch()])
        (history,) = index.events.histories(Selection())
        assert [(turn.text, turn.whole) for turn in history.turns] == [
            ("no, use pears", texts[0]),
            (None, texts[1]),
            ("use pears", None),
        ]

    def test_counts_are_the_same_whether_or_not_sessions_were_mined(self, index: Index) -> None:
        store_three_sessions(index)
        narrow = [ALL, Selection(under=Path("/p")), Selection(agent="codex"), Selection(since=NOON)]
        before = [index.events.counts(selection) for selection in narrow]
        first = next(index.findings.take_unmined(1))
        index.findings.store_findings([mine(first)], 1)
        assert [index.events.counts(selection) for selection in narrow] == before
        mine_all(index)
        assert [index.events.counts(selection) for selection in narrow] == before

    def test_an_end_in_another_session_is_counted_whichever_was_mined_first(self, index: Index) -> None:
        early, late = Log("/p/a.jsonl", "s1"), Log("/q/b.jsonl", "s2")
        late.end("c1", Status.FAILED, 3)
        late.interrupt("i1", "c2", 4)
        early.call("c1", 1)
        early.call("c2", 2)
        early.reject("c2", 3)
        index.events.store([late.batch()])
        mine_all(index)
        index.events.store([early.batch()])
        for name in ("m1", "m2", "m3"):
            counts = index.events.counts(ALL)
            assert [(use.calls, use.failed, use.rejected) for use in counts.tools] == [(2, 1, 1)]
            assert counts.interrupts_by_rejection == 1
            assert [use.failed for use in index.events.counts(Selection(under=Path("/p"))).tools] == [0]
            assert index.events.counts(Selection(under=Path("/q"))).interrupts_by_rejection == 1
            mine_all(index)
            assert index.events.counts(ALL) == counts
            late.typed(name, 9)
            index.events.store([late.batch()])


def _calls(history: History) -> list[str]:
    return [step.call for step in history.steps]
