"""In-memory ledger ports for entries, occurrences, moves, proposals and guards, for tests."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.decision import standing_moves
from wisen.model.entry import Entry, Move, MoveKind, Occurrence, Proposal, Sighting, Tally, recount_tally
from wisen.model.entry_identity import find_known_entries, founding_occurrences, replace_known_entries
from wisen.model.entry_state import fold_entry_states
from wisen.model.guard import Guard, newest_versions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.guard import LearnedRow
    from wisen.testing.fake_ledger_rows import LedgerRows


class MemoryEntries:
    """Entries in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def record(self, rows: Iterable[LearnedRow]) -> dict[str, str]:
        """Record what was learned and decided in one step; returns the entries that were already recorded."""
        every = tuple(rows)
        sights = founding_occurrences(every)
        known = find_known_entries(sights, {id_: each.entry for id_, each in self._rows.occurrences.items()})
        questions = {each.question_key for each in self._rows.proposals.values()}
        for row in replace_known_entries(every, known):
            if isinstance(row, Proposal) and row.question_key is not None and row.question_key in questions:
                continue
            stored = structs.replace(row, at=row.at.astimezone(UTC))
            if isinstance(stored, Entry):
                self._rows.entries.setdefault(stored.id, stored)
            elif isinstance(stored, Occurrence):
                self._rows.occurrences.setdefault(stored.id, stored)
            elif isinstance(stored, Guard):
                self._rows.guards.setdefault((stored.id, stored.version), stored)
            elif isinstance(stored, Move):
                self._rows.moves.setdefault(stored.id, stored)
            else:
                self._rows.proposals.setdefault(stored.id, stored)
                questions.add(stored.question_key)
        return known

    def all(self) -> tuple[Entry, ...]:
        """Return every entry, oldest first."""
        return tuple(each for _, each in sorted(self._rows.entries.items()))

    def of(self, ids: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries with these ids, oldest first."""
        wanted = set(ids)
        return tuple(each for each in self.all() if each.id in wanted)

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """Return how often each entry was seen, or each of some, by its id."""
        return tuple(self._tally(each) for each in (self.all() if ids is None else self.of(ids)))

    def ids(self) -> frozenset[str]:
        """Return the ids of all entries."""
        return frozenset(each.id for each in self.all())

    def ranked_ids(self, context: str | None = None) -> tuple[str, ...]:
        """Return the ids of all entries, or of one context, most sessions first, then the newest."""
        tallies = [each for each in self.tallies() if context in (None, each.context)]
        return tuple(
            each.entry
            for each in sorted(tallies, key=lambda each: (-each.sessions, -each.last.timestamp(), each.entry))
        )

    def _tally(self, entry: Entry) -> Tally:
        none = Tally(entry=entry.id, context=entry.context, times=0, sessions=0, first=entry.at, last=entry.at)
        return recount_tally(none, MemoryOccurrences(self._rows).of(entry.id))

    def closed_entries(self) -> dict[str, str]:
        """Return the entries no longer in use, by id, with the entry that each was merged into, if any."""
        every = fold_entry_states(self.all(), (), MemoryMoves(self._rows).all())
        return {each.entry.id: each.merged_into for each in every if each.is_over}


class MemoryOccurrences:
    """Occurrences in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def all(self) -> tuple[Occurrence, ...]:
        """Return all occurrences, oldest first."""
        return self._read(None)

    def of(self, entry: str) -> tuple[Occurrence, ...]:
        """Return the occurrences of one entry, oldest first."""
        return self._read(entry)

    def _read(self, entry: str | None) -> tuple[Occurrence, ...]:
        split = {each.subject: each.value for each in MemoryMoves(self._rows).all() if each.kind is MoveKind.SPLIT}
        every = (
            structs.replace(each, entry=split.get(id_, each.entry)) for id_, each in self._rows.occurrences.items()
        )
        rows = (each for each in every if entry in (None, each.entry))
        return tuple(sorted(rows, key=lambda each: (each.at, each.id)))

    def of_messages(self, messages: Iterable[str]) -> tuple[Occurrence, ...]:
        """Return the occurrences in some messages, oldest first."""
        wanted = set(messages)
        return tuple(each for each in self.all() if each.message in wanted)

    def ids(self) -> frozenset[str]:
        """Return the ids of all occurrences."""
        return frozenset(self._rows.occurrences)

    def sightings(self) -> tuple[Sighting, ...]:
        """Return where entries were seen."""
        return tuple(
            Sighting(each.entry, each.agent, each.session, each.message, each.at, each.quote) for each in self.all()
        )


class MemoryMoves:
    """Decisions in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def all(self, *, include_undone: bool = False) -> tuple[Move, ...]:
        """Return the decisions, oldest first; with `include_undone` also undone ones."""
        return self._read(None, include_undone=include_undone)

    def of(self, subject: str, *, include_undone: bool = False) -> tuple[Move, ...]:
        """Return the decisions about one entry, proposal or guard; with `include_undone` also undone ones."""
        return self._read(subject, include_undone=include_undone)

    def _read(self, subject: str | None, *, include_undone: bool) -> tuple[Move, ...]:
        rows = tuple(each for _, each in sorted(self._rows.moves.items()) if subject in (None, each.subject))
        return rows if include_undone else tuple(standing_moves(rows))


class MemoryProposals:
    """Proposals in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def all(self) -> tuple[Proposal, ...]:
        """Return every proposal, oldest first."""
        return tuple(each for _, each in sorted(self._rows.proposals.items()))


class MemoryGuards:
    """Guards in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def all(self) -> tuple[Guard, ...]:
        """Return every guard in its newest version, oldest first."""
        return newest_versions(sorted(self._rows.guards.values(), key=lambda each: (each.at, each.id)))
