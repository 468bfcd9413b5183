"""What every ledger promises, as a suite that any backend can run.

A backend's test inherits from `LedgerContract` and provides two fixtures: `ledger`, open and empty, and `reopen`, which
closes it and gives it opened anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from wisen.domain.contexts import Alias, ContextKind, context_of
from wisen.domain.runs import Run
from wisen.testing.logs import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.ports import Ledger

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
