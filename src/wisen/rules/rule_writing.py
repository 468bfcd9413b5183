"""Writes approved rules into their files as recorded edits, or reports the places where they can go instead."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.decisions.proposal_kinds import refuse_place
from wisen.errors import FileChanged, FileError, PersonNeeded, PlaceNeeded, StoreError, UsageError
from wisen.model.change import LineEdit, ValueEdit, content_digest
from wisen.model.entry import Actor, MoveKind, rule_id
from wisen.model.place import PlaceName, parse_place
from wisen.rules.rule_places import has_place
from wisen.store.known_entries import entry_states

if TYPE_CHECKING:
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.model.change import Change, EditOperation, FileVersion
    from wisen.model.entry import Move, Proposal
    from wisen.model.place import RulePlace
    from wisen.rules.rule_places import RulePlaces
    from wisen.store.home import Home

_NOT_ABOUT_PLACE = (FileChanged, StoreError, PersonNeeded)
"""Errors that another place would not fix."""


class ChosenPlace(NamedTuple):
    """The user's choice for one file of a project."""

    context: str
    file: str
    to: str


class RuleWriter:
    """Writes approved rules, and remembers where the user wants them."""

    def __init__(self, home: Home, edit_ports: EditPorts, decisions: Decisions, places: RulePlaces) -> None:
        self._home, self._edit_ports, self._decisions, self._places = home, edit_ports, decisions, places

    def place_of(self, proposal: Proposal, to: str | None = None) -> RulePlace | None:
        """Return where the rule of a proposal goes: where `to` says, else the user's earlier choice, else its own file.

        None if it goes into no file at all.

        Raises:
            UsageError: there is no such place.
        """
        if has_place(proposal):
            return self._places.place_for(proposal, to)
        refuse_place(proposal, to)
        return None

    def chosen_places(self) -> tuple[ChosenPlace, ...]:
        """Return the places that the user chose, by project and file."""
        from wisen.rules.place_choices import chosen_places

        moves = [each for each in self._home.ledger.moves.all() if each.kind is MoveKind.PLACE]
        contexts = ["", *sorted(each.key for each in self._home.ledger.contexts.all())]
        return tuple(
            ChosenPlace(context, file, word)
            for context in contexts
            for file, word in sorted(chosen_places(moves, context).items())
        )

    def choose_place(self, context: str, file: str, to: str, *, dry_run: bool = False) -> ChosenPlace:
        """Record the user's choice of where rules go that would go into one of a project's files; `ask` asks again.

        Raises:
            UsageError: there is no such place.
            PersonNeeded: nothing shows that a person decided this.
        """
        from wisen.rules.place_choices import ASK, choice_subject, choice_value

        word = to if to == ASK else parse_place(to)
        kept = [each.value for each in PlaceName if each is not PlaceName.OWN]
        if word not in (*kept, ASK):
            why = " It is said each time, because the rule then holds everywhere." if word == PlaceName.OWN else ""
            raise UsageError(f"{to!r} cannot be chosen.{why} Allowed: {', '.join((*kept, ASK))}.")
        words = ("proposals", "place", word, "--file", file, *(("--context", context) if context else ("--global",)))
        self._decisions.require_person(*words, dry_run=dry_run)
        if not dry_run:
            move = self._home.row_factory.build_move(
                choice_subject(context), MoveKind.PLACE, choice_value(file, word), by=Actor.USER
            )
            self._home.ledger.entries.record([move])
        return ChosenPlace(context, file, word)

    def write_rule(
        self,
        proposal: Proposal,
        place: RulePlace,
        text: str,
        entry: str,
        *,
        place_was_named: bool = False,
        dry_run: bool = False,
    ) -> Edit | None:
        """Write an approved rule to its place; None if it goes into no file of the user's.

        `place_was_named`: the user named the place just now.

        Raises:
            PlaceNeeded: it cannot go there; nothing was written, and the error names the places where it can go.
            UsageError: the text cannot be a line.
        """
        from wisen.edits.managed_lines import render_line
        from wisen.safety.withhold import rule_against

        id_ = rule_id(entry)
        if place.word is PlaceName.HOOK:
            return None
        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The rule contains something that may not be stored ({rule}). Rephrase it without that.")
        try:
            render_line(text, id_)
        except ValueError as error:
            raise UsageError(f"Nothing was written: {error}.") from error
        problem = self._places.find_problem(place)
        if problem is not None and not problem.is_size:
            raise self._place_needed(proposal, place, problem.text)
        grows = place.word is PlaceName.FILE and (
            place_was_named or self._places.choice_for(proposal) is PlaceName.FILE
        )
        try:
            return self._write(proposal, place, text, id_, may_be_full=grows, dry_run=dry_run)
        except _NOT_ABOUT_PLACE:
            raise
        except (FileError, UsageError) as error:
            raise self._place_needed(proposal, place, str(error)) from error

    def _write(
        self, proposal: Proposal, place: RulePlace, text: str, id_: str, *, may_be_full: bool, dry_run: bool
    ) -> Edit:
        """Write an approved rule into its file: as a line, or as a value in a JSON file."""
        from wisen.edits.edit_operations import has_line
        from wisen.edits.editor import Edit, Editor, LinePlan, ValuePlan
        from wisen.edits.preferences import insertion_keys

        edit_ports, path, why = self._edit_ports, place.path, _why(proposal)
        seen = edit_ports.files.read(Path(path))
        content = seen.content
        written = self._written_before(proposal, seen, id_, text)
        if written is not None:
            if not dry_run:
                self._home.ledger.changes.add(written)  # it is part of this decision
            return Edit(written, content, content)
        if proposal.replaces and has_line(proposal.replaces, content or b""):
            plan = LinePlan(path, place.heading, text, id_, why, content_digest(content))
            return Editor(edit_ports).replace_line(plan, proposal.replaces, dry_run=dry_run)
        if not path.endswith(".json"):
            plan = LinePlan(path, place.heading, text, id_, why, content_digest(content), may_be_full)
            return Editor(edit_ports).add_line(plan, self._usefulness(), dry_run=dry_run)
        keys = insertion_keys(content, id_)
        if keys is None:
            raise UsageError(f"{path} holds no texts under `preferences` any more. Fix it, or reject the proposal.")
        return Editor(edit_ports).set_value(ValuePlan(path, keys, text, why, content_digest(content)), dry_run=dry_run)

    def _written_before(self, proposal: Proposal, seen: FileVersion, id_: str, text: str) -> Change | None:
        """Return the edit of an earlier answer that wrote this rule, and was stopped before it was recorded."""
        from wisen.edits.edit_history import edit_history
        from wisen.edits.edit_operations import current_text, expected_text
        from wisen.model.decision import decisions_of

        alike = [
            each
            for each in edit_history(self._edit_ports).open_changes(seen.real_path)
            if each.operation is not None
            and each.why == _why(proposal)
            and _writes(each.operation, id_, text)
            and current_text(each.operation, seen.content) == expected_text(each.operation)
        ]
        if not alike:
            return None
        moves = self._home.ledger.moves.all(include_undone=True)
        answers = {each.id for each in moves if each.kind is MoveKind.ANSWER}
        # An answer that failed after the file was written is recorded without the answer, so that it can be undone.
        decided = {
            change
            for decision in decisions_of(moves, ())
            if decision.subject != proposal.id or answers.intersection(decision.moves)
            for change in decision.changes
        }
        return next((each for each in alike if each.id not in decided), None)

    def _place_needed(self, proposal: Proposal, tried: RulePlace, why: str) -> PlaceNeeded:
        offered = tuple(
            (each.word.value, each.says)
            for each in self._places.places_for(proposal)
            if self._places.can_be_offered(each, tried)
        )
        listed = "; ".join(f"--to {word} ({says})" for word, says in offered)
        then = f" Say where it may go: {listed}." if offered else ""
        return PlaceNeeded(f"{why} Nothing was written, and it still waits.{then}", why=why, places=offered)

    def place_move(self, proposal: Proposal, place: RulePlace) -> list[Move]:
        """Return the row that remembers the user's choice of a place; none if it is already known.

        A place that makes a rule global is never remembered.
        """
        from wisen.rules.place_choices import choice_subject, choice_value

        if place.applies_everywhere or self._places.choice_for(proposal) is place.word:
            return []
        value = choice_value(proposal.path, place.word)
        return [
            self._home.row_factory.build_move(choice_subject(proposal.context), MoveKind.PLACE, value, by=Actor.USER)
        ]

    def _usefulness(self) -> dict[str, float]:
        """Return how useful our lines are, in case some must make room."""
        now, every = self._home.clock.now(), entry_states(self._home.ledger)
        return {rule_id(each.entry.id): 10.0 * each.weight(now) + each.durable for each in every}


def _why(proposal: Proposal) -> str:
    """Return the reason that is recorded with the edit for a proposal."""
    return proposal.why.partition("\n")[0]


def _writes(operation: EditOperation, id_: str, text: str) -> bool:
    """Whether an edit wrote a rule with this id and text: as a line, or as a value in a JSON file."""
    if isinstance(operation, LineEdit):
        return (operation.id, operation.text) == (id_, text.strip())
    return isinstance(operation, ValueEdit) and operation.new == msgspec.json.encode(text).decode()
