"""A ledger in memory, for tests of what stands on the port."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING, Any

from msgspec import structs

from wisen.model.decision import standing_moves
from wisen.model.entry import Entry, Move, MoveKind, Occurrence, Proposal, Tally, tallied
from wisen.model.entry_state import states
from wisen.model.founding import known_as, sights_of, with_known
from wisen.model.guard import Guard, newest
from wisen.model.learning import Record, RecordKind
from wisen.model.snapshot import Snapshot
from wisen.testing.fake_models import MemoryPurse
from wisen.testing.fake_ownerships import MemoryOwnerships
from wisen.testing.fake_phrasebook import MemoryPhrasebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from wisen.model.change import Change, Look
    from wisen.model.context import Alias, Context
    from wisen.model.exposure import Exposure
    from wisen.model.guard import Learnt
    from wisen.model.reinforcement import Reinforcement
    from wisen.model.run import Run
    from wisen.model.tombstone import Key, Tombstone
    from wisen.model.trial import Outcome
    from wisen.store.tombstones_port import Row


class MemoryLedger(MemoryPhrasebook, MemoryOwnerships, MemoryPurse):
    """Keeps everything until it is garbage."""

    def __init__(self) -> None:
        super().__init__()
        self._contexts: dict[str, Context] = {}
        self._aliases: dict[tuple[str, str, str], Alias] = {}
        self._runs: dict[str, Run] = {}
        self._records: dict[str, Record] = {}
        self._snapshots: set[Snapshot] = set()
        self._changes: dict[str, Change] = {}
        self._looks: dict[str, Look] = {}
        self._entries: dict[str, Entry] = {}
        self._occurrences: dict[str, Occurrence] = {}
        self._moves: dict[str, Move] = {}
        self._proposals: dict[str, Proposal] = {}
        self._guards: dict[tuple[str, str], Guard] = {}
        self._exposures: dict[str, Exposure] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._reinforcements: dict[str, Reinforcement] = {}
        self._tombstones: dict[str, Tombstone] = {}
        self._keys: dict[str, dict[str, Key]] = {}

    def sight(self, context: Context, alias: Alias | None) -> None:
        """Remember a context and the directory it was seen in; the first sight of each stands."""
        self._contexts.setdefault(context.key, context)
        if alias is not None:
            self._aliases.setdefault(
                (alias.path, alias.machine, alias.context), replace(alias, since=alias.since.astimezone(UTC))
            )

    def contexts(self) -> tuple[Context, ...]:
        """Every context ever seen, by key."""
        return tuple(sorted(self._contexts.values(), key=lambda context: context.key))

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """The directories of one machine, by path; one that changed its context stands there once for each."""
        here = (alias for alias in self._aliases.values() if alias.machine == machine)
        return tuple(sorted(here, key=lambda alias: (alias.path, alias.since, alias.context)))

    def record(self, run: Run) -> None:
        """Remember a run; recording the same one again changes nothing."""
        utc = replace(run, started=run.started.astimezone(UTC), finished=run.finished.astimezone(UTC))
        self._runs.setdefault(run.id, utc)

    def runs(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        return tuple(sorted(self._runs.values(), key=lambda run: (run.started, run.id), reverse=True)[:limit])

    def keep(self, record: Record) -> None:
        """Remember what a program recorded; keeping the same one again changes nothing."""
        self._records.setdefault(record.id, replace(record, at=record.at.astimezone(UTC)))

    def records(self, *, id_: str | None = None, tool: str | None = None, key: str | None = None) -> tuple[Record, ...]:
        """What programs recorded, oldest first: the one with an id, or what concerns a tool or a key, or everything.

        Insights and whatever tells of a try always concern. A success that tells of none, in a session where its tool
        never failed, is left out unless its id is asked for: most of what a program records is that.
        """
        if id_ is not None:
            return (self._records[id_],) if id_ in self._records else ()
        failed = {_lane(record) for record in self._records.values() if record.kind is RecordKind.FAILURE}
        found = (
            record
            for record in self._records.values()
            if record.kind is not RecordKind.SUCCESS
            or record.tried is not None
            or (record.session is not None and _lane(record) in failed)
        )
        if tool is not None or key is not None:
            found = (record for record in found if _concerns(record, tool, key))
        return tuple(sorted(found, key=lambda record: (record.at, record.id)))

    def snap(self, snapshot: Snapshot) -> None:
        """Remember what a file held; the same text as in the newest snapshot of that file changes nothing."""
        known = self.snapshots(snapshot.path, machine=snapshot.machine)
        if not known or known[-1].text != snapshot.text:
            self._snapshots.add(replace(snapshot, at=snapshot.at.astimezone(UTC)))

    def snapshots(self, path: str, *, machine: str | None = None) -> tuple[Snapshot, ...]:
        """What the file of that path held, oldest first, on one machine or on all."""
        found = (each for each in self._snapshots if each.path == path and machine in (None, each.machine))
        return tuple(sorted(found, key=lambda each: (each.at, each.machine, each.digest)))

    def change(self, change: Change) -> bool:
        """Remember an edit of a file; the same one again changes nothing. False: another one came in its place."""
        place = (change.machine, change.path, change.follows)
        taken = {(each.machine, each.path, each.follows): each.id for each in self._changes.values()}
        if change.follows is not None and taken.get(place, change.id) != change.id:
            return False
        self._changes.setdefault(change.id, structs.replace(change, at=change.at.astimezone(UTC)))
        return True

    def rewrite_change(self, change: Change) -> None:
        """Put a change in the place of the one with its id, in one go."""
        self._changes[change.id] = structs.replace(change, at=change.at.astimezone(UTC))

    def changes(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """The edits of the files of one machine, or of one file, oldest first."""
        found = (each for each in self._changes.values() if each.machine == machine and path in (None, each.path))
        return tuple(sorted(found, key=lambda each: each.id))

    def look(self, look: Look) -> None:
        """Remember what had become of a change; the same look again changes nothing."""
        self._looks.setdefault(look.id, structs.replace(look, at=look.at.astimezone(UTC)))

    def looks(self, *, machine: str) -> tuple[Look, ...]:
        """The looks at what was changed on one machine, oldest first."""
        found = (each for each in self._looks.values() if each.machine == machine)
        return tuple(sorted(found, key=lambda each: each.id))

    def enter(self, rows: Iterable[Learnt]) -> dict[str, str]:
        """Remember what was learnt and decided, all of it or nothing; returns the entries that were there before."""
        every = tuple(rows)
        sights = sights_of(every)
        known = known_as(sights, {id_: each.entry for id_, each in self._occurrences.items()})
        asked = {each.asks for each in self._proposals.values()}
        for row in with_known(every, known):
            if isinstance(row, Proposal) and row.asks is not None and row.asks in asked:
                continue
            kept = structs.replace(row, at=row.at.astimezone(UTC))
            if isinstance(kept, Entry):
                self._entries.setdefault(kept.id, kept)
            elif isinstance(kept, Occurrence):
                self._occurrences.setdefault(kept.id, kept)
            elif isinstance(kept, Guard):
                self._guards.setdefault((kept.id, kept.version), kept)
            elif isinstance(kept, Move):
                self._moves.setdefault(kept.id, kept)
            else:
                self._proposals.setdefault(kept.id, kept)
                asked.add(kept.asks)
        return known

    def entries(self, ids: Iterable[str] | None = None) -> tuple[Entry, ...]:
        """Every entry, or those with these ids, oldest first."""
        wanted = None if ids is None else set(ids)
        return tuple(each for id_, each in sorted(self._entries.items()) if wanted is None or id_ in wanted)

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """How often each entry was seen, or each of some, by its id."""
        return tuple(self._tally(each) for each in self.entries(ids))

    def ranked(self, context: str | None = None) -> tuple[str, ...]:
        """The ids of all entries, or of one context, those that came up in most sessions first, then the newest."""
        found = [each for each in self.tallies() if context in (None, each.context)]
        return tuple(
            each.entry for each in sorted(found, key=lambda each: (-each.sessions, -each.last.timestamp(), each.entry))
        )

    def _tally(self, entry: Entry) -> Tally:
        none = Tally(entry=entry.id, context=entry.context, times=0, sessions=0, first=entry.at, last=entry.at)
        return tallied(none, self.occurrences(entry.id))

    def occurrences(self, entry: str | None = None) -> tuple[Occurrence, ...]:
        """Where entries were seen, or one of them, oldest first."""
        split = {each.subject: each.value for each in self.moves() if each.kind is MoveKind.SPLIT}
        every = (structs.replace(each, entry=split.get(id_, each.entry)) for id_, each in self._occurrences.items())
        found = (each for each in every if entry in (None, each.entry))
        return tuple(sorted(found, key=lambda each: (each.at, each.id)))

    def sights(self) -> frozenset[str]:
        """The ids of all occurrences."""
        return frozenset(self._occurrences)

    def moves(self, subject: str | None = None, *, every: bool = False) -> tuple[Move, ...]:
        """What was decided, or about one entry or proposal, oldest first; with `every` also what was undone."""
        found = tuple(each for _, each in sorted(self._moves.items()) if subject in (None, each.subject))
        return found if every else tuple(standing_moves(found))

    def over(self) -> dict[str, str]:
        """The entries of which nothing more comes, by id, and into which each was merged, if it was."""
        every = states(self.entries(), (), self.moves())
        return {each.entry.id: each.merged_into for each in every if each.is_over}

    def proposals(self) -> tuple[Proposal, ...]:
        """Every proposal, oldest first."""
        return tuple(each for _, each in sorted(self._proposals.items()))

    def guards(self) -> tuple[Guard, ...]:
        """Every guard in its newest version, oldest first."""
        return newest(sorted(self._guards.values(), key=lambda each: (each.at, each.id)))

    def expose(self, rows: Iterable[Exposure]) -> None:
        """Remember what was delivered or withheld, all of it or nothing; the same again changes nothing."""
        for row in tuple(rows):
            self._exposures.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def exposures(
        self, subject: str | None = None, *, tossed: bool = False, session: str | None = None
    ) -> tuple[Exposure, ...]:
        """What was delivered or withheld, or of one subject or session, or only what coins said, oldest first."""
        found = (
            each
            for each in self._exposures.values()
            if subject in (None, each.subject)
            and not (tossed and each.chance is None)
            and session in (None, each.session)
        )
        return tuple(sorted(found, key=lambda each: (each.at, each.id)))

    def conclude(self, rows: Iterable[Outcome]) -> None:
        """Remember what sessions showed about what is on trial, all of it or nothing; the first word stands."""
        for row in tuple(rows):
            self._outcomes.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def outcomes(self) -> tuple[Outcome, ...]:
        """What sessions showed about what is on trial, oldest first."""
        return tuple(sorted(self._outcomes.values(), key=lambda each: (each.at, each.id)))

    def strengthen(self, rows: Iterable[Reinforcement]) -> None:
        """Remember what praise strengthened, all of it or nothing; the first word stands."""
        for row in tuple(rows):
            self._reinforcements.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def reinforcements(self) -> tuple[Reinforcement, ...]:
        """What praise strengthened, oldest first."""
        return tuple(sorted(self._reinforcements.values(), key=lambda each: (each.at, each.id)))

    def bury(self, tombstone: Tombstone, keys: Iterable[Key]) -> None:
        """Remember that something is forgotten, all of it or nothing."""
        named = {key.id: key for key in keys}
        self._tombstones.setdefault(tombstone.id, structs.replace(tombstone, at=tombstone.at.astimezone(UTC)))
        self._keys[tombstone.id] = named | self._keys.get(tombstone.id, {})

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every tombstone, oldest first."""
        return tuple(each for _, each in sorted(self._tombstones.items()))

    def buried(self, tombstone: str | None = None) -> tuple[Key, ...]:
        """The keys of all tombstones, or of one."""
        found = [(id_, keys) for id_, keys in sorted(self._keys.items()) if tombstone in (None, id_)]
        return tuple(key for _, keys in found for _, key in sorted(keys.items()))

    def finish(self, tombstone: str, at: datetime) -> None:
        """Remember that everything a tombstone names is gone."""
        del at
        self._tombstones[tombstone] = structs.replace(self._tombstones[tombstone], done=True)

    def lift(self, tombstone: str) -> None:
        """Take a tombstone away."""
        self._tombstones.pop(tombstone, None)
        self._keys.pop(tombstone, None)

    def held(self) -> Iterator[Row]:
        """Every row that somebody may want to be forgotten, of all machines."""
        for rows in (self._entries, self._occurrences, self._moves, self._proposals, self._records):
            yield from rows.values()
        yield from self.guards()
        yield from self._snapshots
        for rest in (self._changes, self._looks, self._runs, self._exposures, self._aliases, self._contexts):
            yield from rest.values()
        for more in (self._outcomes, self._reinforcements, self._proofs, self._phrases, self._searches):
            yield from more.values()
        yield from self._ownerships.values()

    def remove(self, rows: Iterable[Row]) -> int:
        """Delete rows; returns how many were there."""
        gone = 0
        places: list[dict[Any, Any]] = [self._entries, self._occurrences, self._moves, self._proposals, self._records]
        places += [self._changes, self._looks, self._runs, self._exposures, self._aliases, self._contexts]
        places += [self._outcomes, self._reinforcements, self._proofs, self._phrases, self._searches]
        places.append(self._ownerships)
        for row in tuple(rows):
            for held in places:
                for key in [key for key, each in held.items() if each == row]:
                    del held[key]
                    gone += 1
            for version in [key for key in self._guards if isinstance(row, Guard) and key[0] == row.id]:
                del self._guards[version]
                gone += 1
            if isinstance(row, Snapshot) and row in self._snapshots:
                self._snapshots.remove(row)
                gone += 1
        return gone

    def scrub(self) -> None:
        """Nothing is left of what was deleted here."""

    def check(self) -> None:
        """Nothing can be damaged here."""

    def close(self) -> None:
        """Nothing is held."""


def _lane(record: Record) -> tuple[str, str | None, str | None]:
    return record.machine, record.session, record.tool


def _concerns(record: Record, tool: str | None, key: str | None) -> bool:
    return (
        record.kind is RecordKind.INSIGHT
        or record.tried is not None
        or (tool is not None and record.tool == tool)
        or (key is not None and record.signature is not None and record.signature.key == key)
    )
