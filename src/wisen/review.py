"""What a Learner can be asked and told about entries, proposals and rules; a person's answer is carried out here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.domain.changes import Line, digest
from wisen.domain.contexts import Alias
from wisen.domain.entries import (
    LOGGABLE,
    Answer,
    Category,
    Entry,
    MoveKind,
    Origin,
    Priority,
    Source,
    Status,
    Who,
)
from wisen.domain.entry_states import asked, states
from wisen.errors import UsageError
from wisen.loop.apply.edit import Editor, LinePlan
from wisen.loop.apply.learnings import put_down
from wisen.loop.promote.policy import Profile, leave_for
from wisen.loop.record.entries import name_of
from wisen.rulebook import book_path, is_told, reject, rule_id, states_of, write_books
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from wisen.domain.contexts import Context
    from wisen.domain.entries import Logged, Move, Occurrence
    from wisen.domain.entry_states import Asked, EntryState
    from wisen.loop.apply.edit import Edit
    from wisen.loop.promote.policy import Leave
    from wisen.parts import Parts


_MANY = 100
"""From so many entries on, all decisions are read at once."""


class Answered(NamedTuple):
    """What a person's answer did."""

    asked: Asked
    edit: Edit | None
    """The change that was made, or would be."""


class Reviewer:
    """What a Learner can be asked and told about entries, proposals and rules."""

    _parts: Parts

    def entries(self) -> tuple[EntryState, ...]:
        """Every entry with what became of it, oldest first."""
        return states_of(self._parts)

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

    def contexts(self) -> tuple[tuple[Context, tuple[str, ...], int], ...]:
        """Every context with the directories of this machine that it was seen in, and how many entries it has."""
        ledger = self._parts.ledger
        many = Counter(tally.context for tally in ledger.tallies())
        aliases = ledger.aliases(self._parts.machine)
        return tuple(
            (each, tuple(dict.fromkeys(alias.path for alias in aliases if alias.context == each.key)), many[each.key])
            for each in ledger.contexts()
        )

    def alias(self, key: str, path: Path, *, dry_run: bool = False) -> Context:
        """Say that a directory of this machine belongs to a context: what was learnt there holds in it from now on.

        Raises:
            UsageError: there is no such context, or no such directory.
        """
        fits = [each for each in self._parts.ledger.contexts() if key and each.key.startswith(key)]
        if len(fits) != 1:
            found = f"{len(fits)} contexts begin with" if fits else "No context has the key"
            raise UsageError(f"{found} {key!r}. The keys: wisen contexts")
        if not path.is_dir():
            raise UsageError(f"{path} is no directory. Give one of this machine.")
        parts = self._parts
        if not dry_run:
            since = parts.clock.now()
            where = Alias(context=fits[0].key, machine=parts.machine, path=str(path.resolve()), since=since)
            parts.ledger.sight(fits[0], where)
        return fits[0]

    def proposals(self) -> tuple[Asked, ...]:
        """Every proposal with what became of it, oldest first."""
        return asked(self._parts.ledger.proposals(), self._parts.ledger.moves())

    def leave_for(self, each: Asked) -> Leave:
        """Whether policy lets a proposal pass, proposes it or asks."""
        parts = self._parts
        (entry,) = parts.ledger.entries([each.proposal.entry])
        tracked = parts.checkouts.at(each.proposal.path) is not None
        profile, name = Profile(parts.promote.profile), Path(each.proposal.path).name
        return leave_for(profile, name, entry.origin, tracked=tracked, certain=entry.category is Category.PREFERENCE)

    def answer(
        self, proposal: str, given: Answer, *, text: str | None = None, dry_run: bool = False, by: Who = Who.USER
    ) -> Answered:
        """Carry out what the user, or policy, says to a proposal: an approved one goes into its file, by the one door.

        Raises:
            UsageError: there is no such proposal, or the text cannot be a rule.
            FileError: the file cannot be read or written; then nothing was answered.
        """
        parts, scribe = self._parts, self._parts.scribe
        each = self.proposal(proposal)
        if not each.waits:
            raise UsageError(f"{each.proposal.id} was {each.answer} already. What waits: wisen proposals")
        worded = (text if text is not None else each.proposal.text).strip()
        edit = None
        path = each.proposal.path
        if given is Answer.APPROVED and Path(path) != book_path(parts, each.proposal.context):
            saw = digest(parts.files.read(Path(path)).content)
            why = each.proposal.why.partition("\n")[0]
            plan = LinePlan(path, each.proposal.heading, worded, rule_id(each.proposal.entry), why, saw)
            edit = Editor(parts.desk).put(plan, self._worth(), dry_run=dry_run)
        if dry_run:
            return Answered(each, edit)
        rows = [scribe.move(each.proposal.id, MoveKind.ANSWER, given, by=by)]
        if given is Answer.APPROVED:
            if worded != each.proposal.text:
                rows.append(scribe.move(each.proposal.entry, MoveKind.TEXT, worded, by=by))
            if by is Who.USER:
                rows.append(scribe.move(each.proposal.entry, MoveKind.CONFIRM, by=by))
            rows.append(scribe.move(each.proposal.entry, MoveKind.STATUS, Status.PROMOTED, by=by))
        elif given is Answer.REJECTED:
            rows.append(scribe.move(each.proposal.entry, MoveKind.STATUS, Status.WONT_FIX, by=by))
        parts.ledger.enter(rows)
        write_books(parts, self.entries())
        return Answered(each, edit)

    def log(self, logged: Logged, *, dry_run: bool = False) -> Entry:
        """Record an entry by hand.

        Raises:
            UsageError: the kind, source or priority is none that there is, or the text is empty or holds a secret.
        """
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
        context = self.context_of(path)
        if not context:
            raise UsageError(f"{path} belongs to no project. Go to a project's folder, or give one.")
        parts = self._parts
        told = [each for each in self.entries() if each.context == context and not each.is_over and is_told(each)]
        return put_down(parts.desk, path, told, parts.ledger.occurrences, dry_run=dry_run)

    def context_of(self, path: Path) -> str:
        """The key of the context that a directory belongs to; empty outside of any."""
        context = self._parts.scope.context(str(path), str(path))
        return "" if context is None else context.key

    def decide(self, name: str, kind: MoveKind, value: str = "", *, dry_run: bool = False) -> EntryState:
        """Take the user's word about an entry: its status, priority or wording, or that it is the same as another.

        Raises:
            UsageError: there is no such entry, or the value is none that there is.
        """
        found = self._entry(name)
        if kind is MoveKind.STATUS and value not in list(Status):
            raise UsageError(f"{value!r} is no status. It is one of {', '.join(Status)}.")
        if kind is MoveKind.MERGE and not value:
            if not found.merged_into:
                raise UsageError(f"{name} stands by itself already. wisen entries show {name} tells what it holds.")
        elif kind is MoveKind.MERGE:
            into = self._entry(value)
            if into.entry.id == found.entry.id or into.merged_into:
                raise UsageError(f"{name} cannot be merged into {value}. Name an entry that stands by itself.")
            value = into.entry.id
        if not dry_run:
            self._parts.ledger.enter([self._parts.scribe.move(found.entry.id, kind, value, by=Who.USER)])
        return found

    def took_back(self, change: Line) -> None:
        """A rule whose line the user took back is one that he rejected."""
        rules = {rule_id(entry.id): entry.id for entry in self._parts.ledger.entries()}
        if change.id in rules:
            reject(self._parts, rules[change.id], "you took it back")

    def _worth(self) -> dict[str, float]:
        """How useful the lines of ours are, should some have to make room."""
        return {rule_id(each.entry.id): 10.0 * each.sessions + each.entry.durable for each in self.entries()}

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

    def proposal(self, id_: str) -> Asked:
        """A proposal by its number among those that wait, or by its id or the beginning of it.

        Raises:
            UsageError: no proposal, or more than one, fits.
        """
        fits = [each for each in self.proposals() if id_ and each.proposal.id.startswith(id_)]
        if id_.isdigit() and not fits:
            waiting = [each for each in self.proposals() if each.waits]
            fits = waiting[int(id_) - 1 : int(id_)] if int(id_) else []
        if len(fits) != 1:
            found = f"{len(fits)} proposals begin with" if fits else "No proposal has the number or id"
            raise UsageError(f"{found} {id_!r}. They stand in: wisen proposals")
        return fits[0]
