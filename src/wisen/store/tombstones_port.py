"""The ports of forgetting: tombstones and the removal of rows in the ledger, and of texts in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from wisen.model.archive import Stored
    from wisen.model.change import Change, Look
    from wisen.model.context import Alias, Context
    from wisen.model.exposure import Exposure
    from wisen.model.guard import Learnt
    from wisen.model.learning import Record
    from wisen.model.ownership import Ownership
    from wisen.model.reinforcement import Reinforcement
    from wisen.model.run import Run
    from wisen.model.snapshot import Snapshot
    from wisen.model.tombstone import Key, Tombstone, Trace
    from wisen.model.trial import Outcome
    from wisen.store.phrases_port import PhraseRow

Row: TypeAlias = (
    "Learnt | Record | Snapshot | Change | Look | Run | Exposure | Outcome | Reinforcement | Ownership | Alias"
    " | Context | PhraseRow"
)


class Graves(Protocol):
    """What a ledger does to forget. Rows never change: whole ones go, and every other one stays verifiable."""

    def bury(self, tombstone: Tombstone, keys: Iterable[Key]) -> None:
        """Remember that something is forgotten, all of it or nothing, before anything is removed."""
        ...

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every tombstone, oldest first."""
        ...

    def buried(self, tombstone: str | None = None) -> tuple[Key, ...]:
        """The keys of all tombstones, or of one."""
        ...

    def finish(self, tombstone: str, at: datetime) -> None:
        """Remember that everything a tombstone names is gone; the same again changes nothing."""
        ...

    def lift(self, tombstone: str) -> None:
        """Take a tombstone away: what it kept out may be learnt again."""
        ...

    def held(self) -> Iterator[Row]:
        """Every row that somebody may want to be forgotten, of all machines."""
        ...

    def remove(self, rows: Iterable[Row]) -> int:
        """Delete rows, all of them or none; returns how many were there."""
        ...

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        ...


class Traces(Protocol):
    """What an index does to forget."""

    def traces(self) -> Iterator[Trace]:
        """Every text that is held because of an event, and what was worked out of it."""
        ...

    def veil(self, events: Collection[tuple[str, str]]) -> int:
        """Take the texts of events away, by agent and id, and whatever was worked out of their sessions.

        What came back from a call goes with it.

        The events stay as stubs without content, and their sessions wait to be mined. Returns how many had a text.
        """
        ...

    def drop(self, scope: str, until: datetime) -> None:
        """Take away the sessions that are wholly within a scope, and veil what else happened there until a moment."""
        ...

    def stored(self) -> tuple[Stored, ...]:
        """Every session that is held, in no order."""
        ...

    def let_go(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Take away whole sessions, by agent, id and segment, and whatever was worked out of them.

        How far their sources were read stays known.
        """
        ...

    def move_context(self, old: str, new: str) -> None:
        """What happened in one context happened in another: a directory turned out to belong to a known project."""
        ...

    def unveil(self, events: Collection[tuple[str, str]]) -> None:
        """Drop the stubs of events, and have the sources of their sessions read again; with no events, all sources."""
        ...

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        ...
