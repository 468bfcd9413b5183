"""Remarks that earlier versions took for lessons are closed once; real lessons stay, judged by their wording."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec import structs

from wisen.lessons.remarks import REMARK, close_remarks
from wisen.memory.build_memories import memories_of_entries
from wisen.model.entry import Actor, Category, Entry, EntryOrigin, EntryStatus, Move, MoveKind
from wisen.model.entry_state import EntryState, fold_entry_states
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import a_move, an_entry, an_occurrence
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON
from wisen.text.entry_standing import EntryStanding, standing_of

ROW_FACTORY = RowFactory(FixedClock(NOON), CountingIds(), "desk")
REMARKS = ["The prompts are described in the docs.", "Why is the cart empty?", "I have done it."]


def old_entry(text: str, **other: object) -> Entry:
    """An entry as an earlier version recorded it."""
    return structs.replace(an_entry(summary=text, details=text, durable=0.9, standing=None), **other)


def state_of(entry: Entry, *moves: Move) -> EntryState:
    (state,) = fold_entry_states([entry], (), moves)
    return state


def closing_moves(entry: Entry, *moves: Move) -> list[tuple[str, str, Actor, str]]:
    found = close_remarks([state_of(entry, *moves)], moves, ROW_FACTORY)
    return [(move.kind, move.value, move.by, move.why) for move in found]


@pytest.mark.requirement("S1", "N4")
@pytest.mark.parametrize("text", REMARKS)
@pytest.mark.parametrize("category", [Category.CORRECTION, Category.PREFERENCE])
def test_a_remark_of_an_earlier_version_is_closed_once(text: str, category: Category) -> None:
    entry = old_entry(text, category=category)
    assert closing_moves(entry) == [(MoveKind.STATUS, EntryStatus.RESOLVED, Actor.WISEN, REMARK)]
    (move,) = close_remarks([state_of(entry)], (), ROW_FACTORY)
    assert closing_moves(entry, move) == []
    back = a_move("9", value="pending")
    assert closing_moves(entry, move, back) == [], "a person wants it"


def test_what_tells_what_to_do_and_what_a_person_decided_about_stays() -> None:
    assert closing_moves(old_entry("Never push to main.")) == []
    assert closing_moves(old_entry(REMARKS[0]), a_move("1", kind=MoveKind.CONFIRM)) == []
    assert closing_moves(old_entry(REMARKS[0]), a_move("1", kind=MoveKind.PRIORITY, value="high")) == []
    assert closing_moves(old_entry(REMARKS[0], origin=EntryOrigin.LOGGED)) == []
    assert closing_moves(old_entry(REMARKS[0], category=Category.KNOWLEDGE_GAP)) == []
    assert closing_moves(structs.replace(old_entry(REMARKS[0]), standing=False)) == [], (
        "recorded since, with what calls it up"
    )


def test_what_is_said_again_as_a_lesson_stands_again() -> None:
    ledger, entry = MemoryLedger(), old_entry(REMARKS[0])
    (move,) = close_remarks([state_of(entry)], (), ROW_FACTORY)
    later = structs.replace(an_occurrence("o1", entry.id), at=NOON + timedelta(days=1))
    ledger.entries.record([entry, move, later])
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    (again,) = close_remarks(known, ledger.moves.all(), ROW_FACTORY)
    assert (again.kind, again.value) == (MoveKind.STATUS, EntryStatus.PENDING)


def test_a_closed_remark_is_no_memory_of_its_own() -> None:
    entry = old_entry(REMARKS[0])
    (move,) = close_remarks([state_of(entry)], (), ROW_FACTORY)
    assert memories_of_entries([state_of(entry, move)]) == {}
    assert memories_of_entries([state_of(old_entry("Never push to main."))]) != {}


@pytest.mark.requirement("N4")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Never push to main.", EntryStanding.MARKED),
        ("Use pnpm, not npm.", EntryStanding.UNMARKED),
        ("Use npm for now.", EntryStanding.PASSING),
        ("The prompts are described in the docs.", EntryStanding.REMARK),
    ],
)
def test_what_an_earlier_version_recorded_stands_by_its_words(text: str, why: EntryStanding) -> None:
    assert standing_of(state_of(old_entry(text))) is why


def test_what_was_recorded_since_stands_by_what_was_read_then() -> None:
    marked = structs.replace(an_entry(summary="Use pnpm, not npm."), standing=True)
    assert standing_of(state_of(marked)) is EntryStanding.MARKED
    unmarked = structs.replace(an_entry(summary="Never push to main."), standing=False)
    assert standing_of(state_of(unmarked)) is EntryStanding.UNMARKED
    assert standing_of(state_of(unmarked, a_move("1", kind=MoveKind.LASTING))) is EntryStanding.REPEATED
    assert standing_of(state_of(unmarked, a_move("1", kind=MoveKind.CONFIRM))) is EntryStanding.CONFIRMED
    assert standing_of(state_of(unmarked, a_move("1", value="promoted"))) is EntryStanding.FILED
