"""Merges duplicates into the entry that stays; the duplicates' lines leave the user's files as recorded edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor
from wisen.errors import FileError, UsageError
from wisen.model.change import ChangeFate, LineEdit
from wisen.model.duplicate_entries import find_duplicate_entries, find_duplicate_proposals, moves_to_carry_over
from wisen.model.entry import Answer, MoveKind, rule_id
from wisen.model.entry_state import fold_proposal_states
from wisen.store.known_entries import KnownEntries

if TYPE_CHECKING:
    from wisen.edits.edit_history import EditPorts
    from wisen.model.change import Change
    from wisen.model.entry import Move
    from wisen.store.home import Home

_WHY = "two runs recorded it at the same time"


class MergeResult(NamedTuple):
    """What was merged, or would be."""

    entries: int
    questions: int
    lines: tuple[str, ...] = ()
    """The files that a line was removed from, once per line."""
    unmerged: tuple[str, ...] = ()
    """What could not be merged, and why."""


def merge_duplicates(home: Home, edit_ports: EditPorts, *, dry_run: bool = False) -> tuple[MergeResult, bool]:
    """Merge what was recorded twice. Nothing is deleted: the ledger keeps all rows, and whatever the user decided.

    Return what was merged, and whether anything was recorded.
    """
    known = KnownEntries(home.ledger)
    lines_in_files = _lines_in_files(edit_ports)
    written = {state.entry.id for state in known.states if rule_id(state.entry.id) in lines_in_files}
    rows: list[Move] = []
    removed, unmerged, merged = list[str](), list[str](), list[str]()
    duplicates = find_duplicate_entries(known.states, known.moves, written)
    for each in duplicates:
        for move in moves_to_carry_over(each, known.moves):
            rows.append(
                home.row_factory.build_move(
                    each.primary.entry.id, move.kind, move.value, by=move.by, why=move.why or _WHY
                )
            )
        for other in each.duplicates:
            lines, staying = (lines_in_files.get(rule_id(state.entry.id), []) for state in (other, each.primary))
            try:
                removed += _remove_lines(edit_ports, lines, staying, dry_run=dry_run)
            except (UsageError, FileError) as error:
                unmerged.append(str(error))
                continue
            merged.append(other.entry.id)
            rows.append(home.row_factory.build_move(other.entry.id, MoveKind.MERGE, each.primary.entry.id, why=_WHY))
    questions = find_duplicate_proposals(fold_proposal_states(home.ledger.proposals.all(), known.moves), duplicates)
    rows += [home.row_factory.build_move(each.id, MoveKind.ANSWER, Answer.EXPIRED, why=_WHY) for each in questions]
    if rows and not dry_run:
        known.record(rows)
    result = MergeResult(len(merged), len(questions), tuple(removed), tuple(unmerged))
    return result, bool(rows) and not dry_run


def _lines_in_files(edit_ports: EditPorts) -> dict[str, list[Change]]:
    """Return the changes whose lines are in files, by rule id."""
    made = edit_history(edit_ports)
    found: dict[str, list[Change]] = {}
    for change in made.effective_changes():
        if isinstance(change.operation, LineEdit) and made.fates[change.id] is ChangeFate.STANDS:
            found.setdefault(change.operation.id, []).append(change)
    return found


def _remove_lines(edit_ports: EditPorts, lines: list[Change], staying: list[Change], *, dry_run: bool) -> list[str]:
    """Remove the lines of a duplicate from the files that also contain the line of the entry that stays."""
    files = {each.path for each in staying}
    done = []
    for change in lines:
        if change.path not in files:
            raise UsageError(f"{change.path} holds a line of it that stands nowhere else: look at `wisen changes`.")
        Editor(edit_ports).undo(change.id, dry_run=dry_run)
        done.append(change.path)
    return done
