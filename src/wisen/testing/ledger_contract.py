"""What every ledger promises, as a suite that any backend can run.

A backend's test inherits from `LedgerContract` and provides two fixtures: `ledger`, open and empty, and `reopen`, which
closes it and gives it opened anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.model.change import Change, Fate, Line, Look, Splice, Value
from wisen.model.context import Alias, ContextKind, context_of
from wisen.model.failure import Signature
from wisen.model.learning import Record, RecordKind
from wisen.model.run import Run
from wisen.model.snapshot import Snapshot
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.ledger_port import Ledger

HOSTILE = (
    "",
    "plain",
    "nul \x00 inside",
    "sub \x1a0000 sign",
    "lone \udc80 surrogate",
    "日本語 🙂",
    "'; DROP TABLE runs; --",
    "%s ? :x",
)
"""Texts that stores have stumbled over."""


def a_run(name: str, started: datetime = NOON, error: str | None = None) -> Run:
    """A run that took a second."""
    return Run(
        id=name,
        machine="desk",
        started=started,
        finished=started + timedelta(seconds=1, microseconds=1),
        version="0.1.0",
        sources=3,
        read_bytes=2**40,
        new_events=5,
        withheld=1,
        troubles=0,
        error=error,
    )


def a_record(name: str, kind: RecordKind = RecordKind.FAILURE, tool: str | None = "deploy", minute: int = 0) -> Record:
    """What a program recorded on the desk, so many minutes after noon."""
    signature = Signature(key="net.timeout", who="deploy", version=1) if kind is RecordKind.FAILURE else None
    at = NOON + timedelta(minutes=minute)
    return Record(id=name, kind=kind, machine="desk", at=at, tool=tool, session="job", signature=signature)


def a_snapshot(text: str, minute: int = 0, path: str = "/p/CLAUDE.md", machine: str = "desk") -> Snapshot:
    """What a file held so many minutes after noon."""
    return Snapshot(path=path, machine=machine, at=NOON + timedelta(minutes=minute), text=text)


class LedgerContract:
    """What every ledger promises."""

    def test_a_new_ledger_is_empty(self, ledger: Ledger) -> None:
        assert (ledger.contexts(), ledger.aliases("desk"), ledger.runs(10)) == ((), (), ())
        ledger.check()

    def test_a_run_comes_back_exactly_as_it_was_recorded(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        run = a_run("01A", datetime(2026, 3, 1, 12, 0, 0, 123457, tzinfo=UTC), error="the disk was full")
        ledger.record(run)
        assert reopen().runs(10) == (run,)

    def test_a_moment_comes_back_in_utc(self, ledger: Ledger) -> None:
        ledger.record(a_run("01A", NOON.astimezone(timezone(timedelta(hours=9)))))
        assert ledger.runs(1)[0].started == NOON
        assert ledger.runs(1)[0].started.utcoffset() == timedelta(0)

    def test_recording_a_run_again_changes_nothing(self, ledger: Ledger) -> None:
        ledger.record(a_run("01A"))
        ledger.record(a_run("01A", error="another story"))
        assert ledger.runs(10) == (a_run("01A"),)

    def test_runs_come_newest_first_and_no_more_than_asked_for(self, ledger: Ledger) -> None:
        runs = [a_run(name, NOON + timedelta(hours=hour)) for name, hour in (("b", 1), ("Z", 2), ("a", 2), ("c", 0))]
        for run in runs:
            ledger.record(run)
        assert [run.id for run in ledger.runs(3)] == ["a", "Z", "b"]
        assert ledger.runs(0) == ()

    def test_the_first_sight_of_a_context_and_of_a_directory_stands(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        context = context_of(ContextKind.REMOTE, "git.example/owner/tool")
        alias = Alias(context=context.key, machine="desk", path="/src/tool", since=NOON)
        ledger.sight(context, None)
        ledger.sight(context, alias)
        ledger.sight(replace(context, name="renamed"), replace(alias, since=NOON + timedelta(days=1)))
        again = reopen()
        assert again.contexts() == (context,)
        assert again.aliases("desk") == (alias,)

    def test_a_directory_that_got_another_context_stands_once_for_each(self, ledger: Ledger) -> None:
        old, new = (context_of(ContextKind.REMOTE, name) for name in ("git.example/old", "git.example/new"))
        first = Alias(context=old.key, machine="desk", path="/src/tool", since=NOON)
        second = Alias(context=new.key, machine="desk", path="/src/tool", since=NOON + timedelta(days=1))
        ledger.sight(new, second)
        ledger.sight(old, first)
        assert ledger.aliases("desk") == (first, second)

    def test_machines_do_not_see_each_others_directories(self, ledger: Ledger) -> None:
        context = context_of(ContextKind.REMOTE, "git.example/owner/tool")
        for machine, path in (("desk", "/b"), ("lap", "/a"), ("desk", "/a"), ("desk", "/B")):
            ledger.sight(context, Alias(context=context.key, machine=machine, path=path, since=NOON))
        assert [alias.path for alias in ledger.aliases("desk")] == ["/B", "/a", "/b"]
        assert [alias.path for alias in ledger.aliases("lap")] == ["/a"]
        assert ledger.aliases("no such machine") == ()

    def test_contexts_come_by_key(self, ledger: Ledger) -> None:
        contexts = [context_of(ContextKind.PATH, name) for name in ("/z", "/B", "/a", "/É")]
        for context in contexts:
            ledger.sight(context, None)
        assert ledger.contexts() == tuple(sorted(contexts, key=lambda context: context.key))

    def test_a_record_comes_back_exactly_as_it_was_kept(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        failure = replace(
            a_record("01A"),
            at=datetime(2026, 3, 1, 12, 0, 0, 123457, tzinfo=UTC),
            place="/srv/shop",
            text="it timed out",
            arguments='{"to": "prod"}',
            signature=Signature(key="net.timeout", who="deploy", says="timed out", version=7),
            tried="a fix",
            withheld="private:email",
        )
        resolution = replace(a_record("01B", RecordKind.RESOLUTION, minute=1), failure="01A", text="wait longer")
        insight = Record(id="01C", kind=RecordKind.INSIGHT, machine="lap", at=NOON + timedelta(hours=1))
        for record in (insight, failure, resolution):
            ledger.keep(record)
        again = reopen()
        again.check()
        assert again.records() == (failure, resolution, insight)
        assert again.records(id_="01B") == (resolution,)

    def test_a_record_that_nobody_kept_is_not_there(self, ledger: Ledger) -> None:
        assert (ledger.records(), ledger.records(id_="01A"), ledger.records(tool="deploy")) == ((), (), ())

    def test_keeping_a_record_again_changes_nothing(self, ledger: Ledger) -> None:
        ledger.keep(a_record("01A"))
        ledger.keep(replace(a_record("01A"), text="another story"))
        assert ledger.records() == (a_record("01A"),)

    def test_a_moment_of_a_record_comes_back_in_utc_and_orders_before_the_id(self, ledger: Ledger) -> None:
        late = replace(a_record("A"), at=(NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))))
        early, also_early = a_record("a"), a_record("Z")
        for record in (late, early, also_early):
            ledger.keep(record)
        assert [record.id for record in ledger.records()] == ["Z", "a", "A"]
        assert ledger.records()[-1].at.utcoffset() == timedelta(0)

    def test_what_concerns_a_tool_or_a_key_is_found_with_every_insight_and_every_try(self, ledger: Ledger) -> None:
        same_tool = replace(a_record("tool"), signature=Signature(key="fs.full", who="deploy", version=1))
        same_key = a_record("key", tool="upload")
        insight = a_record("insight", RecordKind.INSIGHT, tool=None)
        tried = replace(a_record("tried", RecordKind.SUCCESS, tool="sort"), tried="insight")
        other = replace(same_tool, id="other", tool="sort")
        for record in (same_tool, same_key, insight, tried, other):
            ledger.keep(record)
        both = {record.id for record in ledger.records(tool="deploy", key="net.timeout")}
        assert both == {"tool", "key", "insight", "tried"}
        assert {record.id for record in ledger.records(key="net.timeout")} == {"key", "insight", "tried"}
        assert {record.id for record in ledger.records(tool="deploy")} == {"tool", "insight", "tried"}
        assert len(ledger.records()) == 5

    def test_a_success_is_left_out_where_its_tool_never_failed_in_the_session(self, ledger: Ledger) -> None:
        ended = a_record("ended", RecordKind.SUCCESS, minute=1)
        ledger.keep(a_record("failure"))
        ledger.keep(ended)
        for name, other in {
            "other tool": replace(ended, tool="sort"),
            "other session": replace(ended, session="job 2"),
            "other machine": replace(ended, machine="lap"),
            "no session": replace(ended, session=None),
        }.items():
            ledger.keep(replace(other, id=name))
        assert [record.id for record in ledger.records()] == ["failure", "ended"]
        assert [record.id for record in ledger.records(tool="deploy")] == ["failure", "ended"]
        assert [record.id for record in ledger.records(id_="no session")] == ["no session"]

    def test_snapshots_of_a_file_come_back_as_they_were_oldest_first(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        exact = replace(a_snapshot("two", 1), at=datetime(2026, 3, 1, 12, 30, 0, 123457, tzinfo=UTC))
        zoned = replace(a_snapshot("three"), at=(NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))))
        for snapshot in (zoned, exact, a_snapshot("one")):
            ledger.snap(snapshot)
        again = reopen()
        again.check()
        assert again.snapshots("/p/CLAUDE.md") == (a_snapshot("one"), exact, a_snapshot("three", 60))
        assert again.snapshots("/p/CLAUDE.md")[-1].at.utcoffset() == timedelta(0)
        assert again.snapshots("/p") == ()

    def test_the_same_text_as_in_the_newest_snapshot_changes_nothing(self, ledger: Ledger) -> None:
        for minute, text in enumerate(("one", "one", "two", "one", "one")):
            ledger.snap(a_snapshot(text, minute))
        found = [(each.text, each.at) for each in ledger.snapshots("/p/CLAUDE.md")]
        assert found == [
            (text, NOON + timedelta(minutes=minute)) for text, minute in (("one", 0), ("two", 2), ("one", 3))
        ]

    def test_two_texts_of_the_same_moment_are_both_kept_and_once(self, ledger: Ledger) -> None:
        for text in ("one", "two", "one", "two"):
            ledger.snap(a_snapshot(text))
        assert {each.text for each in ledger.snapshots("/p/CLAUDE.md")} == {"one", "two"}
        assert len(ledger.snapshots("/p/CLAUDE.md")) == 2

    def test_files_and_machines_have_snapshots_of_their_own(self, ledger: Ledger) -> None:
        for path in ("/p/CLAUDE.md", "/p/claude.md"):
            for machine in ("desk", "lap"):
                ledger.snap(a_snapshot("same", path=path, machine=machine))
        assert [each.machine for each in ledger.snapshots("/p/CLAUDE.md")] == ["desk", "lap"]
        assert ledger.snapshots("/p/claude.md", machine="lap") == (a_snapshot("same", 0, "/p/claude.md", "lap"),)
        assert ledger.snapshots("/p/CLAUDE.md", machine="no such machine") == ()

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_of_a_snapshot_comes_back_as_it_was(
        self, ledger: Ledger, reopen: Callable[[], Ledger], text: str
    ) -> None:
        ledger.snap(a_snapshot(text, 0, text, text))
        ledger.snap(a_snapshot(text, 1, text, text))
        again = reopen()
        again.check()
        assert again.snapshots(text) == again.snapshots(text, machine=text) == (a_snapshot(text, 0, text, text),)

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_of_a_record_comes_back_as_it_was(
        self, ledger: Ledger, reopen: Callable[[], Ledger], text: str
    ) -> None:
        record = Record(
            id=f"01{text}",
            kind=RecordKind.FAILURE,
            machine=text,
            at=NOON,
            tool=text,
            session=text,
            place=text,
            text=text,
            arguments=text,
            signature=Signature(key=text, who=text, says=text, version=1),
            tried=text,
            withheld=text,
        )
        ledger.keep(record)
        again = reopen()
        again.check()
        assert again.records(id_=record.id) == again.records(tool=text) == again.records(key=text) == (record,)

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_comes_back_as_it_was(self, ledger: Ledger, reopen: Callable[[], Ledger], text: str) -> None:
        context = context_of(ContextKind.PATH, f"/{text}")
        alias = Alias(context=context.key, machine=text, path=text, since=NOON)
        ledger.sight(context, alias)
        ledger.record(a_run("01A", error=text))
        again = reopen()
        again.check()
        assert again.contexts() == (context,)
        assert again.aliases(text) == (alias,)
        assert again.runs(1)[0].error == text

    def test_a_change_is_rewritten_in_its_place(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        line = Line(id="R-7f3a", heading="Rules", text="Use pnpm.")
        first = Change(
            id="01", machine="desk", path="/p/A.md", at=NOON, why="", before="", after="aa", splices=(), deed=line,
            follows="",
        )  # fmt: skip
        second = structs.replace(first, id="02", follows="01")
        ledger.change(first)
        ledger.change(second)
        owner = structs.replace(first, deed=structs.replace(line, opening=b"## Rules"))
        ledger.rewrite_change(owner)
        assert reopen().changes(machine="desk") == (owner, second)
        reopen().check()

    def test_changes_come_back_whole_oldest_first_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        second = Change(
            id="02",
            machine="desk",
            path="/p/CLAUDE.md",
            at=NOON + timedelta(hours=1),
            why="you said so",
            before="",
            after="aa",
            splices=(Splice(0, b"\xff\x00", "é\n".encode()),),
            head="c0ffee",
            deed=Value(format="toml", keys=("a", 1), new="[1.5]", old='"\\u0000"', made=1, appended=True),
            undoes="01",
        )
        line = Line(id="R-7f3a", heading="Rules", text="\udcff\0", opening=b"\r\n", closing=b"\n", archived=("R-0001",))
        first = structs.replace(second, id="01", path="/p/\udcff.md", deed=line, undoes="")
        for change in (second, first, second):
            ledger.change(change)
        ledger.change(structs.replace(first, id="03", machine="lap"))
        again = reopen()
        assert again.changes(machine="desk") == (first, second)
        assert again.changes(machine="desk", path="/p/CLAUDE.md") == (second,)
        assert again.changes(machine="else") == ()

    def test_looks_come_back_whole_oldest_first_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        second = Look(
            id="02",
            change="01",
            machine="desk",
            at=NOON,
            fate=Fate.HIS,
            path="/p/\udcff.md",
            head="c0ffee",
            text="Use pnpm\0 9.",
        )
        first = structs.replace(second, id="01", fate=Fate.STANDS, text="")
        for look in (second, first, structs.replace(second, text="another story")):
            ledger.look(look)
        ledger.look(structs.replace(first, id="03", machine="lap"))
        again = reopen()
        again.check()
        assert again.looks(machine="desk") == (first, second)
        assert again.looks(machine="else") == ()
