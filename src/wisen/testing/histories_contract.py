"""The contract of every index for session histories, as a test suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.event import MessageOrigin, Provenance, Status
from wisen.model.history import UserAction
from wisen.model.report import Selection
from wisen.testing.log_writer import NOON, Log

if TYPE_CHECKING:
    from wisen.store.index import Index


class HistoriesContract:
    """Calls with their outcomes and the user's turns, in chronological order. Fixture: `index`."""

    def test_histories_hold_each_sessions_calls_in_order_with_their_ends(self, index: Index) -> None:
        one, two = Log("/logs/a.jsonl"), Log("/logs/b.jsonl", native="t")
        one.call("c1", 1)
        one.end("c1", Status.FAILED, 2, "no")
        one.call("c2", 3, tool="Edit")
        one.reject("c2", 4)
        two.call("c3", 1)
        two.end("c3", Status.OK, 2)
        index.events.store([one.batch(), two.batch()])
        first, second = index.events.histories(Selection())
        assert [(step.call, step.tool, step.status, step.text, step.ended) for step in first.steps] == [
            ("c1", "Bash", Status.FAILED, "no", one.at(2)),
            ("c2", "Edit", None, None, None),
        ]
        assert [(step.call, step.status, step.arguments) for step in second.steps] == [("c3", Status.OK, '{"a":1}')]
        assert [h.steps[0].call for h in index.events.histories(Selection(under=Path("/logs/b.jsonl")))] == ["c3"]

    def test_a_history_has_the_users_turns_where_they_stood_among_the_calls(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1", 0)
        log.call("c1", 1)
        log.end("c1", Status.OK, 2)
        log.call("c2", 3)
        log.reject("c2", 4)
        log.typed("m2", 4, MessageOrigin.REJECTION)
        log.call("c3", 4)
        log.interrupt("i1", "c3", 5)
        log.typed("m3", 0.5, MessageOrigin.QUEUED)
        log.add(structs.replace(log.events[0].event, id="m4", provenance=Provenance.OTHER))
        log.add(structs.replace(log.events[0].event, id="m5", text=None, at=log.at(6)), withheld="aws-key")
        index.events.store([log.batch()])
        (history,) = index.events.histories(Selection())
        assert {turn.context for turn in history.turns} == {"ctx"}
        assert [(turn.id, turn.action, turn.text, turn.before) for turn in history.turns] == [
            ("m1", UserAction.SAID, "text of m1", 0),
            ("m3", UserAction.SAID, "text of m3", 0),
            ("c2/no", UserAction.REJECTED, None, 2),
            ("m2", UserAction.SAID, "text of m2", 2),
            ("i1", UserAction.INTERRUPTED, None, 3),
            ("m5", UserAction.SAID, None, 3),
        ]
        assert [turn.call for turn in history.turns] == ["", "", "c2", "", "c3", ""]
        assert [turn.at for turn in history.turns[:2]] == [NOON, log.at(0.5)]
        assert list(index.findings.take_unmined(1)) == [history]

    def test_a_turn_tells_how_it_came_and_whether_the_assistant_then_conceded(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.concede("a0", 0)
        log.typed("m1", 1)
        log.typed("m2", 2)
        log.call("c1", 3)
        log.reject("c1", 4)
        log.interrupt("i1", None, 5)
        log.concede("a1", 6)
        log.concede("a2", 6)
        log.typed("m3", 6, MessageOrigin.QUEUED)
        log.add(structs.replace(log.events[1].event, id="m4", at=log.at(7), provenance=Provenance.OTHER))
        log.concede("a3", 8)
        log.typed("m5", 9, MessageOrigin.REJECTION)
        index.events.store([log.batch()])
        (history,) = index.events.histories(Selection())
        assert [(turn.id, turn.origin, turn.conceded) for turn in history.turns] == [
            ("m1", "prompt", False),
            ("m2", "prompt", True),
            ("c1/no", "", False),
            ("i1", "", False),
            ("m3", "queued", True),
            ("m5", "rejection", False),
        ]
        assert list(index.findings.take_unmined(1)) == [history]
        (later,) = index.events.histories(Selection(since=log.at(4)))
        assert [turn.conceded for turn in later.turns] == [False, False, True, False]

    def test_a_history_can_begin_at_a_moment(self, index: Index) -> None:
        log, old = Log("/a.jsonl"), Log("/b.jsonl", "s2")
        for minute in range(4):
            log.typed(f"m{minute}", minute)
            log.call(f"c{minute}", minute)
        old.typed("m9")
        index.events.store([log.batch(), old.batch()])
        (history,) = index.events.histories(Selection(since=log.at(2)))
        assert [step.call for step in history.steps] == ["c2", "c3"]
        assert [(turn.id, turn.before) for turn in history.turns] == [("m2", 0), ("m3", 1)]
