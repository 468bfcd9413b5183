"""What a Learner can be asked and told about entries, proposals and rules; a person's answer is carried out here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_kinds import Answered
from wisen.decisions.service import answer_words, decision_words
from wisen.errors import FileError, UsageError
from wisen.model.context import EVERYWHERE
from wisen.model.entry import (
    LOGGABLE,
    Answer,
    Category,
    Entry,
    EntryType,
    MoveKind,
    Origin,
    Priority,
    ProposalType,
    Source,
    Status,
    Who,
    rule_id,
)
from wisen.model.entry_state import states
from wisen.proposals.naming import ProposalNamer
from wisen.rules.rule_writing import Placer
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.edits.edit import Edit
    from wisen.edits.permission import Leave
    from wisen.lessons.joining import Joined
    from wisen.model.change import Change
    from wisen.model.entry import Logged, Move, Occurrence
    from wisen.model.entry_state import Asked, EntryState
    from wisen.parts import Parts


_MANY = 100
"""From so many entries on, all decisions are read at once."""


_OF_USER = (Source.USER_FEEDBACK, Source.CONVERSATION)
_LOUD = (Priority.CRITICAL, Priority.HIGH)


class Reviewer(ProposalNamer, Placer):
    """What a Learner can be asked and told about entries, proposals and rules."""

    _parts: Parts

    def entries(self) -> tuple[EntryState, ...]:
        """Every entry with what became of it, oldest first."""
        ledger = self._parts.ledger
        return states(ledger.entries(), ledger.tallies(), ledger.moves(), ledger.reinforcements())

    def top_entries(
        self, limit: int, *, every: bool = False, context: str | None = None
    ) -> tuple[tuple[EntryState, ...], int]:
        """The entries that came up most, and how many there are; only those that are shown are read.

        With `every` also those that are over.
        """
        ledger = self._parts.ledger
        over = ledger.over()
        fits = [id_ for id_ in ledger.ranked(context) if every or id_ not in over]
        shown = fits[:limit]
        read = set(shown)
        read |= {id_ for id_, into in over.items() if into in read}
        moves = ledger.moves() if len(read) > _MANY else [move for id_ in sorted(read) for move in ledger.moves(id_)]
        found = {each.entry.id: each for each in states(ledger.entries(read), ledger.tallies(read), moves)}
        return tuple(found[id_] for id_ in shown), len(fits)

    def entry(self, name: str) -> tuple[EntryState, tuple[Occurrence, ...]]:
        """An entry by its name or id, or the beginning of one, and where it was seen.

        Raises:
            UsageError: no entry, or more than one, has such a name.
        """
        found = self._entry(name)
        return found, self._parts.ledger.occurrences(found.entry.id)

    def decisions(self, state: EntryState) -> tuple[Move, ...]:
        """What was decided about an entry and what was proposed of it, oldest first."""
        ledger = self._parts.ledger
        subjects = {state.entry.id, *(each.id for each in ledger.proposals() if each.entry == state.entry.id)}
        return tuple(move for move in ledger.moves() if move.subject in subjects)

    def leave_for(self, each: Asked) -> Leave:
        """Whether policy lets a proposal pass, proposes it or asks."""
        from wisen.edits.permission import Leave, Profile, leave_for

        if each.proposal.type is ProposalType.SUGGESTION:
            return Leave.ASK
        parts = self._parts
        (entry,) = parts.ledger.entries([each.proposal.entry])
        place = self.place_of(each.proposal)
        path = each.proposal.path if place is None else place.path
        tracked = parts.checkouts.is_tracked(path) or self._is_linked(path)
        profile, name = Profile(parts.promote.profile), Path(path).name
        return leave_for(profile, name, entry.origin, tracked=tracked, certain=entry.category is Category.PREFERENCE)

    def _is_linked(self, path: str) -> bool:
        """Whether a link leads to another file, which nobody named: a person has to see which."""
        try:
            return self._parts.files.linked_to(Path(path)) is not None
        except FileError:
            return True

    @one_writer("answer")
    def answer(
        self,
        proposal: str,
        given: Answer,
        *,
        text: str | None = None,
        dry_run: bool = False,
        by: Who = Who.USER,
        to: str | None = None,
    ) -> Answered:
        """Carry out what the user, or policy, says to a proposal: an approved one goes into its file, by the one door.

        `to` names another place for it, which is remembered for this file of the project.

        Raises:
            PlaceNeeded: it cannot go into its file; then nothing was answered, and the error names other places.
            UsageError: there is no such proposal, the text cannot be a rule, or there is no such place.
            PersonNeeded: the user is to have answered, and nothing shows that a person does.
            FileError: the file cannot be read or written; then nothing was answered.
        """
        each = self.proposal(proposal)
        with self.as_decision(given.value, each.proposal.id, dry_run=dry_run, by=by):
            return self._answer(each, given, (text, to), dry_run=dry_run, by=by)

    def _answer(
        self, each: Asked, given: Answer, said: tuple[str | None, str | None], *, dry_run: bool, by: Who
    ) -> Answered:
        """Carry out an answer; `said` are other words and another place, where the user gave any."""
        from wisen.lessons.rulebook import write_books
        from wisen.model.entry_names import name_of
        from wisen.proposals.answers import Word, answered, bearer
        from wisen.proposals.suggest import is_only_recorded, suggested_entry

        text, to = said
        if not each.waits:
            raise self._answered_already(each)
        if each.proposal.words:
            return self._answer_command(each, given, dry_run=dry_run, by=by)
        if by is Who.USER:
            self.require_person(*answer_words(each.proposal.id, given, text, to), dry_run=dry_run)
        parts, scribe = self._parts, self._parts.scribe
        worded = (text if text is not None else each.proposal.text).strip()
        edit, place = None, self.place_of(each.proposal, to)
        names = {entry.name for entry in parts.ledger.entries()}

        def named(type_: EntryType, id_: str) -> str:
            return name_of(type_, parts.clock.now(), id_, names)

        new = suggested_entry(each.proposal, named, scribe) if each.proposal.kind else None
        if by is not Who.USER and each.proposal.type is ProposalType.SUGGESTION:
            raise UsageError(f"{each.proposal.id} is an agent's suggestion, and needs the user's own word.")
        unwanted = each.proposal.type is ProposalType.SUGGESTION and given is not Answer.APPROVED
        if unwanted or (new is not None and is_only_recorded(new)):
            return self._recorded(each, given, None if unwanted else new, worded, dry_run=dry_run)
        state = self._entry(each.proposal.entry) if new is None else states([new], (), ())[0]
        widens = given is Answer.APPROVED and place is not None and place.widens
        meant = structs.replace(each.proposal, context=EVERYWHERE) if widens else each.proposal
        rule = bearer(meant, state, lambda id_: named(state.entry.type, id_), scribe)
        if given is Answer.APPROVED and place is not None:
            edit = self.write_rule(each.proposal, place, worded, rule.id, said=to is not None, dry_run=dry_run)
        if dry_run:
            return Answered(each, edit, place)
        rows = answered(meant, state, rule, Word(given, worded, by), scribe)
        if given is Answer.APPROVED and place is not None and to is not None:
            rows += self.place_move(each.proposal, place)
        parts.ledger.enter([*([new] if new is not None else []), *rows])
        write_books(parts, self.entries())
        return Answered(each, edit, place)

    def _answer_command(self, each: Asked, given: Answer, *, dry_run: bool, by: Who) -> Answered:
        """Answer a decision that others asked for. It is taken by its command, which checks what it is given."""
        if by is not Who.USER or given is Answer.APPROVED:
            raise UsageError(f"{each.proposal.id} is a decision that is taken by its command: {each.proposal.text}")
        if not dry_run:
            self.answer_request(each.proposal.id, given)
        return Answered(each, None)

    def _recorded(self, each: Asked, given: Answer, new: Entry | None, worded: str, *, dry_run: bool) -> Answered:
        """What an agent suggested becomes an entry that is no rule, or nothing at all."""
        rows: list[Entry | Move] = [structs.replace(new, summary=worded)] if new is not None else []
        rows.append(self._parts.scribe.move(each.proposal.id, MoveKind.ANSWER, given, by=Who.USER))
        if not dry_run:
            self._parts.ledger.enter(rows)
        return Answered(each, None)

    def log(self, logged: Logged, *, dry_run: bool = False) -> Entry:
        """Record an entry by hand.

        Raises:
            UsageError: the kind, source or priority is none that there is, or the text is empty or holds a secret.
            PersonNeeded: it is called the user's word or important, and nothing shows that a person says so.
        """
        from wisen.model.entry_names import name_of
        from wisen.safety.withhold import rule_against

        if logged.kind not in LOGGABLE:
            raise UsageError(f"{logged.kind!r} cannot be logged. It is one of {', '.join(LOGGABLE)}.")
        for value, of in ((logged.source, Source), (logged.priority, Priority)):
            if value not in list(of):
                raise UsageError(f"{value!r} is no {of.__name__.lower()}. It is one of {', '.join(of)}.")
        if not logged.text.strip():
            raise UsageError("There is nothing to log. Give a text.")
        rule = rule_against(" ".join((logged.text, logged.area, logged.key)))
        if rule is not None:
            raise UsageError(f"The text holds what may not be stored ({rule}). Word it without that.")
        if logged.source in _OF_USER or logged.priority in _LOUD:
            # What is called the user's word, or told to every session as important, is theirs to log.
            options = ("--source", logged.source, "--priority", logged.priority)
            self.require_person("entries", "log", logged.kind, logged.text, *options, dry_run=dry_run)
        parts, id_ = self._parts, self._parts.ids.new()
        type_, category = LOGGABLE[logged.kind]
        now = parts.clock.now()
        entry = Entry(
            id=id_,
            name=name_of(type_, now, id_, {each.name for each in parts.ledger.entries()}),
            machine=parts.machine,
            context=logged.context,
            at=now,
            type=type_,
            category=category,
            summary=" ".join(logged.text.split()),
            source=Source(logged.source),
            origin=Origin.LOGGED,
            priority=Priority(logged.priority),
            area=logged.area,
            key=logged.key,
        )
        if not dry_run:
            parts.ledger.enter([entry])
        return entry

    def write_learnings(self, path: Path, *, dry_run: bool = False) -> list[Edit]:
        """Write the entries of a project into its `.learnings`, which is made where it is missing.

        Raises:
            UsageError: the directory belongs to no project.
            FileError: a file cannot be read or written.
        """
        from wisen.rules.learnings_folder import put_down
        from wisen.safety.entry_words import is_told

        context = self.context_of(path)
        if not context:
            raise UsageError(f"{path} belongs to no project. Go to a project's folder, or give one.")
        parts = self._parts
        told = [each for each in self.entries() if each.context == context and not each.is_over and is_told(each)]
        return put_down(parts.desk, path, told, parts.ledger.occurrences, dry_run=dry_run)

    def context_of(self, path: Path) -> str:
        """The key of the context that a directory belongs to; empty outside of any."""
        return self._parts.context_of(path)

    def decide(self, name: str, kind: MoveKind, value: str = "", *, dry_run: bool = False) -> EntryState:
        """Take the user's word about an entry: its status, its wording, where it holds, or what it is the same as.

        Raises:
            UsageError: there is no such entry, or the value is none that there is.
            PersonNeeded: nothing shows that a person says so.
        """
        found = self._entry(name)
        if kind is MoveKind.STATUS and value not in list(Status):
            raise UsageError(f"{value!r} is no status. It is one of {', '.join(Status)}.")
        if kind is MoveKind.PRIORITY and value not in list(Priority):
            raise UsageError(f"{value!r} is no priority. It is one of {', '.join(Priority)}.")
        if kind is MoveKind.TEXT:
            value = self._worded(value)
        if kind is MoveKind.MERGE and not value:
            if not found.merged_into:
                raise UsageError(f"{name} stands by itself already. wisen entries show {name} tells what it holds.")
        elif kind is MoveKind.MERGE:
            into = self._entry(value)
            if into.entry.id == found.entry.id or into.merged_into:
                raise UsageError(f"{name} cannot be merged into {value}. Name an entry that stands by itself.")
            value = into.entry.id
        if kind is MoveKind.SUPERSEDE:
            by = self._entry(value)
            if by.entry.id == found.entry.id or by.is_over:
                raise UsageError(f"{name} cannot give way to {value}. Name another entry that holds: wisen rules")
            value = by.entry.id
        self.require_person(*decision_words(found.entry.name, kind, value), dry_run=dry_run)
        if not dry_run:
            # Who says that it holds, here or everywhere, says that it is right.
            holds = kind is MoveKind.EVERYWHERE or (kind, value) == (MoveKind.STATUS, Status.PROMOTED)
            kinds = (MoveKind.CONFIRM, kind) if holds else (kind,)
            scribe = self._parts.scribe
            with self.as_decision("entry", found.entry.id):
                self._parts.ledger.enter([scribe.move(found.entry.id, each, value, by=Who.USER) for each in kinds])
        return found

    def split(self, name: str, which: Sequence[str], text: str = "", *, dry_run: bool = False) -> Entry:
        """Take occurrences out of an entry by their sessions or ids, or how those begin; returns what they are now.

        Raises:
            UsageError: there is no such entry, a name fits none of its occurrences, or the text may not be stored.
        """
        from wisen.lessons.split import split
        from wisen.safety.withhold import rule_against

        parts, (state, seen) = self._parts, self.entry(name)
        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text holds what may not be stored ({rule}). Word it without that.")
        told = [word for each in which for word in ("--seen", each)]
        words = ("entries", "split", state.entry.name, *told, *(("--text", text) if text else ()))
        names = {each.name for each in parts.ledger.entries()}
        split(state, seen, which, " ".join(text.split()), names, parts.scribe)  # what is wrong is told first
        self.require_person(*words, dry_run=dry_run)
        parts = self._parts
        entry, moves = split(state, seen, which, " ".join(text.split()), names, parts.scribe)
        if not dry_run:
            with self.as_decision("split", state.entry.id):
                self._parts.ledger.enter([entry, *moves])
        return entry

    @one_writer("repair")
    def join_doubles(self, *, dry_run: bool = False) -> Joined:
        """Join lessons and questions that two runs recorded at the same time; second lines leave the user's files."""
        from wisen.lessons.joining import join_doubles

        return join_doubles(self._parts, dry_run=dry_run)

    def took_back(self, change: Change, why: str = "you took it back") -> None:
        """A rule that the user took out of a file again is one that he rejected."""
        from wisen.decisions.rejecting import reject
        from wisen.edits.rule_lines import rule_of

        entry = rule_of(change, self.entries())
        if entry is not None:
            reject(self._parts.base, entry, why)

    def _worth(self) -> dict[str, float]:
        """How useful the lines of ours are, should some have to make room."""
        now = self._parts.clock.now()
        return {rule_id(each.entry.id): 10.0 * each.weight(now) + each.durable for each in self.entries()}

    def _entry(self, name: str) -> EntryState:
        every = self.entries()
        fits = [
            each
            for each in every
            if name and (each.entry.name.startswith(name.upper()) or name in (each.entry.id, rule_id(each.entry.id)))
        ]
        exact = [each for each in fits if each.entry.name == name.upper()]
        if len(exact or fits) != 1:
            found = f"{len(fits)} entries begin with" if fits else "No entry has the name"
            raise UsageError(f"{found} {name!r}. The names stand beside the entries: wisen entries")
        return (exact or fits)[0]
