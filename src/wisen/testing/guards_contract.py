"""The contract of every ledger for guards, as a test suite."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.guard import Guard, GuardSource, Mode, guard_id, guard_version
from wisen.testing.entries_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.ledger import Ledger


def a_guard(watch: str = "shell: rtk bun", better: str = "bun", minutes: int = 0, context: str = "") -> Guard:
    """Return a sample guard."""
    return Guard(
        id=guard_id(context, watch),
        version=guard_version(watch, better, Mode.WARN),
        machine="desk",
        at=NOON + timedelta(minutes=minutes),
        context=context,
        watch=watch,
        better=better,
        reason="rtk has no subcommand bun",
        source=GuardSource.FIX,
        of="1a2b3c4d5e",
        action=Mode.WARN,
    )


class GuardsContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_guards_come_back_whole_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        hostile = structs.replace(
            a_guard(minutes=1, context="x"),
            reason=HOSTILE,
            better=HOSTILE,
            action=Mode.DENY,
            source=GuardSource.HAND,
            at=(NOON + timedelta(minutes=1)).astimezone(timezone(timedelta(hours=9))),
        )
        ledger.entries.record([hostile, a_guard()])
        ledger.entries.record([structs.replace(a_guard(), reason="another")])
        again = reopen()
        again.check()
        assert again.guards.all() == (a_guard(), hostile)

    def test_of_a_guard_the_newest_version_counts(self, ledger: Ledger) -> None:
        ledger.entries.record(
            [a_guard(better="bun --bun", minutes=2), a_guard(), a_guard("shell: npm", "pnpm", minutes=1)]
        )
        assert [each.better for each in ledger.guards.all()] == ["bun --bun", "pnpm"]
