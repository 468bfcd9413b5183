"""The contract of every index for events, as a test suite for any backend.

A backend's test inherits from `EventsContract` and provides two fixtures: `index`, open and empty, and `reopen`, which
closes it and opens it again.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from msgspec.structs import replace

from wisen.model.event import Provenance, Status
from wisen.model.report import Selection
from wisen.model.source import ReadProblem, ReadProblemKind, SourceMark
from wisen.testing.fake_miner import mine_all
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON, Log, every_kind_log

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.report import Counts
    from wisen.store.index import Index


class EventsContract:
    """The contract of every index for events."""

    def test_a_new_index_is_empty(self, index: Index) -> None:
        counts = index.events.counts(Selection())
        assert (counts.sources, counts.sessions, counts.tools, counts.first, counts.last) == (0, 0, (), None, None)
        assert list(index.events.histories(Selection())) == []
        assert index.events.read_problems(Selection()) == ()
        assert dict(index.events.marks("claude-code")) == {}
        assert index.events.store([]) == 0
        index.check()

    def test_every_kind_of_event_is_counted_once(self, index: Index, reopen: Callable[[], Index]) -> None:
        assert index.events.store([every_kind_log().batch()]) == 15
        counts = reopen().events.counts(Selection())
        assert (counts.sources, counts.sessions, counts.contexts) == (1, 1, 1)
        assert (counts.typed_turns, counts.rejections, counts.rejections_with_reason) == (2, 1, 1)
        assert (counts.interrupts, counts.interrupts_by_rejection) == (2, 1)
        bash, edit = counts.tools
        assert (bash.tool, bash.calls, bash.ok, bash.failed, bash.masked, bash.open) == ("Bash", 4, 1, 1, 1, 1)
        assert (edit.tool, edit.calls, edit.rejected, edit.cancelled, edit.open) == ("Edit", 2, 1, 1, 0)
        assert (bash.sessions, edit.sessions) == (1, 1)
        assert dict(counts.withheld) == {"aws-key": 1}
        assert (counts.first, counts.last) == (NOON, NOON + timedelta(minutes=14))
        assert counts.first is not None
        assert counts.first.utcoffset() == timedelta(0)

    def test_reading_again_changes_nothing(self, index: Index, reopen: Callable[[], Index]) -> None:
        index.events.store([every_kind_log().batch()])
        before = index.events.counts(Selection()), list(index.events.histories(Selection()))
        again = reopen()
        assert again.events.store([every_kind_log().batch(), every_kind_log().batch()]) == 0
        assert (again.events.counts(Selection()), list(again.events.histories(Selection()))) == before

    def test_the_first_holder_owns_an_event(self, index: Index) -> None:
        first, fork = Log("/logs/a.jsonl", "s1"), Log("/logs/b.jsonl", "s2", context="other")
        first.typed("m1")
        fork.typed("m1")
        fork.typed("m2", 1)
        assert index.events.store([first.batch()]) == 1
        assert index.events.store([fork.batch()]) == 1
        assert _totals(index.events.counts(Selection())) == (2, 2, 2, 2)
        assert _totals(index.events.counts(Selection(under=Path("/logs/b.jsonl")))) == (1, 1, 1, 1)

    def test_the_same_id_of_two_agents_is_two_events(self, index: Index) -> None:
        logs = [Log("/a.jsonl", agent="claude-code"), Log("/b.jsonl", agent="codex")]
        for log in logs:
            log.call("c1")
        logs[1].end("c1", Status.FAILED)
        assert index.events.store([log.batch() for log in logs]) == 3
        assert [(use.calls, use.failed, use.sessions) for use in index.events.counts(Selection()).tools] == [(2, 1, 2)]

    def test_a_selection_is_a_folder_and_never_a_beginning_of_a_name(self, index: Index) -> None:
        for number, path in enumerate(("/a/b/one.jsonl", "/a/b/c/two.jsonl", "/a/bc/three.jsonl", "/a/b.jsonl")):
            log = Log(path, f"s{number}")
            log.typed(f"m{number}")
            index.events.store([log.batch(ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=number))])
        expected = {"/": 4, "/a": 4, "/a/b": 2, "/a/b/c": 1, "/a/bc": 1, "/a/b.jsonl": 1, "/a/": 4, "/b": 0, "/a/%": 0}
        for under, many in expected.items():
            selection = Selection(under=Path(under))
            assert _totals(index.events.counts(selection)) == (many, many, min(many, 1), many), under
            assert len(index.events.read_problems(selection)) == many

    def test_a_selection_can_be_one_agent(self, index: Index) -> None:
        ours, theirs = Log("/logs/a.jsonl"), Log("/logs/b.jsonl", native="t", agent="codex")
        ours.typed("m1")
        theirs.typed("m2")
        theirs.typed("m3")
        bad = ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=0)
        index.events.store([ours.batch(bad), theirs.batch(bad)])
        found = index.events.counts(Selection(agent="codex"))
        assert (found.sources, found.sessions, found.typed_turns) == (1, 1, 2)
        assert [problem.path for problem in index.events.read_problems(Selection(agent="codex"))] == ["/logs/b.jsonl"]
        assert index.events.counts(Selection(agent="hermes")).sources == 0

    def test_a_selection_can_be_places_and_what_lies_below_them(self, index: Index) -> None:
        for number, place in enumerate(("/a/b", "/a/b/c", "/a/bc", "/a", "/", "")):
            log = Log(f"/logs/{number}.jsonl", f"s{number}")
            log.place = place
            log.typed(f"m{number}")
            index.events.store([log.batch(ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=number))])
        expected = {"/a": 4, "/a/b": 2, "/a/b/": 2, "/a/b/c": 1, "/a/bc": 1, "/b": 0, "/a/%": 0, "/A": 0, "a": 0}
        for place, many in expected.items():
            selection = Selection(places=(place,))
            assert _totals(index.events.counts(selection)) == (many, many, min(many, 1), many), place
            assert len(list(index.events.histories(selection))) == len(index.events.read_problems(selection)) == many
        assert index.events.counts(Selection(places=("/a/b", "/a/bc", "/a/b/c"))).sessions == 3
        assert index.events.counts(Selection(places=tuple(f"/{number}" for number in range(3000)))).sessions == 0
        assert index.events.counts(Selection(places=())).sessions == 6

    def test_a_session_that_worked_in_several_places_comes_whole_for_each(self, index: Index) -> None:
        log = Log("/logs/a.jsonl")
        log.place = "/a"
        log.typed("m1", 0)
        log.place = "/b"
        log.typed("m2", 1)
        index.events.store([log.batch()])
        for places in (("/a",), ("/b",), ("/a", "/b")):
            assert index.events.counts(Selection(places=places)).typed_turns == 2
            assert [len(each.turns) for each in index.events.histories(Selection(places=places))] == [2]
        assert index.events.counts(Selection(places=("/a",), since=log.at(1))).typed_turns == 1

    def test_places_narrow_what_the_rest_of_a_selection_leaves(self, index: Index) -> None:
        logs = [Log("/logs/1.jsonl", "one"), Log("/logs/1.jsonl", "two"), Log("/logs/2.jsonl", "three")]
        logs.append(Log("/logs/2.jsonl", "four", agent="codex"))
        for minute, (log, place) in enumerate(zip(logs, ("/a", "/b", "/a", "/a"), strict=True)):
            log.place = place
            log.typed(f"m{minute}", minute)
            index.events.store([log.batch()])
        for more, sources, sessions in (
            (Selection(), 3, 3),
            (Selection(under=Path("/logs/1.jsonl")), 1, 1),
            (Selection(agent="codex"), 1, 1),
            (Selection(agent="claude-code", under=Path("/logs/2.jsonl")), 1, 1),
            (Selection(since=NOON + timedelta(minutes=2)), 3, 2),
            (Selection(since=NOON + timedelta(minutes=1), agent="claude-code"), 2, 1),
        ):
            found = index.events.counts(replace(more, places=("/a",)))
            assert (found.sources, found.sessions, found.typed_turns) == (sources, sessions, sessions), more
            assert len(list(index.events.histories(replace(more, places=("/a",))))) == sessions
        assert index.events.counts(Selection(places=("/b",), under=Path("/logs/2.jsonl"))).sessions == 0

    def test_a_session_in_two_sources_is_one_and_found_under_both(self, index: Index) -> None:
        main, side = Log("/p/main.jsonl"), Log("/q/side.jsonl")
        main.typed("m1")
        side.typed("m2")
        index.events.store([main.batch(), side.batch()])
        assert _totals(index.events.counts(Selection(under=Path("/q")))) == (1, 1, 1, 2)
        assert _totals(index.events.counts(Selection())) == (2, 1, 1, 2)

    def test_since_leaves_out_older_events_and_sessions_without_newer_ones(self, index: Index) -> None:
        old, new = Log("/old.jsonl", "s1", context="old"), Log("/new.jsonl", "s2", context="new")
        old.typed("m1", 0)
        old.call("c1", 1)
        old.end("c1", Status.FAILED, 1)
        new.typed("m2", 5)
        new.call("c2", 10)
        new.end("c2", Status.FAILED, 11)
        index.events.store([old.batch(), new.batch()])
        counts = index.events.counts(Selection(since=NOON + timedelta(minutes=10)))
        assert (counts.sessions, counts.contexts, counts.typed_turns) == (1, 1, 0)
        assert [(use.calls, use.failed) for use in counts.tools] == [(1, 1)]
        assert (counts.first, counts.last) == (NOON + timedelta(minutes=10), NOON + timedelta(minutes=11))
        both = Selection(since=NOON + timedelta(minutes=5), under=Path("/old.jsonl"))
        assert index.events.counts(both).sessions == 0

    def test_an_id_that_was_named_is_known_with_where_and_when_last(
        self, index: Index, reopen: Callable[[], Index]
    ) -> None:
        log, other, silent = (
            Log("/a.jsonl"),
            Log("/b.jsonl", "s2", agent="codex", context="other"),
            Log("/c.jsonl", "s3"),
        )
        for each in (log, other, silent):
            each.typed(f"m of {each.session.native}", 1)
        index.events.store([each.batch() for each in (log, other, silent)])
        before = index.events.counts(Selection())
        assert index.events.citations() == ()
        log.cite("R-0a1b2c3d", 2)
        log.cite("R-0a1b2c3d", 5)
        log.cite("LRN-20260301-AB1", 3)
        other.cite("R-0a1b2c3d", 4)
        index.events.store([each.batch() for each in (log, other, silent)])
        mine_all(index)
        again = reopen()
        assert [
            (each.name, each.agent, each.native, each.contexts - {""}, each.last) for each in again.events.citations()
        ] == [
            ("LRN-20260301-AB1", "claude-code", "s1", frozenset({"ctx"}), log.at(3)),
            ("R-0a1b2c3d", "claude-code", "s1", frozenset({"ctx"}), log.at(5)),
            ("R-0a1b2c3d", "codex", "s2", frozenset({"other"}), log.at(4)),
        ]
        assert again.events.counts(Selection()) == before, "it is counted nowhere"
        assert not any(turn.conceded for each in again.events.histories(Selection()) for turn in each.turns)

    def test_a_concession_is_kept_once_and_counted_nowhere(self, index: Index, reopen: Callable[[], Index]) -> None:
        log, alone = Log("/a.jsonl"), Log("/b.jsonl", "s2", context="other")
        log.typed("m1", 1)
        log.call("c1", 2)
        index.events.store([log.batch(), alone.batch()])
        before = index.events.counts(Selection())
        log.place, log.context = "/elsewhere", "elsewhere"
        for writer in (log, alone):
            writer.concede(f"a of {writer.session.native}", 0)
            writer.concede(f"b of {writer.session.native}", 9)
        log.add(structs.replace(log.events[-1].event, id="c"), withheld="aws-key")
        assert index.events.store([log.batch(), alone.batch()]) == 5
        again = reopen()
        assert again.events.store([log.batch(), alone.batch()]) == 0
        assert again.events.counts(Selection()) == before
        mine_all(again)
        assert again.events.counts(Selection()) == before
        assert _totals(again.events.counts(Selection(since=log.at(5)))) == (2, 0, 0, 0)
        assert _totals(again.events.counts(Selection(places=("/elsewhere",)))) == (0, 0, 0, 0)
        assert [[turn.conceded for turn in each.turns] for each in again.events.histories(Selection())] == [[True]]
        log.place, log.context = "/src/tool", "ctx"
        log.typed("m2", 10)
        again.events.store([log.batch()])
        assert _totals(again.events.counts(Selection(places=("/src/tool",)))) == (1, 1, 1, 2)

    def test_a_session_in_which_the_assistant_conceded_later_is_mined_again(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1", 1)
        index.events.store([log.batch()])
        assert (mine_all(index), mine_all(index)) == (1, 0)
        log.concede("a1", 2)
        index.events.store([log.batch()])
        assert [[turn.conceded for turn in each.turns] for each in index.findings.take_unmined(1)] == [[True]]

    def test_an_outcome_finds_its_call_whichever_was_read_first(self, index: Index) -> None:
        late, early = Log("/b.jsonl"), Log("/a.jsonl")
        late.end("c1", Status.FAILED, 1, "no such file")
        early.call("c1")
        index.events.store([late.batch()])
        index.events.store([early.batch()])
        assert [(use.calls, use.failed) for use in index.events.counts(Selection()).tools] == [(1, 1)]
        assert [step.text for history in index.events.histories(Selection()) for step in history.steps] == [
            "no such file"
        ]

    def test_tools_come_by_calls_and_then_by_name(self, index: Index) -> None:
        log = Log("/a.jsonl")
        for name, tool in (("1", "b"), ("2", "a"), ("3", "c"), ("4", "c")):
            log.call(name, tool=tool)
        index.events.store([log.batch()])
        assert [use.tool for use in index.events.counts(Selection()).tools] == ["c", "a", "b"]

    def test_only_what_the_user_typed_is_a_typed_turn(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1")
        injected = structs.replace(log.events[0].event, id="m2", provenance=Provenance.OTHER)
        log.add(injected)
        index.events.store([log.batch()])
        assert index.events.counts(Selection()).typed_turns == 1

    def test_an_event_without_a_context_counts_for_none(self, index: Index) -> None:
        log = Log("/a.jsonl", context=None)
        log.typed("m1")
        log.typed("m2")
        index.events.store([log.batch()])
        assert (index.events.counts(Selection()).contexts, index.events.counts(Selection()).typed_turns) == (0, 2)

    def test_a_mark_is_the_last_one_of_its_source(self, index: Index, reopen: Callable[[], Index]) -> None:
        log, other = Log("/a.jsonl"), Log("/a.jsonl", agent="codex")
        index.events.store([log.batch(cursor="1"), log.batch(cursor="2")])
        index.events.store([log.batch(cursor="3"), other.batch(cursor="9")])
        again = reopen()
        assert dict(again.events.marks("claude-code")) == {"/a.jsonl": SourceMark(size=100, modified_ns=7, cursor="3")}
        assert again.events.marks("codex")["/a.jsonl"].cursor == "9"
        assert again.events.counts(Selection()).sources == 2

    def test_problems_are_counted_and_reported_with_their_first_place(self, index: Index) -> None:
        log = Log("/a.jsonl")
        index.events.store(
            [log.batch(*(ReadProblem(kind=ReadProblemKind.UNKNOWN, detail="x", offset=at) for at in (50, 9, 70)))]
        )
        index.events.store([log.batch(ReadProblem(kind=ReadProblemKind.UNKNOWN, detail="y", offset=80))])
        index.events.store([log.batch(ReadProblem(kind=ReadProblemKind.UNKNOWN, detail="x", offset=90))])
        found = [
            (each.path, each.detail, each.count, each.first_offset) for each in index.events.read_problems(Selection())
        ]
        assert found == [("/a.jsonl", "x", 4, 9), ("/a.jsonl", "y", 1, 80)]

    def test_a_source_read_afresh_forgets_its_earlier_problems_and_no_others(self, index: Index) -> None:
        log, other = Log("/a.jsonl"), Log("/b.jsonl")
        garbled = ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=5)
        index.events.store([log.batch(garbled), other.batch(garbled)])
        index.events.store([log.batch(replace(garbled, offset=8), from_start=True)])
        assert [(each.path, each.first_offset, each.count) for each in index.events.read_problems(Selection())] == [
            ("/a.jsonl", 8, 1),
            ("/b.jsonl", 5, 1),
        ]

    def test_an_unfinished_end_is_only_ever_the_last_one(self, index: Index) -> None:
        log = Log("/a.jsonl")
        unfinished = ReadProblem(kind=ReadProblemKind.UNFINISHED, detail="", offset=5)
        index.events.store([log.batch(unfinished), log.batch(replace(unfinished, offset=8))])
        assert [(each.count, each.first_offset) for each in index.events.read_problems(Selection())] == [(1, 8)]
        index.events.store([log.batch()])
        assert index.events.read_problems(Selection()) == ()

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_comes_back_as_it_was(self, index: Index, reopen: Callable[[], Index], text: str) -> None:
        # No file name holds a zero byte, and no folder name is empty.
        name = text.replace("\x00", "").replace("/", "") or "x"
        log = Log(f"/{name}/a.jsonl", native=text, agent=text, context=text or None)
        log.place = text
        log.call(f"c{text}", tool=f"tool {text}")
        log.end(f"c{text}", Status.FAILED, 1, text)
        assert (
            index.events.store(
                [log.batch(ReadProblem(kind=ReadProblemKind.UNKNOWN, detail=text, offset=1), cursor=text)]
            )
            == 2
        )
        again = reopen()
        assert again.events.store([log.batch(cursor=text)]) == 0
        assert dict(again.events.marks(text)) == {f"/{name}/a.jsonl": SourceMark(size=100, modified_ns=7, cursor=text)}
        assert [each.detail for each in again.events.read_problems(Selection(under=Path(f"/{name}")))] == [text]
        (history,) = again.events.histories(Selection())
        assert [(each.call, each.tool, each.text) for each in history.steps] == [(f"c{text}", f"tool {text}", text)]
        assert again.events.counts(Selection(under=Path(f"/{name}"))).sessions == 1
        assert again.events.counts(Selection(places=(text,))).sessions == 1


def _totals(counts: Counts) -> tuple[int, int, int, int]:
    return counts.sources, counts.sessions, counts.contexts, counts.typed_turns
