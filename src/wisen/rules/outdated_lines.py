"""Finds our lines in the user's files that no longer match their rule, and proposes to change each of them.

A newer statement superseded the line, or the user reworded the rule elsewhere. Nothing is written here: the user
approves the change of each file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.decisions.proposal_rows import replacement_proposal
from wisen.edits import edit_operations
from wisen.edits.edit_history import edit_history, locate_change
from wisen.edits.targets import Target
from wisen.errors import FileError, SettingsUnclear
from wisen.model.change import ChangeFate, LineEdit
from wisen.model.entry import Answer, rule_id
from wisen.text.superseded import successor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.edits.edit_history import EditPorts
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.store.home import Home

_STANDS = (ChangeFate.STANDS, ChangeFate.REWORDED)


class OutdatedRule(NamedTuple):
    """A line in a file that no longer matches its rule."""

    entry: EntryState
    """The entry whose text belongs there."""
    of: EntryState
    """The entry that the line was written for."""
    line: str
    """The id of the line."""
    text: str
    """What it says."""
    target: Target


def find_outdated_lines(edit_ports: EditPorts, states: Sequence[EntryState]) -> list[OutdatedRule]:
    """Return our outdated lines, each with the entry whose text belongs in its place."""
    by_id = {each.entry.id: each for each in states}
    by_line = {rule_id(each.entry.id): each for each in states}
    known = edit_history(edit_ports)
    outdated = []
    for change in known.effective_changes():
        operation = change.operation
        state = by_line.get(operation.id) if isinstance(operation, LineEdit) else None
        if state is None or not isinstance(operation, LineEdit) or known.fates[change.id] not in _STANDS:
            continue
        current = successor(state, by_id)
        if current.is_over or (current is state and _plain(operation.text) == _plain(state.text)):
            continue
        try:
            seen = locate_change(edit_ports, change, known)
            text = edit_operations.current_text(operation, seen.content)
        except (FileError, SettingsUnclear):
            continue  # somebody is editing the file
        if text is not None and _plain(text) != _plain(current.text):
            outdated.append(OutdatedRule(current, state, operation.id, text, Target(seen.path, operation.heading)))
    return outdated


def propose_replacements(
    home: Home, outdated: Sequence[OutdatedRule], before: Sequence[ProposalState]
) -> list[Proposal]:
    """Propose to change these lines; what was asked before waits for new evidence or another wording."""
    last = {(each.proposal.path, each.proposal.replaces): each for each in before if each.proposal.replaces}
    follows = {(each.proposal.entry, each.proposal.context): each.proposal.id for each in before}
    proposals: list[Proposal] = []
    for each in outdated:
        asked_last, state = last.get((each.target.path, each.line)), each.entry
        if asked_last is not None and not _may_ask(asked_last, state):
            continue
        evidence = home.ledger.occurrences.of(state.entry.id)
        key = (state.entry.id, state.context)
        proposal = replacement_proposal(state, evidence, each, follows.get(key, ""), home.row_factory)
        follows[key] = proposal.id
        proposals.append(proposal)
    return proposals


def _may_ask(last: ProposalState, state: EntryState) -> bool:
    """Whether to ask about a line again: something else belongs there now, or there is new evidence."""
    proposal = last.proposal
    if proposal.entry != state.entry.id or _plain(proposal.text) != _plain(state.text):
        return True
    new = state.sessions > proposal.sessions
    return new and last.answer in (Answer.SKIPPED, Answer.EXPIRED, Answer.REJECTED)


def _plain(text: str) -> str:
    """Normalize a text as a line of a file has it."""
    from wisen.text.rule_wording import rule_line

    return " ".join(rule_line(text).split())
