"""Answers proposed rules: an approved one goes into its file, as recorded edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_kinds import Answered
from wisen.decisions.service import answer_command
from wisen.errors import FileError, UsageError
from wisen.model.context import EVERYWHERE
from wisen.model.entry import Actor, Answer, Entry, EntryType, MoveKind, ProposalType
from wisen.model.entry_state import fold_entry_states
from wisen.store.known_entries import entry_states, find_entry

if TYPE_CHECKING:
    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.permission import Permission, PromotePolicy
    from wisen.model.entry import Move, Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.rules.rule_writing import RuleWriter
    from wisen.store.home import Home


class RuleProposals:
    """Answers proposals that become lines in files: rules, and agents' suggestions."""

    def __init__(
        self,
        home: Home,
        edit_ports: EditPorts,
        decisions: Decisions,
        refresh: Refresh,
        writer: RuleWriter,
        settings: PromotePolicy,
    ) -> None:
        self._home, self._edit_ports, self._decisions = home, edit_ports, decisions
        self._refresh, self._writer, self._settings = refresh, writer, settings

    def permission_for(self, each: ProposalState) -> Permission:
        """Whether policy approves a proposal, proposes it or asks."""
        from wisen.edits.permission import Permission, Profile, permission_for
        from wisen.text.entry_standing import standing_of

        if each.proposal.type is ProposalType.SUGGESTION:
            return Permission.ASK
        ledger = self._home.ledger
        (state,) = fold_entry_states(ledger.entries.of([each.proposal.entry]), (), ledger.moves.of(each.proposal.entry))
        place = self._writer.place_of(each.proposal)
        path = each.proposal.path if place is None else place.path
        tracked = self._edit_ports.checkouts.is_tracked(path) or self._is_linked(path)
        profile, name = Profile(self._settings.profile), Path(path).name
        certain = standing_of(state).is_standing and not each.proposal.unworded and not state.is_private
        return permission_for(profile, name, state.entry.origin, is_tracked=tracked, is_certain=certain)

    def _is_linked(self, path: str) -> bool:
        """Whether a link leads to another file, which nobody named: a person must see which."""
        try:
            return self._edit_ports.files.link_target(Path(path)) is not None
        except FileError:
            return True

    def answer(
        self,
        each: ProposalState,
        given: Answer,
        *,
        text: str | None = None,
        to: str | None = None,
        dry_run: bool = False,
        by: Actor = Actor.USER,
    ) -> Answered:
        """Execute an answer to a waiting proposal. Raises: UsageError, PersonNeeded, PlaceNeeded, FileError."""
        from wisen.decisions.proposal_rows import is_only_recorded, suggested_entry
        from wisen.model.entry_names import entry_name
        from wisen.rules.rule_answers import GivenAnswer, answer_rows, rule_entry

        if by is Actor.USER:
            self._decisions.require_person(*answer_command(each.proposal.id, given, text, to), dry_run=dry_run)
        home, factory = self._home, self._home.row_factory
        worded = (text if text is not None else each.proposal.text).strip()
        edit, place = None, self._writer.place_of(each.proposal, to)
        names = {entry.name for entry in home.ledger.entries.all()}

        def named(type_: EntryType, id_: str) -> str:
            return entry_name(type_, home.clock.now(), id_, names)

        new = suggested_entry(each.proposal, named, factory) if each.proposal.kind else None
        if by is not Actor.USER and each.proposal.type is ProposalType.SUGGESTION:
            raise UsageError(f"{each.proposal.id} is an agent's suggestion, and needs the user's own word.")
        unwanted = each.proposal.type is ProposalType.SUGGESTION and given is not Answer.APPROVED
        if unwanted or (new is not None and is_only_recorded(new)):
            return self._record_suggestion(each, given, None if unwanted else new, worded, dry_run=dry_run)
        state = (
            find_entry(entry_states(home.ledger), each.proposal.entry)
            if new is None
            else fold_entry_states([new], (), ())[0]
        )
        if text is None and given is Answer.APPROVED and each.proposal.unworded:
            worded = _wording_of(each.proposal, state)
        widens = given is Answer.APPROVED and place is not None and place.applies_everywhere
        meant = structs.replace(each.proposal, context=EVERYWHERE) if widens else each.proposal
        rule = rule_entry(meant, state, lambda id_: named(state.entry.type, id_), factory)
        if given is Answer.APPROVED and place is not None:
            edit = self._writer.write_rule(
                each.proposal, place, worded, rule.id, place_was_named=to is not None, dry_run=dry_run
            )
        if dry_run:
            return Answered(each, edit, place)
        rows = answer_rows(meant, state, rule, GivenAnswer(given, worded, by), factory)
        if given is Answer.APPROVED and place is not None and to is not None:
            rows += self._writer.place_move(each.proposal, place)
        home.ledger.entries.record([*([new] if new is not None else []), *rows])
        self._refresh.context_files()
        return Answered(each, edit, place)

    def _record_suggestion(
        self, each: ProposalState, given: Answer, new: Entry | None, worded: str, *, dry_run: bool
    ) -> Answered:
        """Record an approved suggestion that is not a rule as an entry; else nothing."""
        rows: list[Entry | Move] = [structs.replace(new, summary=worded)] if new is not None else []
        rows.append(self._home.row_factory.build_move(each.proposal.id, MoveKind.ANSWER, given, by=Actor.USER))
        if not dry_run:
            self._home.ledger.entries.record(rows)
        return Answered(each, None)


def _wording_of(proposal: Proposal, state: EntryState) -> str:
    """Return a wording that a person gave since the quote was proposed. Raises: UsageError."""
    from wisen.text.entry_standing import needs_wording

    if state.text != proposal.text and not needs_wording(state):
        return state.text
    raise UsageError(
        f"Your message is not worded as a rule yet: “{proposal.text}”. Word it: wisen review opens your editor, or "
        f'wisen proposals approve {proposal.id} --text "…"'
    )
