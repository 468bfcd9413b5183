"""The contract of every ledger for forgetting, as a test suite: rows are deleted whole, the rest stays verifiable."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wisen.model.change import Change, ChangeCheck, ChangeFate
from wisen.model.context import Alias, ContextKind, context_of
from wisen.model.learning import RecordKind
from wisen.model.tombstone import ALL_CONTEXTS, Tombstone, TombstoneKey, TombstoneKeyKind
from wisen.testing.entries_contract import HOSTILE, a_move, a_proposal, an_entry, an_occurrence
from wisen.testing.exposures_contract import a_reinforcement, an_exposure, an_outcome
from wisen.testing.file_snapshots_contract import a_snapshot
from wisen.testing.ledger_contract import a_run
from wisen.testing.log_writer import NOON
from wisen.testing.ownerships_contract import an_ownership
from wisen.testing.program_records_contract import a_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.model.entry import Entry, Move, Occurrence, Proposal
    from wisen.store.ledger import Ledger
    from wisen.store.ledger_removal import Row


def a_tombstone(id_: str = "01T", scope: str = ALL_CONTEXTS) -> Tombstone:
    """Return a sample tombstone of three items."""
    return Tombstone(id=id_, machine="desk", at=NOON, scope=scope, many=3)


EVENT = TombstoneKey(kind=TombstoneKeyKind.EVENT, agent="claude-code", session="s1", value=HOSTILE)
WORDS = TombstoneKey(kind=TombstoneKeyKind.WORDS, value="0f" * 16, size=3)


def fill_ledger(ledger: Ledger, name: str) -> list[Row]:
    """Add one row of every kind; their ids have the same suffix."""
    shop = context_of(ContextKind.REMOTE, f"github.com/acme/{name}")
    alias = Alias(context=shop.key, machine="desk", path=f"/src/{name}", since=NOON)
    failure = a_record(f"1{name}")
    solved = replace(a_record(f"2{name}", RecordKind.RESOLUTION), failure=failure.id)
    snapshot = a_snapshot(f"{name}\n{HOSTILE}", path=f"/{name}/CLAUDE.md")
    change = Change(
        id=f"c{name}",
        machine="desk",
        path="/a",
        at=NOON,
        why=name,
        before="",
        after="x",
        splices=(),
        external_description=name,
    )
    look = ChangeCheck(id=f"l{name}", change=change.id, machine="desk", at=NOON, fate=ChangeFate.STANDS, path="/a")
    learnt: list[Entry | Occurrence | Move | Proposal] = [an_entry(name), an_occurrence(f"o{name}", name)]
    learnt += [a_move(f"m{name}", name), a_proposal(f"p{name}", name)]
    ledger.contexts.add(shop, alias)
    ledger.program_records.add(failure)
    ledger.program_records.add(solved)
    ledger.file_snapshots.add(snapshot)
    ledger.changes.add(change)
    ledger.changes.add_check(look)
    ledger.entries.record(learnt)
    ledger.runs.add(a_run(f"r{name}"))
    ledger.exposures.add([an_exposure(f"e{name}")])
    ledger.trial_outcomes.add([an_outcome(f"o{name}")])
    ledger.reinforcements.add([a_reinforcement(f"p{name}")])
    ledger.ownerships.add([an_ownership(f"w{name}")])
    rows: list[Row] = [*learnt, failure, solved, snapshot, change, look, a_run(f"r{name}"), an_exposure(f"e{name}")]
    rows += [an_outcome(f"o{name}"), a_reinforcement(f"p{name}"), an_ownership(f"w{name}")]
    return [*rows, alias, shop]


class TombstonesContract:
    """Fixtures: `ledger`, and `reopen`, which opens the same ledger again."""

    def test_everything_that_was_written_is_held_and_what_is_removed_is_gone(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        goes, stays = fill_ledger(ledger, "ash"), fill_ledger(ledger, "elm")
        held = [*ledger.removal.rows()]
        assert len(held) == len(goes) + len(stays)
        assert all(row in held for row in (*goes, *stays))
        assert ledger.removal.remove(goes) == len(goes)
        assert ledger.removal.remove(goes) == 0
        again = reopen()
        again.removal.scrub()
        again.check()
        left = [*again.removal.rows()]
        assert len(left) == len(stays)
        assert all(row in left for row in stays)

    def test_rows_are_removed_all_or_none(self, ledger: Ledger) -> None:
        first, *_ = fill_ledger(ledger, "ash")

        def rows() -> Iterator[Row]:
            yield first
            raise ValueError("in the midst of it")

        with pytest.raises(ValueError, match="in the midst"):
            ledger.removal.remove(rows())
        assert first in [*ledger.removal.rows()]

    def test_a_tombstone_comes_back_with_its_keys_and_once(self, ledger: Ledger, reopen: Callable[[], Ledger]) -> None:
        ledger.tombstones.add(a_tombstone("02T", "shop"), [EVENT])
        ledger.tombstones.add(a_tombstone(), [WORDS, EVENT])
        ledger.tombstones.add(a_tombstone(), [WORDS])
        again = reopen()
        again.check()
        assert again.tombstones.all() == (a_tombstone(), a_tombstone("02T", "shop"))
        assert {*again.tombstones.all_keys("01T")} == {WORDS, EVENT}
        assert len(again.tombstones.all_keys("01T")) == 2
        assert again.tombstones.all_keys("02T") == (EVENT,)
        assert len(again.tombstones.all_keys()) == 3
        assert again.tombstones.all_keys("none") == ()

    def test_a_tombstone_waits_until_it_is_finished_and_is_gone_when_it_is_lifted(self, ledger: Ledger) -> None:
        ledger.tombstones.add(a_tombstone(), [WORDS])
        ledger.tombstones.add(a_tombstone("02T"), [EVENT])
        ledger.tombstones.finish("01T", NOON.astimezone(timezone(timedelta(hours=9))))
        ledger.tombstones.finish("01T", NOON)
        assert [each.done for each in ledger.tombstones.all()] == [True, False]
        ledger.tombstones.remove("01T")
        ledger.tombstones.remove("none")
        assert [each.id for each in ledger.tombstones.all()] == ["02T"]
        assert ledger.tombstones.all_keys() == (EVENT,)
        ledger.check()
