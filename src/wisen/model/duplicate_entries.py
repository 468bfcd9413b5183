"""Finds what two runs at the same time recorded twice, and says which of each is to stay. It changes nothing.

Before there were keys, two runs that read the same logs gave the same lesson two ids, and asked about both.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from wisen.model.entry import Actor, EntryOrigin, EntryStatus, EntryType, MoveKind, ProposalType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.entry import Move, Proposal
    from wisen.model.entry_state import EntryState, ProposalState

    Told: TypeAlias = tuple[object, ...]

_CARRIED = (
    MoveKind.STATUS,
    MoveKind.PRIORITY,
    MoveKind.TEXT,
    MoveKind.SCOPE,
    MoveKind.CONFIRM,
    MoveKind.EVERYWHERE,
)
"""What a person decides about an entry and what counts for the one that stays as well."""


class DuplicateEntry(NamedTuple):
    """One lesson that was recorded more than once."""

    primary: EntryState
    duplicates: tuple[EntryState, ...]


def find_duplicate_entries(
    states: Iterable[EntryState], moves: Iterable[Move], written: Collection[str] = ()
) -> tuple[DuplicateEntry, ...]:
    """Entries that say word for word the same of the same message or fix; `written`: those whose rule is in a file.

    What a person took apart, and what has been merged, is left as it is.
    """
    split = {move.value for move in moves if move.kind is MoveKind.SPLIT}
    groups: dict[Told, list[EntryState]] = defaultdict(list)
    for state in states:
        told = _told(state)
        if told is not None and not state.merged_into and state.entry.id not in split:
            groups[told].append(state)
    found = []
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda each: _rank(each, written))
            found.append(DuplicateEntry(first, tuple(others)))
    return tuple(found)


def moves_to_carry_over(doubled: DuplicateEntry, moves: Sequence[Move]) -> list[Move]:
    """The decisions of the user about the others that the one that stays has to take over, newest of each kind.

    Who approved one and rejected the other did not want it twice: then it stays approved.
    """
    ids = {doubled.primary.entry.id, *(each.entry.id for each in doubled.duplicates)}
    carried = []
    for kind in _CARRIED:
        said = [move for move in moves if move.subject in ids and move.kind is kind and move.by is Actor.USER]
        if kind is MoveKind.STATUS and doubled.primary.status is EntryStatus.PROMOTED:
            continue
        if said and said[-1].subject != doubled.primary.entry.id:
            carried.append(said[-1])
    return carried


def find_duplicate_proposals(asked: Iterable[ProposalState], doubled: Iterable[DuplicateEntry]) -> list[Proposal]:
    """Proposals that wait although the same is asked already, or about an entry that does not stay."""
    gone = {each.entry.id for double in doubled for each in double.duplicates}
    waiting: set[tuple[str, str, str]] = set()
    found = []
    for each in asked:
        proposal = each.proposal
        if not each.is_waiting or proposal.type is ProposalType.SUGGESTION:
            continue
        about = (proposal.entry, proposal.context, proposal.type.value)
        if proposal.entry in gone or about in waiting:
            found.append(proposal)
        waiting.add(about)
    return found


def _told(state: EntryState) -> Told | None:
    """What two records of one lesson have in common; None where somebody may have meant it twice."""
    entry = state.entry
    if entry.origin is EntryOrigin.STATED and entry.details:
        return ("stated", state.context, entry.context, entry.type, entry.category, entry.summary, entry.details)
    if entry.origin is EntryOrigin.MEASURED and entry.type is EntryType.ERROR:
        return ("fix", state.context, entry.context, *entry.tags)
    if entry.origin is EntryOrigin.MEASURED:
        return ("practice", state.context, entry.context, entry.action, entry.setting)
    return None


def _rank(state: EntryState, written: Collection[str]) -> tuple[bool, bool, bool, str]:
    """The oldest stays, but before all the one whose rule is in a file, was approved, or has what was seen of it."""
    return (state.entry.id not in written, state.status is not EntryStatus.PROMOTED, not state.times, state.entry.id)
