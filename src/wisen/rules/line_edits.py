"""Records what people did to our lines in their files: a removed line rejects the rule, a reworded one rewords it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.decisions.reject_rule import reject_rule
from wisen.edits.rule_lines import entry_of_change
from wisen.model.change import ChangeFate, LineEdit
from wisen.model.entry import REMOVED_PREFIX, Actor, Answer, EntryStatus, MoveKind, Proposal
from wisen.model.entry_state import fold_proposal_states
from wisen.store.known_entries import KnownEntries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.change import Change, ChangeCheck
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.home import Home

_GONE = "the line is gone since another branch or commit was checked out, or history was rewritten"


def apply_line_edits(home: Home, checks: Sequence[ChangeCheck]) -> None:
    """Record the edits as the user's decisions, or ask once where something else may have made them."""
    if not checks:
        return
    known = KnownEntries(home.ledger)
    states = {state.entry.id: state for state in known.states}
    changes = {each.id: each for each in home.ledger.changes.of(machine=home.machine)}
    for check in checks:
        change = changes.get(check.change)
        state = states.get(entry_of_change(change, known.states) or "") if change is not None else None
        if change is None or state is None:
            continue
        if check.fate is ChangeFate.REMOVED and not state.is_closed:
            reject_rule(home, state.entry.id, f"{REMOVED_PREFIX}{change.path}", at=_changed_at(home, check.path))
        elif check.fate is ChangeFate.REWORDED:
            _record_wording(home, state, check)
        elif check.fate is ChangeFate.STANDS and _was_removed(known, state):
            why = f"you put it back into {check.path}"
            move = home.row_factory.build_move(
                state.entry.id, MoveKind.STATUS, EntryStatus.PROMOTED, by=Actor.USER, why=why
            )
            home.ledger.entries.record([move])
    _ask_about_lines(home, known, [(changes[look.change], look) for look in checks if look.change in changes])


def _record_wording(home: Home, state: EntryState, check: ChangeCheck) -> None:
    """Record the user's wording of a rule; it applies everywhere."""
    words = " ".join(_text_of_line(check.text).split())
    if words and words != " ".join(state.text.split()):
        why = f"you worded it so in {check.path}"
        home.ledger.entries.record(
            [home.row_factory.build_move(state.entry.id, MoveKind.TEXT, words, by=Actor.USER, why=why)]
        )


def _text_of_line(text: str) -> str:
    """Return the text of a line, or of a value stored as JSON."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return value if isinstance(value, str) else text


def _changed_at(home: Home, path: str) -> datetime:
    """Return when a file was last changed: statements after that are newer than the edit."""
    now = home.clock.now()
    try:
        return min(now, datetime.fromtimestamp(Path(path).stat().st_mtime, UTC))
    except (OSError, ValueError, OverflowError):
        return now


def _was_removed(known: KnownEntries, state: EntryState) -> bool:
    moves = [each for each in known.moves if each.subject == state.entry.id and each.kind is MoveKind.STATUS]
    return state.status is EntryStatus.WONT_FIX and bool(moves) and moves[-1].why.startswith(REMOVED_PREFIX)


def _ask_about_lines(home: Home, known: KnownEntries, seen: Sequence[tuple[Change, ChangeCheck]]) -> None:
    """Ask once about each line that git may have removed; the question expires when the line is back."""
    before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    rows: list[Proposal | Move] = []
    for change, check in seen:
        words = ("changes", "refuse", change.id)
        about = [each for each in before if each.proposal.words == words]
        if check.fate is ChangeFate.UNCLEAR and not check.text and not about and isinstance(change.operation, LineEdit):
            rows.append(_question(home, change, change.operation, words))
        elif check.fate is not ChangeFate.UNCLEAR:
            rows += [
                home.row_factory.build_move(each.proposal.id, MoveKind.ANSWER, Answer.EXPIRED)
                for each in about
                if each.is_waiting
            ]
    home.ledger.entries.record(rows)


def _question(home: Home, change: Change, line: LineEdit, words: tuple[str, ...]) -> Proposal:
    text = f"Did you take “{line.text}” out of {Path(change.path).name}?"
    why = f"In {change.path} {_GONE}. If you did not want the rule any more, say yes; until then it holds."
    return structs.replace(command_proposal(words, text, why, home.row_factory, risk="low"), path=change.path)
