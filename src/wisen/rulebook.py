"""From what was said to rules: entries are recorded, what is ready is proposed, and the books are kept."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.domain.changes import Fate, Line
from wisen.domain.entries import (
    Answer,
    Entry,
    EntryType,
    MoveKind,
    Status,
    Who,
)
from wisen.domain.entry_states import asked, states
from wisen.loop.apply.books import book_of, taken_in, write_contents, written
from wisen.loop.apply.learnings import FOLDER, read_back
from wisen.loop.promote.conflicts import settled
from wisen.loop.promote.fading import faded
from wisen.loop.promote.propose import expired, proposed
from wisen.loop.promote.targets import Target, kind_of, target_of
from wisen.loop.promote.wording import stands_alone
from wisen.loop.record.entries import entered, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.domain.changes import Look
    from wisen.domain.entries import Move, Occurrence
    from wisen.domain.entry_states import EntryState
    from wisen.domain.signals import Sighting
    from wisen.loop.apply.books import Book
    from wisen.parts import Parts


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
        taken = [taken_in(parts.files, book, of, named, parts.scribe)]
        by_name = {state.entry.name: state for state in every}
        for place in book.aliases:
            if (Path(place) / FOLDER).is_dir():
                taken.append(read_back(parts.files, Path(place), book.key, by_name, parts.scribe))
        rows: list[Entry | Move] = []
        for each in taken:
            rows += [*each.entries, *each.moves]
        if rows:
            parts.ledger.enter(rows)


def write_books(parts: Parts) -> None:
    """Write what holds and what waits into the books, for people."""
    every = states_of(parts)
    today = parts.clock.now().date()
    rows = []
    for book in _books(parts, every):
        of = [(rule_id(state.entry.id), state) for state in every if state.context == book.key and is_told(state)]
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
            reject(parts, entry.id, f"you took it out of {change.path}")


def states_of(parts: Parts) -> tuple[EntryState, ...]:
    """Every entry with what became of it."""
    ledger = parts.ledger
    return states(ledger.entries(), ledger.tallies(), ledger.moves())


def rule_id(entry: str) -> str:
    """The id that the line of an entry has in files."""
    return f"R-{blake2b(entry.encode(), digest_size=4).hexdigest()}"


def is_told(state: EntryState) -> bool:
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


def reject(parts: Parts, entry: str, why: str) -> None:
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
    return Target(str(book_path(parts, entry.context)), kind_of(entry).capitalize())


def book_path(parts: Parts, context: str) -> Path:
    """The rules that wisen keeps of a context: where they go when the project is not on this machine."""
    return book_of(parts.home, context, "").folder / "rules.md"
