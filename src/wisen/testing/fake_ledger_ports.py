"""The other in-memory ledger ports, for tests."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from msgspec import structs
from msgspec.structs import replace

from wisen.model.exposure import Arm
from wisen.model.guard import Guard
from wisen.model.learning import Record, RecordKind
from wisen.model.phrase import PhraseProof, PhraseSearch, UserPhrase
from wisen.model.snapshot import Snapshot
from wisen.testing.fake_entries import MemoryGuards

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from wisen.model.change import Change, ChangeCheck
    from wisen.model.context import Alias, Context
    from wisen.model.exposure import Exposure
    from wisen.model.ownership import Ownership
    from wisen.model.reinforcement import Reinforcement
    from wisen.model.run import Run
    from wisen.model.tombstone import Tombstone, TombstoneKey
    from wisen.model.trial import TrialOutcome
    from wisen.store.ledger_removal import Row
    from wisen.store.phrases import PhraseRow
    from wisen.testing.fake_ledger_rows import LedgerRows


class MemoryContexts:
    """Contexts in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, context: Context, alias: Alias | None) -> None:
        """Record a context and the directory it was seen in; the first record of each is kept."""
        self._rows.contexts.setdefault(context.key, context)
        if alias is not None:
            self._rows.aliases.setdefault(
                (alias.path, alias.machine, alias.context), replace(alias, since=alias.since.astimezone(UTC))
            )

    def all(self) -> tuple[Context, ...]:
        """Return every context ever seen, by key."""
        return tuple(sorted(self._rows.contexts.values(), key=lambda context: context.key))

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """Return the directories of one machine, by path; one whose context changed is listed once for each."""
        here = (alias for alias in self._rows.aliases.values() if alias.machine == machine)
        return tuple(sorted(here, key=lambda alias: (alias.path, alias.since, alias.context)))


class MemoryRuns:
    """Runs in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, run: Run) -> None:
        """Record a run; recording it again changes nothing."""
        utc = replace(run, started=run.started.astimezone(UTC), finished=run.finished.astimezone(UTC))
        self._rows.runs.setdefault(run.id, utc)

    def newest(self, limit: int) -> tuple[Run, ...]:
        """Return the newest runs, newest first."""
        return tuple(sorted(self._rows.runs.values(), key=lambda run: (run.started, run.id), reverse=True)[:limit])


class MemoryProgramRecords:
    """Program records in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, record: Record) -> None:
        """Add a record; adding it again changes nothing."""
        self._rows.records.setdefault(record.id, replace(record, at=record.at.astimezone(UTC)))

    def find(self, *, id_: str | None = None, tool: str | None = None, key: str | None = None) -> tuple[Record, ...]:
        """Return records, oldest first: the one with an id, those relevant to a tool or a key, or all.

        Insights and records of an attempt are always relevant. A success without an attempt, in a session where its
        tool never failed, is left out unless its id is given: most records are such successes.
        """
        if id_ is not None:
            return (self._rows.records[id_],) if id_ in self._rows.records else ()
        failed = {_lane(record) for record in self._rows.records.values() if record.kind is RecordKind.FAILURE}
        records = (
            record
            for record in self._rows.records.values()
            if record.kind is not RecordKind.SUCCESS
            or record.tried is not None
            or (record.session is not None and _lane(record) in failed)
        )
        if tool is not None or key is not None:
            records = (record for record in records if _concerns(record, tool, key))
        return tuple(sorted(records, key=lambda record: (record.at, record.id)))


class MemoryFileSnapshots:
    """File snapshots in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, snapshot: Snapshot) -> None:
        """Record the content of a file; the same text as in its newest snapshot changes nothing."""
        known = self.of(snapshot.path, machine=snapshot.machine)
        if not known or known[-1].text != snapshot.text:
            self._rows.snapshots.add(replace(snapshot, at=snapshot.at.astimezone(UTC)))

    def of(self, path: str, *, machine: str | None = None) -> tuple[Snapshot, ...]:
        """Return the contents of a file, oldest first, on one machine or on all."""
        rows = (each for each in self._rows.snapshots if each.path == path and machine in (None, each.machine))
        return tuple(sorted(rows, key=lambda each: (each.at, each.machine, each.digest)))


class MemoryChanges:
    """File edits in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, change: Change) -> bool:
        """Record an edit of a file; recording it again changes nothing. False: another one took its place."""
        place = (change.machine, change.path, change.follows)
        followers = {(each.machine, each.path, each.follows): each.id for each in self._rows.changes.values()}
        if change.follows is not None and followers.get(place, change.id) != change.id:
            return False
        self._rows.changes.setdefault(change.id, structs.replace(change, at=change.at.astimezone(UTC)))
        return True

    def rewrite(self, change: Change) -> None:
        """Replace the change with the same id, atomically."""
        self._rows.changes[change.id] = structs.replace(change, at=change.at.astimezone(UTC))

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """Return the edits of files on one machine, or of one file, oldest first."""
        rows = (each for each in self._rows.changes.values() if each.machine == machine and path in (None, each.path))
        return tuple(sorted(rows, key=lambda each: each.id))

    def add_check(self, look: ChangeCheck) -> None:
        """Record the result of checking a change; recording it again changes nothing."""
        self._rows.looks.setdefault(look.id, structs.replace(look, at=look.at.astimezone(UTC)))

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        """Return the checks of changes on one machine, oldest first."""
        rows = (each for each in self._rows.looks.values() if each.machine == machine)
        return tuple(sorted(rows, key=lambda each: each.id))


class MemoryExposures:
    """Exposures in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, rows: Iterable[Exposure]) -> None:
        """Record what was delivered or withheld, in one step; recording it again changes nothing."""
        for row in tuple(rows):
            self._rows.exposures.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def all(self, *, coin_only: bool = False, session: str | None = None) -> tuple[Exposure, ...]:
        """Return what was delivered or withheld, oldest first; of one session, or only trial draws (`coin_only`)."""
        return self._read(None, coin_only=coin_only, session=session)

    def of(self, subject: str, *, coin_only: bool = False, session: str | None = None) -> tuple[Exposure, ...]:
        """Return what was delivered or withheld of one subject, oldest first."""
        return self._read(subject, coin_only=coin_only, session=session)

    def last_given(self) -> dict[str, datetime]:
        """Return when each subject was last delivered, except as a draw of a trial."""
        return {each.subject: each.at for each in self.all() if each.arm is Arm.GIVEN and each.chance is None}

    def _read(self, subject: str | None, *, coin_only: bool, session: str | None) -> tuple[Exposure, ...]:
        rows = (
            each
            for each in self._rows.exposures.values()
            if subject in (None, each.subject)
            and not (coin_only and each.chance is None)
            and session in (None, each.session)
        )
        return tuple(sorted(rows, key=lambda each: (each.at, each.id)))


class MemoryTrialOutcomes:
    """Trial outcomes in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, rows: Iterable[TrialOutcome]) -> None:
        """Record outcomes in one step; the first record of each counts."""
        for row in tuple(rows):
            self._rows.outcomes.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def all(self) -> tuple[TrialOutcome, ...]:
        """Return the outcomes, oldest first."""
        return tuple(sorted(self._rows.outcomes.values(), key=lambda each: (each.at, each.id)))


class MemoryReinforcements:
    """Reinforcements in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, rows: Iterable[Reinforcement]) -> None:
        """Record what praise strengthened, in one step; the first record counts."""
        for row in tuple(rows):
            self._rows.reinforcements.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def all(self) -> tuple[Reinforcement, ...]:
        """Return what praise strengthened, oldest first."""
        return tuple(sorted(self._rows.reinforcements.values(), key=lambda each: (each.at, each.id)))


class MemoryTombstones:
    """Tombstones in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, tombstone: Tombstone, keys: Iterable[TombstoneKey]) -> None:
        """Record that something is forgotten, in one step."""
        by_id = {key.id: key for key in keys}
        self._rows.tombstones.setdefault(tombstone.id, structs.replace(tombstone, at=tombstone.at.astimezone(UTC)))
        self._rows.keys[tombstone.id] = by_id | self._rows.keys.get(tombstone.id, {})

    def all(self) -> tuple[Tombstone, ...]:
        """Return every tombstone, oldest first."""
        return tuple(each for _, each in sorted(self._rows.tombstones.items()))

    def all_keys(self, tombstone: str | None = None) -> tuple[TombstoneKey, ...]:
        """Return the keys of all tombstones, or of one."""
        keys_by_tombstone = [(id_, keys) for id_, keys in sorted(self._rows.keys.items()) if tombstone in (None, id_)]
        return tuple(key for _, keys in keys_by_tombstone for _, key in sorted(keys.items()))

    def finish(self, tombstone: str, at: datetime) -> None:
        """Record that everything a tombstone names was removed."""
        del at
        self._rows.tombstones[tombstone] = structs.replace(self._rows.tombstones[tombstone], done=True)

    def remove(self, tombstone: str) -> None:
        """Delete a tombstone."""
        self._rows.tombstones.pop(tombstone, None)
        self._rows.keys.pop(tombstone, None)


class MemoryPhrases:
    """Phrases in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, rows: Iterable[PhraseRow]) -> None:
        """Record phrases, their evidence and the searches for them."""
        for row in tuple(rows):
            if isinstance(row, UserPhrase):
                self._rows.phrases.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))
            elif isinstance(row, PhraseProof):
                self._rows.proofs.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))
            else:
                moments = {"at": row.at.astimezone(UTC), "since": row.since.astimezone(UTC)}
                self._rows.searches.setdefault(row.id, structs.replace(row, **moments))

    def all(self) -> tuple[UserPhrase, ...]:
        """Return the phrase rows of all machines, oldest first."""
        return tuple(each for _, each in sorted(self._rows.phrases.items()))

    def of(self, machine: str) -> tuple[UserPhrase, ...]:
        """Return the phrase rows of one machine, oldest first."""
        return tuple(each for each in self.all() if each.machine == machine)

    def proofs(self, machine: str | None = None) -> tuple[PhraseProof, ...]:
        """Return the turns that are evidence for the phrases of one machine, or of all, oldest first."""
        rows = (each for each in self._rows.proofs.values() if machine in (None, each.machine))
        return tuple(sorted(rows, key=lambda each: (each.at, each.id)))

    def searches(self, machine: str | None = None) -> tuple[PhraseSearch, ...]:
        """Return the searches for phrases on one machine, or on all, oldest first."""
        return tuple(each for _, each in sorted(self._rows.searches.items()) if machine in (None, each.machine))


class MemoryOwnerships:
    """Ownership rows in memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def add(self, rows: Iterable[Ownership]) -> None:
        """Record ownership rows."""
        for row in tuple(rows):
            self._rows.ownerships.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def all(self) -> tuple[Ownership, ...]:
        """Return the ownership rows of all machines, oldest first."""
        return tuple(sorted(self._rows.ownerships.values(), key=lambda each: (each.at, each.id)))

    def of(self, machine: str) -> tuple[Ownership, ...]:
        """Return the ownership rows of one machine, oldest first."""
        return tuple(each for each in self.all() if each.machine == machine)


class MemoryLedgerRemoval:
    """Deletes rows from memory."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def rows(self) -> Iterator[Row]:
        """Yield every row that may have to be forgotten, of all machines."""
        stored = self._rows
        for rows in (stored.entries, stored.occurrences, stored.moves, stored.proposals, stored.records):
            yield from rows.values()
        yield from MemoryGuards(stored).all()
        yield from stored.snapshots
        for rest in (stored.changes, stored.looks, stored.runs, stored.exposures, stored.aliases, stored.contexts):
            yield from rest.values()
        for more in (stored.outcomes, stored.reinforcements, stored.proofs, stored.phrases, stored.searches):
            yield from more.values()
        yield from stored.ownerships.values()

    def seals(self) -> frozenset[str]:
        """Return each of these rows as a text."""
        return frozenset(map(repr, self.rows()))

    def remove(self, rows: Iterable[Row]) -> int:
        """Delete rows; returns how many existed."""
        removed = 0
        here = self._rows
        places: list[dict[Any, Any]] = [here.entries, here.occurrences, here.moves, here.proposals, here.records]
        places += [here.changes, here.looks, here.runs, here.exposures, here.aliases, here.contexts]
        places += [here.outcomes, here.reinforcements, here.proofs, here.phrases, here.searches]
        places.append(here.ownerships)
        for row in tuple(rows):
            for stored in places:
                for key in [key for key, each in stored.items() if each == row]:
                    del stored[key]
                    removed += 1
            for version in [key for key in self._rows.guards if isinstance(row, Guard) and key[0] == row.id]:
                del self._rows.guards[version]
                removed += 1
            if isinstance(row, Snapshot) and row in self._rows.snapshots:
                self._rows.snapshots.remove(row)
                removed += 1
        return removed

    def scrub(self) -> None:
        """Do nothing: memory keeps no deleted data."""


def _lane(record: Record) -> tuple[str, str | None, str | None]:
    return record.machine, record.session, record.tool


def _concerns(record: Record, tool: str | None, key: str | None) -> bool:
    return (
        record.kind is RecordKind.INSIGHT
        or record.tried is not None
        or (tool is not None and record.tool == tool)
        or (key is not None and record.signature is not None and record.signature.key == key)
    )
