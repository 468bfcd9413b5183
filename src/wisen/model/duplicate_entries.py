"""Finds entries and proposals that two concurrent runs recorded twice, and chooses the ones to keep. Changes nothing.

Before entries had keys, two runs that read the same logs gave the same lesson two ids, and proposed both.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from wisen.model.entry import Actor, EntryOrigin, EntryStatus, EntryType, MoveKind, ProposalType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.entry import Move, Proposal
    from wisen.model.entry_state import EntryState, ProposalState

    Fingerprint: TypeAlias = tuple[object, ...]

_INHERITED = (
    MoveKind.STATUS,
    MoveKind.PRIORITY,
    MoveKind.TEXT,
    MoveKind.SCOPE,
    MoveKind.CONFIRM,
    MoveKind.EVERYWHERE,
)
"""Decisions of a person about a duplicate that also apply to the entry that is kept."""


class DuplicateEntry(NamedTuple):
    """One lesson that was recorded more than once."""

    primary: EntryState
    duplicates: tuple[EntryState, ...]


def find_duplicate_entries(
    states: Iterable[EntryState], moves: Iterable[Move], written: Collection[str] = ()
) -> tuple[DuplicateEntry, ...]:
    """Return entries with identical content about the same message or fix; `written`: those whose rule is in a file.

    Entries that a person split, and those already merged, are left alone.
    """
    split = {move.value for move in moves if move.kind is MoveKind.SPLIT}
    groups: dict[Fingerprint, list[EntryState]] = defaultdict(list)
    for state in states:
        fingerprint = _fingerprint(state)
        if fingerprint is not None and not state.merged_into and state.entry.id not in split:
            groups[fingerprint].append(state)
    duplicates = []
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda each: _rank(each, written))
            duplicates.append(DuplicateEntry(first, tuple(others)))
    return tuple(duplicates)


def moves_to_carry_over(duplicate: DuplicateEntry, moves: Sequence[Move]) -> list[Move]:
    """Return the user's decisions about the duplicates that the primary entry has to inherit, newest of each kind.

    Approving one and rejecting the other means that the user did not want it twice: the primary stays approved.
    """
    ids = {duplicate.primary.entry.id, *(each.entry.id for each in duplicate.duplicates)}
    inherited = []
    for kind in _INHERITED:
        decisions = [move for move in moves if move.subject in ids and move.kind is kind and move.by is Actor.USER]
        if kind is MoveKind.STATUS and duplicate.primary.status is EntryStatus.PROMOTED:
            continue
        if decisions and decisions[-1].subject != duplicate.primary.entry.id:
            inherited.append(decisions[-1])
    return inherited


def find_duplicate_proposals(
    states: Iterable[ProposalState], duplicate_entries: Iterable[DuplicateEntry]
) -> list[Proposal]:
    """Return pending proposals that repeat another pending one, or that are about a duplicate entry."""
    duplicate_ids = {each.entry.id for double in duplicate_entries for each in double.duplicates}
    waiting: set[tuple[str, str, str]] = set()
    duplicates = []
    for each in states:
        proposal = each.proposal
        if not each.is_waiting or proposal.type is ProposalType.SUGGESTION:
            continue
        subject = (proposal.entry, proposal.context, proposal.type.value)
        if proposal.entry in duplicate_ids or subject in waiting:
            duplicates.append(proposal)
        waiting.add(subject)
    return duplicates


def _fingerprint(state: EntryState) -> Fingerprint | None:
    """Return what two records of one lesson have in common; None if the user may have meant it twice."""
    entry = state.entry
    if entry.origin is EntryOrigin.STATED and entry.details:
        return ("stated", state.context, entry.context, entry.type, entry.category, entry.summary, entry.details)
    if entry.origin is EntryOrigin.MEASURED and entry.type is EntryType.ERROR:
        return ("fix", state.context, entry.context, *entry.tags)
    if entry.origin is EntryOrigin.MEASURED:
        return ("practice", state.context, entry.context, entry.action, entry.setting)
    return None


def _rank(state: EntryState, written: Collection[str]) -> tuple[bool, bool, bool, str]:
    """Sort key: the oldest is kept, but first the one whose rule is in a file, was approved, or has occurrences."""
    return (state.entry.id not in written, state.status is not EntryStatus.PROMOTED, not state.times, state.entry.id)
