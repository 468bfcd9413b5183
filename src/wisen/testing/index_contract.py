"""What every index promises, as a suite that any backend can run.

A backend's test inherits from `IndexContract` and provides two fixtures: `index`, open and empty, and `reopen`, which
closes it and gives it opened anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.event import Call, Origin, Provenance, Status
from wisen.model.history import Act
from wisen.model.report import Selection
from wisen.model.source import Mark, Trouble, TroubleKind
from wisen.testing.fake_miner import mine_all
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON, Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.report import Counts
    from wisen.store.index_port import Index


class IndexContract:
    """What every index promises."""

    def test_a_new_index_is_empty(self, index: Index) -> None:
        counts = index.counts(Selection())
        assert (counts.sources, counts.sessions, counts.tools, counts.first, counts.last) == (0, 0, (), None, None)
        assert list(index.histories(Selection())) == []
        assert index.troubles(Selection()) == ()
        assert dict(index.marks("claude-code")) == {}
        assert index.keep([]) == 0
        index.check()

    def test_every_kind_of_event_is_counted_once(self, index: Index, reopen: Callable[[], Index]) -> None:
        assert index.keep([_full_log().stretch()]) == 15
        counts = reopen().counts(Selection())
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
        index.keep([_full_log().stretch()])
        before = index.counts(Selection()), list(index.histories(Selection()))
        again = reopen()
        assert again.keep([_full_log().stretch(), _full_log().stretch()]) == 0
        assert (again.counts(Selection()), list(again.histories(Selection()))) == before

    def test_the_first_holder_owns_an_event(self, index: Index) -> None:
        first, fork = Log("/logs/a.jsonl", "s1"), Log("/logs/b.jsonl", "s2", context="other")
        first.typed("m1")
        fork.typed("m1")
        fork.typed("m2", 1)
        assert index.keep([first.stretch()]) == 1
        assert index.keep([fork.stretch()]) == 1
        assert _told(index.counts(Selection())) == (2, 2, 2, 2)
        assert _told(index.counts(Selection(under=Path("/logs/b.jsonl")))) == (1, 1, 1, 1)

    def test_the_same_id_of_two_agents_is_two_events(self, index: Index) -> None:
        logs = [Log("/a.jsonl", agent="claude-code"), Log("/b.jsonl", agent="codex")]
        for log in logs:
            log.call("c1")
        logs[1].end("c1", Status.FAILED)
        assert index.keep([log.stretch() for log in logs]) == 3
        assert [(use.calls, use.failed, use.sessions) for use in index.counts(Selection()).tools] == [(2, 1, 2)]

    def test_a_selection_is_a_folder_and_never_a_beginning_of_a_name(self, index: Index) -> None:
        for number, path in enumerate(("/a/b/one.jsonl", "/a/b/c/two.jsonl", "/a/bc/three.jsonl", "/a/b.jsonl")):
            log = Log(path, f"s{number}")
            log.typed(f"m{number}")
            index.keep([log.stretch(Trouble(kind=TroubleKind.GARBLED, detail="", offset=number))])
        expected = {"/": 4, "/a": 4, "/a/b": 2, "/a/b/c": 1, "/a/bc": 1, "/a/b.jsonl": 1, "/a/": 4, "/b": 0, "/a/%": 0}
        for under, many in expected.items():
            selection = Selection(under=Path(under))
            assert _told(index.counts(selection)) == (many, many, min(many, 1), many), under
            assert len(index.troubles(selection)) == many

    def test_a_selection_can_be_one_agent(self, index: Index) -> None:
        ours, theirs = Log("/logs/a.jsonl"), Log("/logs/b.jsonl", native="t", agent="codex")
        ours.typed("m1")
        theirs.typed("m2")
        theirs.typed("m3")
        bad = Trouble(kind=TroubleKind.GARBLED, detail="", offset=0)
        index.keep([ours.stretch(bad), theirs.stretch(bad)])
        found = index.counts(Selection(agent="codex"))
        assert (found.sources, found.sessions, found.typed_turns) == (1, 1, 2)
        assert [trouble.path for trouble in index.troubles(Selection(agent="codex"))] == ["/logs/b.jsonl"]
        assert index.counts(Selection(agent="hermes")).sources == 0

    def test_a_selection_can_be_places_and_what_lies_below_them(self, index: Index) -> None:
        for number, place in enumerate(("/a/b", "/a/b/c", "/a/bc", "/a", "/", "")):
            log = Log(f"/logs/{number}.jsonl", f"s{number}")
            log.place = place
            log.typed(f"m{number}")
            index.keep([log.stretch(Trouble(kind=TroubleKind.GARBLED, detail="", offset=number))])
        expected = {"/a": 4, "/a/b": 2, "/a/b/": 2, "/a/b/c": 1, "/a/bc": 1, "/b": 0, "/a/%": 0, "/A": 0, "a": 0}
        for place, many in expected.items():
            selection = Selection(places=(place,))
            assert _told(index.counts(selection)) == (many, many, min(many, 1), many), place
            assert len(list(index.histories(selection))) == len(index.troubles(selection)) == many
        assert index.counts(Selection(places=("/a/b", "/a/bc", "/a/b/c"))).sessions == 3
        assert index.counts(Selection(places=tuple(f"/{number}" for number in range(3000)))).sessions == 0
        assert index.counts(Selection(places=())).sessions == 6

    def test_a_session_that_worked_in_several_places_comes_whole_for_each(self, index: Index) -> None:
        log = Log("/logs/a.jsonl")
        log.place = "/a"
        log.typed("m1", 0)
        log.place = "/b"
        log.typed("m2", 1)
        index.keep([log.stretch()])
        for places in (("/a",), ("/b",), ("/a", "/b")):
            assert index.counts(Selection(places=places)).typed_turns == 2
            assert [len(each.turns) for each in index.histories(Selection(places=places))] == [2]
        assert index.counts(Selection(places=("/a",), since=log.at(1))).typed_turns == 1

    def test_places_narrow_what_the_rest_of_a_selection_leaves(self, index: Index) -> None:
        logs = [Log("/logs/1.jsonl", "one"), Log("/logs/1.jsonl", "two"), Log("/logs/2.jsonl", "three")]
        logs.append(Log("/logs/2.jsonl", "four", agent="codex"))
        for minute, (log, place) in enumerate(zip(logs, ("/a", "/b", "/a", "/a"), strict=True)):
            log.place = place
            log.typed(f"m{minute}", minute)
            index.keep([log.stretch()])
        for more, sources, sessions in (
            (Selection(), 3, 3),
            (Selection(under=Path("/logs/1.jsonl")), 1, 1),
            (Selection(agent="codex"), 1, 1),
            (Selection(agent="claude-code", under=Path("/logs/2.jsonl")), 1, 1),
            (Selection(since=NOON + timedelta(minutes=2)), 3, 2),
            (Selection(since=NOON + timedelta(minutes=1), agent="claude-code"), 2, 1),
        ):
            found = index.counts(replace(more, places=("/a",)))
            assert (found.sources, found.sessions, found.typed_turns) == (sources, sessions, sessions), more
            assert len(list(index.histories(replace(more, places=("/a",))))) == sessions
        assert index.counts(Selection(places=("/b",), under=Path("/logs/2.jsonl"))).sessions == 0

    def test_a_session_in_two_sources_is_one_and_found_under_both(self, index: Index) -> None:
        main, side = Log("/p/main.jsonl"), Log("/q/side.jsonl")
        main.typed("m1")
        side.typed("m2")
        index.keep([main.stretch(), side.stretch()])
        assert _told(index.counts(Selection(under=Path("/q")))) == (1, 1, 1, 2)
        assert _told(index.counts(Selection())) == (2, 1, 1, 2)

    def test_since_leaves_out_older_events_and_sessions_without_newer_ones(self, index: Index) -> None:
        old, new = Log("/old.jsonl", "s1", context="old"), Log("/new.jsonl", "s2", context="new")
        old.typed("m1", 0)
        old.call("c1", 1)
        old.end("c1", Status.FAILED, 1)
        new.typed("m2", 5)
        new.call("c2", 10)
        new.end("c2", Status.FAILED, 11)
        index.keep([old.stretch(), new.stretch()])
        counts = index.counts(Selection(since=NOON + timedelta(minutes=10)))
        assert (counts.sessions, counts.contexts, counts.typed_turns) == (1, 1, 0)
        assert [(use.calls, use.failed) for use in counts.tools] == [(1, 1)]
        assert (counts.first, counts.last) == (NOON + timedelta(minutes=10), NOON + timedelta(minutes=11))
        both = Selection(since=NOON + timedelta(minutes=5), under=Path("/old.jsonl"))
        assert index.counts(both).sessions == 0

    def test_histories_hold_each_sessions_calls_in_order_with_their_ends(self, index: Index) -> None:
        one, two = Log("/logs/a.jsonl"), Log("/logs/b.jsonl", native="t")
        one.call("c1", 1)
        one.end("c1", Status.FAILED, 2, "no")
        one.call("c2", 3, tool="Edit")
        one.reject("c2", 4)
        two.call("c3", 1)
        two.end("c3", Status.OK, 2)
        index.keep([one.stretch(), two.stretch()])
        first, second = index.histories(Selection())
        assert [(step.call, step.tool, step.status, step.text, step.ended) for step in first.steps] == [
            ("c1", "Bash", Status.FAILED, "no", one.at(2)),
            ("c2", "Edit", None, None, None),
        ]
        assert [(step.call, step.status, step.arguments) for step in second.steps] == [("c3", Status.OK, '{"a":1}')]
        assert [h.steps[0].call for h in index.histories(Selection(under=Path("/logs/b.jsonl")))] == ["c3"]

    def test_a_history_has_the_users_turns_where_they_stood_among_the_calls(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1", 0)
        log.call("c1", 1)
        log.end("c1", Status.OK, 2)
        log.call("c2", 3)
        log.reject("c2", 4)
        log.typed("m2", 4, Origin.REJECTION)
        log.call("c3", 4)
        log.interrupt("i1", "c3", 5)
        log.typed("m3", 0.5, Origin.QUEUED)
        log.add(structs.replace(log.kept[0].event, id="m4", provenance=Provenance.OTHER))
        log.add(structs.replace(log.kept[0].event, id="m5", text=None, at=log.at(6)), withheld="aws-key")
        index.keep([log.stretch()])
        (history,) = index.histories(Selection())
        assert {turn.context for turn in history.turns} == {"ctx"}
        assert [(turn.id, turn.act, turn.text, turn.before) for turn in history.turns] == [
            ("m1", Act.SAID, "text of m1", 0),
            ("m3", Act.SAID, "text of m3", 0),
            ("c2/no", Act.REFUSED, None, 2),
            ("m2", Act.SAID, "text of m2", 2),
            ("i1", Act.STOPPED, None, 3),
            ("m5", Act.SAID, None, 3),
        ]
        assert [turn.at for turn in history.turns[:2]] == [NOON, log.at(0.5)]
        assert list(index.unmined(1)) == [history]

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
        log.typed("m3", 6, Origin.QUEUED)
        log.add(structs.replace(log.kept[1].event, id="m4", at=log.at(7), provenance=Provenance.OTHER))
        log.concede("a3", 8)
        log.typed("m5", 9, Origin.REJECTION)
        index.keep([log.stretch()])
        (history,) = index.histories(Selection())
        assert [(turn.id, turn.origin, turn.conceded) for turn in history.turns] == [
            ("m1", "prompt", False),
            ("m2", "prompt", True),
            ("c1/no", "", False),
            ("i1", "", False),
            ("m3", "queued", True),
            ("m5", "rejection", False),
        ]
        assert list(index.unmined(1)) == [history]
        (later,) = index.histories(Selection(since=log.at(4)))
        assert [turn.conceded for turn in later.turns] == [False, False, True, False]

    def test_a_concession_is_kept_once_and_counted_nowhere(self, index: Index, reopen: Callable[[], Index]) -> None:
        log, alone = Log("/a.jsonl"), Log("/b.jsonl", "s2", context="other")
        log.typed("m1", 1)
        log.call("c1", 2)
        index.keep([log.stretch(), alone.stretch()])
        before = index.counts(Selection())
        log.place, log.context = "/elsewhere", "elsewhere"
        for said in (log, alone):
            said.concede(f"a of {said.session.native}", 0)
            said.concede(f"b of {said.session.native}", 9)
        log.add(structs.replace(log.kept[-1].event, id="c"), withheld="aws-key")
        assert index.keep([log.stretch(), alone.stretch()]) == 5
        again = reopen()
        assert again.keep([log.stretch(), alone.stretch()]) == 0
        assert again.counts(Selection()) == before
        mine_all(again)
        assert again.counts(Selection()) == before
        assert _told(again.counts(Selection(since=log.at(5)))) == (2, 0, 0, 0)
        assert _told(again.counts(Selection(places=("/elsewhere",)))) == (0, 0, 0, 0)
        assert [[turn.conceded for turn in each.turns] for each in again.histories(Selection())] == [[True]]
        log.place, log.context = "/src/tool", "ctx"
        log.typed("m2", 10)
        again.keep([log.stretch()])
        assert _told(again.counts(Selection(places=("/src/tool",)))) == (1, 1, 1, 2)

    def test_a_session_in_which_the_assistant_conceded_later_is_mined_again(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1", 1)
        index.keep([log.stretch()])
        assert (mine_all(index), mine_all(index)) == (1, 0)
        log.concede("a1", 2)
        index.keep([log.stretch()])
        assert [[turn.conceded for turn in each.turns] for each in index.unmined(1)] == [[True]]

    def test_a_history_can_begin_at_a_moment(self, index: Index) -> None:
        log, old = Log("/a.jsonl"), Log("/b.jsonl", "s2")
        for minute in range(4):
            log.typed(f"m{minute}", minute)
            log.call(f"c{minute}", minute)
        old.typed("m9")
        index.keep([log.stretch(), old.stretch()])
        (history,) = index.histories(Selection(since=log.at(2)))
        assert [step.call for step in history.steps] == ["c2", "c3"]
        assert [(turn.id, turn.before) for turn in history.turns] == [("m2", 0), ("m3", 1)]

    def test_an_outcome_finds_its_call_whichever_was_read_first(self, index: Index) -> None:
        late, early = Log("/b.jsonl"), Log("/a.jsonl")
        late.end("c1", Status.FAILED, 1, "no such file")
        early.call("c1")
        index.keep([late.stretch()])
        index.keep([early.stretch()])
        assert [(use.calls, use.failed) for use in index.counts(Selection()).tools] == [(1, 1)]
        assert [step.text for history in index.histories(Selection()) for step in history.steps] == ["no such file"]

    def test_tools_come_by_calls_and_then_by_name(self, index: Index) -> None:
        log = Log("/a.jsonl")
        for name, tool in (("1", "b"), ("2", "a"), ("3", "c"), ("4", "c")):
            log.call(name, tool=tool)
        index.keep([log.stretch()])
        assert [use.tool for use in index.counts(Selection()).tools] == ["c", "a", "b"]

    def test_only_what_the_user_typed_is_a_typed_turn(self, index: Index) -> None:
        log = Log("/a.jsonl")
        log.typed("m1")
        injected = structs.replace(log.kept[0].event, id="m2", provenance=Provenance.OTHER)
        log.add(injected)
        index.keep([log.stretch()])
        assert index.counts(Selection()).typed_turns == 1

    def test_an_event_without_a_context_counts_for_none(self, index: Index) -> None:
        log = Log("/a.jsonl", context=None)
        log.typed("m1")
        log.typed("m2")
        index.keep([log.stretch()])
        assert (index.counts(Selection()).contexts, index.counts(Selection()).typed_turns) == (0, 2)

    def test_a_mark_is_the_last_one_of_its_source(self, index: Index, reopen: Callable[[], Index]) -> None:
        log, other = Log("/a.jsonl"), Log("/a.jsonl", agent="codex")
        index.keep([log.stretch(cursor="1"), log.stretch(cursor="2")])
        index.keep([log.stretch(cursor="3"), other.stretch(cursor="9")])
        again = reopen()
        assert dict(again.marks("claude-code")) == {"/a.jsonl": Mark(size=100, modified_ns=7, cursor="3")}
        assert again.marks("codex")["/a.jsonl"].cursor == "9"
        assert again.counts(Selection()).sources == 2

    def test_troubles_are_counted_and_told_with_their_first_place(self, index: Index) -> None:
        log = Log("/a.jsonl")
        index.keep([log.stretch(*(Trouble(kind=TroubleKind.UNKNOWN, detail="x", offset=at) for at in (50, 9, 70)))])
        index.keep([log.stretch(Trouble(kind=TroubleKind.UNKNOWN, detail="y", offset=80))])
        index.keep([log.stretch(Trouble(kind=TroubleKind.UNKNOWN, detail="x", offset=90))])
        found = [(each.path, each.detail, each.count, each.first_offset) for each in index.troubles(Selection())]
        assert found == [("/a.jsonl", "x", 4, 9), ("/a.jsonl", "y", 1, 80)]

    def test_a_source_read_afresh_forgets_its_earlier_troubles_and_no_others(self, index: Index) -> None:
        log, other = Log("/a.jsonl"), Log("/b.jsonl")
        garbled = Trouble(kind=TroubleKind.GARBLED, detail="", offset=5)
        index.keep([log.stretch(garbled), other.stretch(garbled)])
        index.keep([log.stretch(replace(garbled, offset=8), afresh=True)])
        assert [(each.path, each.first_offset, each.count) for each in index.troubles(Selection())] == [
            ("/a.jsonl", 8, 1),
            ("/b.jsonl", 5, 1),
        ]

    def test_an_unfinished_end_is_only_ever_the_last_one(self, index: Index) -> None:
        log = Log("/a.jsonl")
        unfinished = Trouble(kind=TroubleKind.UNFINISHED, detail="", offset=5)
        index.keep([log.stretch(unfinished), log.stretch(replace(unfinished, offset=8))])
        assert [(each.count, each.first_offset) for each in index.troubles(Selection())] == [(1, 8)]
        index.keep([log.stretch()])
        assert index.troubles(Selection()) == ()

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_comes_back_as_it_was(self, index: Index, reopen: Callable[[], Index], text: str) -> None:
        # No file has a zero byte in its name, and a folder's name is never empty.
        name = text.replace("\x00", "").replace("/", "") or "x"
        log = Log(f"/{name}/a.jsonl", native=text, agent=text, context=text or None)
        log.place = text
        log.call(f"c{text}", tool=f"tool {text}")
        log.end(f"c{text}", Status.FAILED, 1, text)
        assert index.keep([log.stretch(Trouble(kind=TroubleKind.UNKNOWN, detail=text, offset=1), cursor=text)]) == 2
        again = reopen()
        assert again.keep([log.stretch(cursor=text)]) == 0
        assert dict(again.marks(text)) == {f"/{name}/a.jsonl": Mark(size=100, modified_ns=7, cursor=text)}
        assert [each.detail for each in again.troubles(Selection(under=Path(f"/{name}")))] == [text]
        (history,) = again.histories(Selection())
        assert [(each.call, each.tool, each.text) for each in history.steps] == [(f"c{text}", f"tool {text}", text)]
        assert again.counts(Selection(under=Path(f"/{name}"))).sessions == 1
        assert again.counts(Selection(places=(text,))).sessions == 1


def _full_log() -> Log:
    """Fifteen events: every kind, every status."""
    log = Log("/logs/p/one.jsonl")
    log.typed("m1", 0)
    for number, (tool, status) in enumerate(
        (("Bash", Status.OK), ("Bash", Status.FAILED), ("Bash", Status.MASKED), ("Edit", Status.CANCELLED))
    ):
        log.call(f"c{number}", 1 + number, tool)
        log.end(f"c{number}", status, 2 + number, "oh no" if status in (Status.FAILED, Status.MASKED) else None)
    log.call("c8", 9, "Edit")
    log.reject("c8", 10)
    log.typed("m2", 10, Origin.REJECTION)
    log.interrupt("i1", "c8", 11)
    log.interrupt("i2", None, 12)
    last = Call(id="c9", session=log.session, at=log.at(14), place=log.place, tool="Bash", arguments="{}")
    log.add(last, withheld="aws-key")
    return log


def _told(counts: Counts) -> tuple[int, int, int, int]:
    return counts.sources, counts.sessions, counts.contexts, counts.typed_turns
