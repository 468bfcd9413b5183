"""The contract of every ledger, as a test suite for any backend.

A backend's test inherits from `LedgerContract` and provides two fixtures: `ledger`, open and empty, and `reopen`, which
closes it and opens it again.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wisen.model.context import Alias, ContextKind, context_of
from wisen.model.run import Run
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.ledger import Ledger

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
"""Texts that have broken stores."""


def a_run(name: str, started: datetime = NOON, error: str | None = None) -> Run:
    """Return a sample run that took a second."""
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


class LedgerContract:
    """The contract of every ledger."""

    def test_a_new_ledger_is_empty(self, ledger: Ledger) -> None:
        assert (ledger.contexts.all(), ledger.contexts.aliases("desk"), ledger.runs.newest(10)) == ((), (), ())
        ledger.check()

    def test_a_run_comes_back_exactly_as_it_was_recorded(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        run = a_run("01A", datetime(2026, 3, 1, 12, 0, 0, 123457, tzinfo=UTC), error="the disk was full")
        ledger.runs.add(run)
        assert reopen().runs.newest(10) == (run,)

    def test_a_moment_comes_back_in_utc(self, ledger: Ledger) -> None:
        ledger.runs.add(a_run("01A", NOON.astimezone(timezone(timedelta(hours=9)))))
        assert ledger.runs.newest(1)[0].started == NOON
        assert ledger.runs.newest(1)[0].started.utcoffset() == timedelta(0)

    def test_recording_a_run_again_changes_nothing(self, ledger: Ledger) -> None:
        ledger.runs.add(a_run("01A"))
        ledger.runs.add(a_run("01A", error="another story"))
        assert ledger.runs.newest(10) == (a_run("01A"),)

    def test_runs_come_newest_first_and_no_more_than_asked_for(self, ledger: Ledger) -> None:
        runs = [a_run(name, NOON + timedelta(hours=hour)) for name, hour in (("b", 1), ("Z", 2), ("a", 2), ("c", 0))]
        for run in runs:
            ledger.runs.add(run)
        assert [run.id for run in ledger.runs.newest(3)] == ["a", "Z", "b"]
        assert ledger.runs.newest(0) == ()

    def test_the_first_sight_of_a_context_and_of_a_directory_stands(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        context = context_of(ContextKind.REMOTE, "git.example/owner/tool")
        alias = Alias(context=context.key, machine="desk", path="/src/tool", since=NOON)
        ledger.contexts.add(context, None)
        ledger.contexts.add(context, alias)
        ledger.contexts.add(replace(context, name="renamed"), replace(alias, since=NOON + timedelta(days=1)))
        again = reopen()
        assert again.contexts.all() == (context,)
        assert again.contexts.aliases("desk") == (alias,)

    def test_a_directory_that_got_another_context_stands_once_for_each(self, ledger: Ledger) -> None:
        old, new = (context_of(ContextKind.REMOTE, name) for name in ("git.example/old", "git.example/new"))
        first = Alias(context=old.key, machine="desk", path="/src/tool", since=NOON)
        second = Alias(context=new.key, machine="desk", path="/src/tool", since=NOON + timedelta(days=1))
        ledger.contexts.add(new, second)
        ledger.contexts.add(old, first)
        assert ledger.contexts.aliases("desk") == (first, second)

    def test_machines_do_not_see_each_others_directories(self, ledger: Ledger) -> None:
        context = context_of(ContextKind.REMOTE, "git.example/owner/tool")
        for machine, path in (("desk", "/b"), ("lap", "/a"), ("desk", "/a"), ("desk", "/B")):
            ledger.contexts.add(context, Alias(context=context.key, machine=machine, path=path, since=NOON))
        assert [alias.path for alias in ledger.contexts.aliases("desk")] == ["/B", "/a", "/b"]
        assert [alias.path for alias in ledger.contexts.aliases("lap")] == ["/a"]
        assert ledger.contexts.aliases("no such machine") == ()

    def test_contexts_come_by_key(self, ledger: Ledger) -> None:
        contexts = [context_of(ContextKind.PATH, name) for name in ("/z", "/B", "/a", "/É")]
        for context in contexts:
            ledger.contexts.add(context, None)
        assert ledger.contexts.all() == tuple(sorted(contexts, key=lambda context: context.key))

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_comes_back_as_it_was(self, ledger: Ledger, reopen: Callable[[], Ledger], text: str) -> None:
        context = context_of(ContextKind.PATH, f"/{text}")
        alias = Alias(context=context.key, machine=text, path=text, since=NOON)
        ledger.contexts.add(context, alias)
        ledger.runs.add(a_run("01A", error=text))
        again = reopen()
        again.check()
        assert again.contexts.all() == (context,)
        assert again.contexts.aliases(text) == (alias,)
        assert again.runs.newest(1)[0].error == text
