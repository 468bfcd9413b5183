"""From what was said to rules: entries are recorded, what is ready is proposed, and answers are carried out."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.domain.changes import Fate, Line, digest
from wisen.domain.entries import (
    LOGGABLE,
    Answer,
    Category,
    Entry,
    EntryType,
    MoveKind,
    Origin,
    Priority,
    Source,
    Status,
    Who,
)
from wisen.domain.entry_states import asked, states
from wisen.errors import UsageError
from wisen.loop.apply.books import book_of, taken_in, write_contents, written
from wisen.loop.apply.edit import Editor, LinePlan
from wisen.loop.promote.conflicts import settled
from wisen.loop.promote.fading import faded
from wisen.loop.promote.policy import Profile, leave_for
from wisen.loop.promote.propose import expired, proposed
from wisen.loop.promote.targets import Target, kind_of, target_of
from wisen.loop.promote.wording import stands_alone
from wisen.loop.record.entries import entered, name_of
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.domain.changes import Look
    from wisen.domain.entries import Logged, Occurrence
    from wisen.domain.entry_states import Asked, EntryState
    from wisen.domain.signals import Sighting
    from wisen.loop.apply.books import Book
    from wisen.loop.apply.edit import Edit
    from wisen.loop.promote.policy import Leave
    from wisen.parts import Parts


class Answered(NamedTuple):
    """What a person's answer did."""

    asked: Asked
    edit: Edit | None
    """The change that was made, or would be."""


def record(parts: Parts, said: Iterable[Sighting]) -> int:
    """What the user said becomes entries; what is ready for it is proposed. Returns how many proposals wait."""
    ledger = parts.ledger
    take_in(parts)
    known = states_of(parts)
    rows = entered(said, known, ledger.sights(), parts.scribe)
    if rows:
        ledger.enter(rows)
        known = states_of(parts)
    now = parts.clock.now()
    decided = [*settled(known, now, parts.scribe), *faded(known, ledger.moves(), now, parts.scribe)]
    if decided:
        ledger.enter(decided)
        known = states_of(parts)
    before = asked(ledger.proposals(), ledger.moves())
    over = [
        parts.scribe.move(proposal.id, MoveKind.ANSWER, given)
        for proposal, given in expired(before, known, now, parts.promote)
    ]
    seen: dict[str, list[Occurrence]] = defaultdict(list)
    for each in ledger.occurrences():
        seen[each.entry].append(each)
    new = proposed(
        known,
        lambda entry: seen[entry],
        before,
        lambda entry, of: _target(parts, entry, of),
        parts.promote,
        parts.scribe,
    )
    if over or new:
        ledger.enter([*over, *new])
    write_books(parts)
    return sum(each.waits for each in before) - len(over) + len(new)


def take_in(parts: Parts) -> None:
    """What a person did to the books is his word."""
    every = states_of(parts)
    names = {state.entry.name for state in every}

    def named(id_: str) -> str:
        name = name_of(EntryType.LEARNING, parts.clock.now(), id_, names)
        names.add(name)
        return name

    for book in _books(parts, every):
        of = {rule_id(state.entry.id): state for state in every if state.context == book.key}
        taken = taken_in(parts.files, book, of, named, parts.scribe)
        if taken.entries or taken.moves:
            parts.ledger.enter([*taken.entries, *taken.moves])


def write_books(parts: Parts) -> None:
    """Write what holds and what waits into the books, for people."""
    every = states_of(parts)
    today = parts.clock.now().date()
    rows = []
    for book in _books(parts, every):
        of = [(rule_id(state.entry.id), state) for state in every if state.context == book.key and _is_told(state)]
        rows.append(written(parts.files, book, of, today))
    write_contents(parts.files, parts.home, [row for row in rows if row is not None])


def refused(parts: Parts, looks: Sequence[Look]) -> None:
    """A rule that the user took out of a file is one that he rejected."""
    gone = {look.change for look in looks if look.fate is Fate.REFUSED}
    if not gone:
        return
    rules = {rule_id(entry.id): entry for entry in parts.ledger.entries()}
    for change in parts.ledger.changes(machine=parts.machine):
        entry = rules.get(change.deed.id) if change.id in gone and isinstance(change.deed, Line) else None
        if entry is not None:
            _reject(parts, entry.id, f"you took it out of {change.path}")


def states_of(parts: Parts) -> tuple[EntryState, ...]:
    """Every entry with what became of it."""
    ledger = parts.ledger
    return states(ledger.entries(), ledger.tallies(), ledger.moves())


def rule_id(entry: str) -> str:
    """The id that the line of an entry has in files."""
    return f"R-{blake2b(entry.encode(), digest_size=4).hexdigest()}"


class Rulebook:
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
        moves = ledger.moves()
        moved = {move.subject for move in moves}
        tallies = ledger.tallies()
        over = {each.entry.id for each in states(ledger.entries(moved), tallies, moves) if each.is_over}
        fits = [each for each in tallies if (every or each.entry not in over) and context in (None, each.context)]
        fits.sort(key=lambda each: (-each.sessions, -each.last.timestamp(), each.entry))
        shown = [each.entry for each in fits[:limit]]
        found = {each.entry.id: each for each in states(ledger.entries({*shown, *moved}), tallies, moves)}
        return tuple(found[entry] for entry in shown), len(fits)

    def entry(self, name: str) -> tuple[EntryState, tuple[Occurrence, ...]]:
        """An entry by its name or id, or the beginning of one, and where it was seen.

        Raises:
            UsageError: no entry, or more than one, has such a name.
        """
        found = self._entry(name)
        return found, self._parts.ledger.occurrences(found.entry.id)

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

    def answer(self, proposal: str, given: Answer, *, text: str | None = None, dry_run: bool = False) -> Answered:
        """Carry out what the user says to a proposal: an approved one is written into its file, by the one door.

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
        if given is Answer.APPROVED and Path(path) != _book(parts, each.proposal.context):
            saw = digest(parts.files.read(Path(path)).content)
            why = each.proposal.why.partition("\n")[0]
            plan = LinePlan(path, each.proposal.heading, worded, rule_id(each.proposal.entry), why, saw)
            edit = Editor(parts.desk).put(plan, self._worth(), dry_run=dry_run)
        if dry_run:
            return Answered(each, edit)
        rows = [scribe.move(each.proposal.id, MoveKind.ANSWER, given, by=Who.USER)]
        if given is Answer.APPROVED:
            if worded != each.proposal.text:
                rows.append(scribe.move(each.proposal.entry, MoveKind.TEXT, worded, by=Who.USER))
            rows.append(scribe.move(each.proposal.entry, MoveKind.CONFIRM, by=Who.USER))
            rows.append(scribe.move(each.proposal.entry, MoveKind.STATUS, Status.PROMOTED, by=Who.USER))
        elif given is Answer.REJECTED:
            rows.append(scribe.move(each.proposal.entry, MoveKind.STATUS, Status.WONT_FIX, by=Who.USER))
        parts.ledger.enter(rows)
        write_books(parts)
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
        if kind is MoveKind.MERGE:
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
            _reject(self._parts, rules[change.id], "you took it back")

    def _worth(self) -> dict[str, float]:
        """How useful the lines of ours are, should some have to make room."""
        return {rule_id(each.entry.id): 10.0 * each.sessions + each.entry.durable for each in self.entries()}

    def _entry(self, name: str) -> EntryState:
        every = self.entries()
        fits = [each for each in every if name and (each.entry.name.startswith(name.upper()) or each.entry.id == name)]
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


def _is_told(state: EntryState) -> bool:
    """Whether a person would want to read it: it holds, came up again, or says something to who was not there."""
    return state.status is Status.PROMOTED or state.confirmed or state.sessions > 1 or stands_alone(state.text)


def _books(parts: Parts, every: Sequence[EntryState]) -> list[Book]:
    """The books of every context that something was learnt in."""
    names = {context.key: context.name for context in parts.ledger.contexts()}
    places: dict[str, list[str]] = defaultdict(list)
    for alias in parts.ledger.aliases(parts.machine):
        places[alias.context].append(alias.path)
    keys = sorted({state.context for state in every} | {""})
    return [book_of(parts.home, key, names.get(key, key), places[key]) for key in keys]


def _reject(parts: Parts, entry: str, why: str) -> None:
    rows = [parts.scribe.move(entry, MoveKind.STATUS, Status.WONT_FIX, by=Who.USER, why=why)]
    for each in parts.ledger.proposals():
        if each.entry == entry:
            rows.append(parts.scribe.move(each.id, MoveKind.ANSWER, Answer.REJECTED, by=Who.USER, why=why))
    parts.ledger.enter(rows)


def _target(parts: Parts, entry: Entry, seen: Sequence[Occurrence]) -> Target:
    """The project's own file, where the project is on this machine; else the book that wisen keeps of it."""
    agent = seen[-1].agent if seen else "claude-code"
    for alias in reversed(parts.ledger.aliases(parts.machine)):
        if alias.context == entry.context and Path(alias.path).is_dir():
            return target_of(entry, agent, alias.path, parts.files)
    return Target(str(_book(parts, entry.context)), kind_of(entry).capitalize())


def _book(parts: Parts, context: str) -> Path:
    """The rules that wisen keeps of a context: where they go when the project is not on this machine."""
    return book_of(parts.home, context, "").folder / "rules.md"
