"""Groups the decision rows of one decision by a person or policy, so that undo reverts all of it.

A decision is recorded as one more move, which holds ids and no text. To undo it, another move about the same subject
names its moves; folding then ignores them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import Actor, Move, MoveKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from wisen.model.change import Change

_MOVE, _CHANGE, _ENTRY, _GUARD = "m:", "c:", "e:", "g:"
_GAP = timedelta(seconds=3)
"""Of rows recorded without a decision: those that are no further apart belong together."""
_DECIDED_KINDS = (MoveKind.ANSWER, MoveKind.GUARD, MoveKind.CONFIRM, MoveKind.EXPERIMENTS)
"""Moves that only a decision creates; other moves may also record observations."""
_DECISION_KINDS = (MoveKind.DECISION, MoveKind.UNDO)


class RecordedDecision(NamedTuple):
    """One decision with everything that was done by it."""

    id: str
    at: datetime
    by: Actor
    did: str
    """What was done, in one word: approved, rejected, skipped, guard, entry, rule, installed …"""
    subject: str
    """The proposal, guard, entry, agent or context that it is about; empty if a file was changed."""
    moves: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """The entries that it created."""
    guards: tuple[str, ...] = ()
    """The guards that it created."""
    is_undone: bool = False


def decision_value(
    did: str, moves: Sequence[str], changes: Sequence[str], entries: Sequence[str], guards: Sequence[str]
) -> str:
    """Encode a decision as the value of its move."""
    marked = ((_MOVE, moves), (_CHANGE, changes), (_ENTRY, entries), (_GUARD, guards))
    return " ".join([did, *(f"{mark}{id_}" for mark, ids in marked for id_ in ids)])


def standing_moves(moves: Iterable[Move]) -> list[Move]:
    """Return the moves in force: without undone ones, and without those that only record decisions."""
    all_moves = [*moves]
    undone = _undone_ids(all_moves)
    return [each for each in all_moves if each.kind not in _DECISION_KINDS and each.id not in undone]


def decisions_of(
    moves: Sequence[Move], changes: Sequence[Change], undone_changes: AbstractSet[str] = frozenset()
) -> tuple[RecordedDecision, ...]:
    """Return every decision, oldest first; `undone_changes` are the file changes that were reverted.

    Decisions of older versions, or of an interrupted run, were not recorded as such: they are inferred from rows that
    are close together in time.
    """
    undone = _undone_ids(moves)
    recorded = [_parse_decision(each, undone, undone_changes) for each in moves if each.kind is MoveKind.DECISION]
    known = {id_ for each in recorded for id_ in (*each.moves, *each.changes)}
    loose = [each for each in moves if each.id not in known and each.kind not in _DECISION_KINDS]
    lone = [each for each in changes if each.id not in known and each.operation is not None]
    return tuple(
        sorted((*recorded, *_group_rows(loose, lone, undone, undone_changes)), key=lambda each: (each.at, each.id))
    )


def undo_moves(decision: RecordedDecision, moves: Sequence[Move]) -> list[tuple[str, str]]:
    """Return each subject of a decision, with the ids of its moves to undo as the value of an undo move."""
    wanted = {decision.id, *decision.moves}
    by_subject: dict[str, list[str]] = {}
    for each in moves:
        if each.id in wanted:
            by_subject.setdefault(each.subject, []).append(each.id)
    return [(subject, " ".join(ids)) for subject, ids in by_subject.items()]


def _undone_ids(moves: Iterable[Move]) -> set[str]:
    return {id_ for each in moves if each.kind is MoveKind.UNDO for id_ in each.value.split()}


def _parse_decision(move: Move, undone: AbstractSet[str], undone_changes: AbstractSet[str]) -> RecordedDecision:
    did, *rest = move.value.split() or [""]
    ids = {mark: tuple(each[2:] for each in rest if each.startswith(mark)) for mark in (_MOVE, _CHANGE, _ENTRY, _GUARD)}
    # One that failed after its files were written has no other rows, and its files may belong to a later one as well.
    is_only_files = bool(ids[_CHANGE]) and not any(ids[mark] for mark in (_MOVE, _ENTRY, _GUARD))
    is_undone = move.id in undone or (is_only_files and undone_changes >= {*ids[_CHANGE]})
    return RecordedDecision(
        move.id, move.at, move.by, did, move.subject, ids[_MOVE], ids[_CHANGE], ids[_ENTRY], ids[_GUARD], is_undone
    )


def _group_rows(
    loose: Sequence[Move], lone: Sequence[Change], undone: AbstractSet[str], undone_changes: AbstractSet[str]
) -> Iterable[RecordedDecision]:
    """Group moves and changes that are close together in time into decisions."""
    rows: list[Move | Change] = sorted((*loose, *lone), key=lambda each: (each.at, each.id))
    groups: list[list[Move | Change]] = []
    for row in rows:
        if groups and _belongs_to(row, groups[-1]):
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        moves = [each for each in group if isinstance(each, Move)]
        files = [each for each in group if not isinstance(each, Move)]
        first = next((each for each in moves if each.kind in _DECIDED_KINDS), None)
        if first is None and not files:
            continue
        head = first or files[0]
        yield RecordedDecision(
            id=head.id,
            at=head.at,
            by=first.by if first else Actor.WISEN,
            did=first.value if first and first.kind is MoveKind.ANSWER else first.kind.value if first else "changed",
            subject=first.subject if first else "",
            moves=tuple(each.id for each in moves) if first else (),
            changes=tuple(each.id for each in files),
            is_undone=all(
                each.id in (undone if isinstance(each, Move) else undone_changes)
                for each in group
                if first or each in files
            ),
        )


def _belongs_to(row: Move | Change, group: Sequence[Move | Change]) -> bool:
    """Return whether a row belongs to the group before it: changes come before the moves of the same decision."""
    last = group[-1]
    if row.at - last.at > _GAP:
        return False
    if not isinstance(row, Move):
        return not isinstance(last, Move) and row.why == last.why
    answers = [each for each in group if isinstance(each, Move) and each.kind is MoveKind.ANSWER]
    is_next = row.kind is MoveKind.ANSWER and bool(answers)
    return not is_next and all(each.by is row.by for each in group if isinstance(each, Move))
