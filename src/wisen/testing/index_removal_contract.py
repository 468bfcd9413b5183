"""The contract of every index for forgetting, as a test suite."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.archive import EVENT_BYTES
from wisen.model.event import Status
from wisen.model.memory import Memory, MemoryFields, MemoryKind
from wisen.model.report import Selection
from wisen.model.tombstone import ALL_CONTEXTS, FORGOTTEN, IndexedText
from wisen.store.folds import Fold
from wisen.testing.fake_miner import mine_all
from wisen.testing.log_writer import NOON, Log
from wisen.testing.sample_findings import store_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.index import Index

_WORDS = MemoryFields("", "", "", "")


def store_two_logs(index: Index) -> tuple[Log, Log]:
    """Store a session of one context, and one that continues in another."""
    one, two = Log("/a.jsonl", "s1"), Log("/b.jsonl", "s2")
    for log in (one, two):
        native = log.session.native
        log.typed(f"t-{native}")
        log.call(f"c-{native}", 1, arguments='{"command":"make"}')
        log.end(f"c-{native}", Status.FAILED, 2, f"failed in {native}")
    two.context = "elsewhere"
    two.typed("t-elsewhere", 3)
    index.events.store([one.batch(), two.batch()])
    return one, two


def indexed_texts(index: Index) -> set[str]:
    """Return every stored text."""
    return {trace.text for trace in index.removal.indexed_texts()}


class IndexRemovalContract:
    """Fixtures: `index`, and `reopen`, which opens the same index again."""

    def test_every_text_is_returned_with_its_event(self, index: Index) -> None:
        store_two_logs(index)
        found = {*index.removal.indexed_texts()}
        assert IndexedText("claude-code", "s1", "t-s1", "ctx", "text of t-s1") in found
        assert IndexedText("claude-code", "s2", "c-s2/end", "ctx", "failed in s2") in found
        assert IndexedText("claude-code", "s2", "t-elsewhere", "elsewhere", "text of t-elsewhere") in found

    def test_what_happened_in_one_context_can_count_for_another(
        self, index: Index, reopen: Callable[[], Index]
    ) -> None:
        store_two_logs(index)
        mine_all(index)
        index.removal.move_context("ctx", "main")
        index.removal.move_context("never seen", "main")
        assert {trace.context for trace in index.removal.indexed_texts()} == {"main", "elsewhere"}
        index = reopen()
        mine_all(index)
        assert {trace.context for trace in index.removal.indexed_texts()} == {"main", "elsewhere"}
        assert {turn.context for each in index.events.histories(Selection()) for turn in each.turns} == {
            "main",
            "elsewhere",
        }

    def test_what_is_redacted_has_no_text_and_what_came_back_from_it_neither(
        self, index: Index, reopen: Callable[[], Index]
    ) -> None:
        one, _ = store_two_logs(index)
        mine_all(index)
        turns = index.events.counts(Selection()).typed_turns
        assert index.removal.redact([("claude-code", "c-s1"), ("claude-code", "t-s2"), ("codex", "t-s1")]) == 3
        again = reopen()
        assert indexed_texts(again) & {'{"command":"make"}', "text of t-s2"} == {'{"command":"make"}'}
        assert "failed in s1" not in indexed_texts(again)
        assert {"text of t-s1", "failed in s2"} <= indexed_texts(again)
        counts = again.events.counts(Selection())
        assert counts.typed_turns == turns
        assert counts.withheld == {FORGOTTEN: 3}
        assert again.events.store([one.batch()]) == 0
        assert "failed in s1" not in indexed_texts(again)

    def test_sessions_that_hold_something_redacted_are_mined_again_and_no_others(self, index: Index) -> None:
        store_two_logs(index)
        mine_all(index)
        index.memories.replace({"session:1": [(a_memory("1"), _WORDS)], "session:2": [(a_memory("2"), _WORDS)]})
        index.removal.redact([("claude-code", "t-s1")])
        assert [history.native for history in index.findings.take_unmined(1)] == ["s1"]
        assert [memory.id for memory in index.memories.every()] == ["2"]

    def test_what_was_found_in_a_session_goes_with_what_was_redacted_in_it(self, index: Index) -> None:
        store_calls(index, "a")
        mine_all(index)
        assert index.findings.failures(Selection())
        index.removal.redact({(trace.agent, trace.event) for trace in index.removal.indexed_texts()})
        assert index.findings.failures(Selection()) == ()
        assert index.findings.fixes(Selection()) == ()
        assert indexed_texts(index) == set()

    def test_a_fold_that_quotes_somebody_goes_with_what_was_redacted(self, index: Index) -> None:
        store_two_logs(index)
        index.folds.save("quotes", "1", Fold(1, "text of t-s1"), holds_text=True)
        index.removal.redact({("claude-code", "t-s1")})
        assert index.folds.load("quotes", "1") is None

    def test_a_fold_of_another_context_stays(self, index: Index) -> None:
        store_two_logs(index)
        for context in ("ctx", "elsewhere"):
            index.folds.save(f"quotes {context}", "1", Fold(1, f"of {context}"), holds_text=True, context=context)
        index.removal.redact({("claude-code", "t-s1")})
        assert index.folds.load("quotes ctx", "1") is None
        assert index.folds.load("quotes elsewhere", "1") is not None
        index.removal.remove_scope("elsewhere", NOON + timedelta(days=1))
        assert index.folds.load("quotes elsewhere", "1") is None

    def test_a_fold_of_a_context_goes_where_a_session_leaves_the_context(self, index: Index) -> None:
        """What is forgotten later is looked for where its sessions are then."""
        store_two_logs(index)

        def kept_after(leave: Callable[[], None]) -> set[str]:
            for context in ("ctx", "elsewhere", "far"):
                index.folds.save(f"quotes {context}", "1", Fold(1, f"of {context}"), holds_text=True, context=context)
            index.folds.save("quotes", "1", Fold(1, "of all"), holds_text=True)
            leave()
            names = ("quotes", "quotes ctx", "quotes elsewhere", "quotes far")
            return {name for name in names if index.folds.load(name, "1") is not None}

        assert kept_after(lambda: index.removal.remove_sessions({("claude-code", "s1", 0)})) == {
            "quotes",
            "quotes elsewhere",
            "quotes far",
        }
        assert kept_after(lambda: index.removal.move_context("elsewhere", "near")) == {
            "quotes",
            "quotes ctx",
            "quotes far",
        }

    def test_sessions_of_a_scope_are_dropped_whole_and_others_lose_what_happened_there(self, index: Index) -> None:
        store_two_logs(index)
        mine_all(index)
        index.removal.remove_scope("ctx", NOON + timedelta(days=1))
        assert indexed_texts(index) == {"text of t-elsewhere"}
        assert [history.native for history in index.events.histories(Selection())] == ["s2"]
        index.removal.remove_scope(ALL_CONTEXTS, NOON + timedelta(days=1))
        assert indexed_texts(index) == set()
        assert index.events.counts(Selection()).sessions == 0
        store_two_logs(index)
        assert len(indexed_texts(index)) == 6

    def test_what_is_unredacted_is_read_again(self, index: Index) -> None:
        one, two = store_two_logs(index)
        index.removal.redact([("claude-code", "t-s1")])
        index.removal.unredact([("claude-code", "t-s1")])
        marks = index.events.marks("claude-code")
        assert marks["/a.jsonl"].size == -1
        assert marks["/b.jsonl"].size == 100
        assert index.events.store([one.batch(), two.batch()]) == 1
        assert "text of t-s1" in indexed_texts(index)
        index.removal.unredact([])
        assert {mark.size for mark in index.events.marks("claude-code").values()} == {-1}

    def test_sessions_are_listed_with_their_size_and_removed_whole(
        self, index: Index, reopen: Callable[[], Index]
    ) -> None:
        one, two = store_two_logs(index)
        index = reopen()
        stored = {each.native: each for each in index.removal.archived_sessions()}
        assert [stored["s2"].context, stored["s1"].context] == ["ctx", "ctx"], "most of it happened there"
        assert (stored["s1"].events, stored["s2"].events) == (3, 4)
        assert stored["s2"].last == NOON + timedelta(minutes=3)
        texts_of_one = "text of t-s1", '{"command":"make"}', "failed in s1"
        assert stored["s1"].size == sum(map(len, texts_of_one)) + 3 * EVENT_BYTES
        assert stored["s1"].waits
        mine_all(index)
        assert not any(each.waits for each in index.removal.archived_sessions())
        index.removal.remove_sessions({stored["s1"].key, ("codex", "s2", 0)})
        again = reopen()
        assert [each.native for each in again.removal.archived_sessions()] == ["s2"]
        assert not {text for text in indexed_texts(again) if "s1" in text}
        assert again.events.marks("claude-code").keys() == {"/a.jsonl", "/b.jsonl"}
        assert [each.native for each in again.events.histories(Selection())] == ["s2"]
        assert again.events.store([one.batch(), two.batch()]) == 3
        assert {each.native: each.waits for each in again.removal.archived_sessions()} == {"s1": True, "s2": False}

    def test_scrubbing_leaves_what_is_held(self, index: Index, reopen: Callable[[], Index]) -> None:
        store_two_logs(index)
        index.memories.replace({"x": [(a_memory("1"), MemoryFields("apple", "", "", "pear"))]})
        before = indexed_texts(index)
        index.removal.redact([("claude-code", "t-s1")])
        index.removal.scrub()
        again = reopen()
        again.check()
        assert indexed_texts(again) == before - {"text of t-s1"}
        assert [memory.id for memory in again.memories.every()] == ["1"]


def a_memory(id_: str) -> Memory:
    """Return a sample memory."""
    return Memory(id=id_, kind=MemoryKind.NOTE, text="apple", origin="x", context="ctx", beside="pear")
