"""Decisions: what a person, or policy, decided in one go, with everything that was done by it, so that undo is whole.

A decision is noted as one more move, which holds ids and no words. To undo it, its moves are named by a move about the
same subject, and what is folded from moves is as if they had never been.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import Actor, Move, MoveKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.change import Change

_MOVE, _CHANGE, _ENTRY, _GUARD = "m:", "c:", "e:", "g:"
_GAP = timedelta(seconds=3)
"""Of what was noted without its decision: rows that are no further apart belong together."""
_OWN = (MoveKind.ANSWER, MoveKind.GUARD, MoveKind.CONFIRM, MoveKind.EXPERIMENTS)
"""What only a decision moves; other moves may be of what was noticed."""
_NOTED = (MoveKind.DECISION, MoveKind.UNDO)


class RecordedDecision(NamedTuple):
    """What was decided in one go."""

    id: str
    at: datetime
    by: Actor
    did: str
    """What was done, in one word: approved, rejected, skipped, guard, entry, rule, installed …"""
    subject: str
    """The proposal, guard, entry, agent or context that it is about; empty where a file was changed."""
    moves: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    """The entries that it made."""
    guards: tuple[str, ...] = ()
    """The guards that it made."""
    is_undone: bool = False


def decision_value(
    did: str, moves: Sequence[str], changes: Sequence[str], entries: Sequence[str], guards: Sequence[str]
) -> str:
    """A decision as the value of its move."""
    marked = ((_MOVE, moves), (_CHANGE, changes), (_ENTRY, entries), (_GUARD, guards))
    return " ".join([did, *(f"{mark}{id_}" for mark, ids in marked for id_ in ids)])


def standing_moves(moves: Iterable[Move]) -> list[Move]:
    """Moves without those that were undone, and without what only notes decisions."""
    every = [*moves]
    gone = _undone(every)
    return [each for each in every if each.kind not in _NOTED and each.id not in gone]


def decisions_of(
    moves: Sequence[Move], changes: Sequence[Change], over: Collection[str] = ()
) -> tuple[RecordedDecision, ...]:
    """Every decision, oldest first; `over` are the changes of files that were taken back.

    What older versions decided, or a run that was cut off, was not noted: it is told by what stands close together.
    """
    gone = _undone(moves)
    noted = [_read(each, each.id in gone) for each in moves if each.kind is MoveKind.DECISION]
    known = {id_ for each in noted for id_ in (*each.moves, *each.changes)}
    loose = [each for each in moves if each.id not in known and each.kind not in _NOTED]
    lone = [each for each in changes if each.id not in known and each.deed is not None]
    return tuple(sorted((*noted, *_grouped(loose, lone, gone, over)), key=lambda each: (each.at, each.id)))


def undo_moves(decision: RecordedDecision, moves: Sequence[Move]) -> list[tuple[str, str]]:
    """Each subject of a decision, with the moves about it that are to be undone as the value of a move."""
    wanted = {decision.id, *decision.moves}
    of: dict[str, list[str]] = {}
    for each in moves:
        if each.id in wanted:
            of.setdefault(each.subject, []).append(each.id)
    return [(subject, " ".join(ids)) for subject, ids in of.items()]


def _undone(moves: Iterable[Move]) -> set[str]:
    return {id_ for each in moves if each.kind is MoveKind.UNDO for id_ in each.value.split()}


def _read(move: Move, is_undone: bool) -> RecordedDecision:  # noqa: FBT001 - ours
    did, *rest = move.value.split() or [""]
    of = {mark: tuple(each[2:] for each in rest if each.startswith(mark)) for mark in (_MOVE, _CHANGE, _ENTRY, _GUARD)}
    return RecordedDecision(
        move.id, move.at, move.by, did, move.subject, of[_MOVE], of[_CHANGE], of[_ENTRY], of[_GUARD], is_undone
    )


def _grouped(
    loose: Sequence[Move], lone: Sequence[Change], gone: Collection[str], over: Collection[str]
) -> Iterable[RecordedDecision]:
    """Moves and changes that stand close together, as decisions."""
    rows: list[Move | Change] = sorted((*loose, *lone), key=lambda each: (each.at, each.id))
    groups: list[list[Move | Change]] = []
    for row in rows:
        if groups and _belongs(row, groups[-1]):
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        moves = [each for each in group if isinstance(each, Move)]
        files = [each for each in group if not isinstance(each, Move)]
        first = next((each for each in moves if each.kind in _OWN), None)
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
                each.id in (gone if isinstance(each, Move) else over) for each in group if first or each in files
            ),
        )


def _belongs(row: Move | Change, group: Sequence[Move | Change]) -> bool:
    """Whether a row was made with those before it: changes come before the moves of the same decision."""
    last = group[-1]
    if row.at - last.at > _GAP:
        return False
    if not isinstance(row, Move):
        return not isinstance(last, Move) and row.why == last.why
    answers = [each for each in group if isinstance(each, Move) and each.kind is MoveKind.ANSWER]
    is_next = row.kind is MoveKind.ANSWER and bool(answers)
    return not is_next and all(each.by is row.by for each in group if isinstance(each, Move))
