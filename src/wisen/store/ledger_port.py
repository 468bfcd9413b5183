"""The port of the ledger, and what names, dates and places the rows that go into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.model.entry import Move, Who
from wisen.models.ports import Purse
from wisen.store.ownership_port import Ownerships
from wisen.store.phrases_port import Phrasebook
from wisen.store.tombstones_port import Graves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from wisen.model.change import Change, Look
    from wisen.model.context import Alias, Context
    from wisen.model.entry import Entry, MoveKind, Occurrence, Proposal, Tally
    from wisen.model.exposure import Exposure
    from wisen.model.guard import Guard, Learnt
    from wisen.model.learning import Record
    from wisen.model.reinforcement import Reinforcement
    from wisen.model.run import Run
    from wisen.model.snapshot import Snapshot
    from wisen.model.trial import Outcome
    from wisen.system.ports import Clock, Ids


class Ledger(Graves, Purse, Phrasebook, Ownerships, Protocol):
    """Small and precious: what a person decided and what we must never lose. Writing returns when it is on disk."""

    def sight(self, context: Context, alias: Alias | None) -> None:
        """Remember a context and the directory it was seen in; the first sight of each stands."""
        ...

    def contexts(self) -> tuple[Context, ...]:
        """Every context ever seen, by key."""
        ...

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """The directories of one machine, by path."""
        ...

    def record(self, run: Run) -> None:
        """Remember a run; recording the same one again changes nothing."""
        ...

    def runs(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        ...

    def keep(self, record: Record) -> None:
        """Remember what a program recorded; keeping the same one again changes nothing."""
        ...

    def records(self, *, id_: str | None = None, tool: str | None = None, key: str | None = None) -> tuple[Record, ...]:
        """What programs recorded, oldest first: the one with an id, or what concerns a tool or a key, or everything.

        Insights and whatever tells of a try always concern. A success that tells of none, in a session where its tool
        never failed, is left out unless its id is asked for: most of what a program records is that.
        """
        ...

    def snap(self, snapshot: Snapshot) -> None:
        """Remember what a file held; the same text as in the newest snapshot of that file changes nothing."""
        ...

    def snapshots(self, path: str, *, machine: str | None = None) -> tuple[Snapshot, ...]:
        """What the file of that path held, oldest first, on one machine or on all."""
        ...

    def change(self, change: Change) -> bool:
        """Remember an edit of a file, before it is made; the same one again changes nothing.

        False: another one was made behind the same change before it, and this one is not remembered.
        """
        ...

    def rewrite_change(self, change: Change) -> None:
        """Put a change in the place of the one with its id, in one go."""
        ...

    def changes(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """The edits of the files of one machine, or of one file, oldest first."""
        ...

    def look(self, look: Look) -> None:
        """Remember what had become of a change; the same look again changes nothing."""
        ...

    def looks(self, *, machine: str) -> tuple[Look, ...]:
        """The looks at what was changed on one machine, oldest first."""
        ...

    def enter(self, rows: Iterable[Learnt]) -> dict[str, str]:
        """Remember what was learnt and decided, all of it or nothing; the same again changes nothing.

        An entry whose sights were recorded before is the one that they belong to, and rows that name it name that one;
        a proposal that asks what was asked at the same time is left out. Returns by their ids which entries were
        there before, and under which id.
        """
        ...

    def entries(self, ids: Iterable[str] | None = None) -> tuple[Entry, ...]:
        """Every entry, or those with these ids, oldest first."""
        ...

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """How often each entry was seen, or each of some, by its id."""
        ...

    def ranked(self, context: str | None = None) -> tuple[str, ...]:
        """The ids of all entries, or of one context, those that came up in most sessions first, then the newest."""
        ...

    def occurrences(self, entry: str | None = None) -> tuple[Occurrence, ...]:
        """Where entries were seen, or one of them, oldest first."""
        ...

    def sights(self) -> frozenset[str]:
        """The ids of all occurrences."""
        ...

    def moves(self, subject: str | None = None, *, every: bool = False) -> tuple[Move, ...]:
        """What was decided, or about one entry or proposal, oldest first; without what was undone.

        With `every` also that, and what notes decisions and that they were undone.
        """
        ...

    def over(self) -> dict[str, str]:
        """The entries of which nothing more comes, by id, and into which each was merged, if it was."""
        ...

    def proposals(self) -> tuple[Proposal, ...]:
        """Every proposal, oldest first."""
        ...

    def guards(self) -> tuple[Guard, ...]:
        """Every guard in its newest version, oldest first."""
        ...

    def expose(self, rows: Iterable[Exposure]) -> None:
        """Remember what was delivered or withheld, all of it or nothing; the same again changes nothing."""
        ...

    def exposures(
        self, subject: str | None = None, *, tossed: bool = False, session: str | None = None
    ) -> tuple[Exposure, ...]:
        """What was delivered or withheld, or of one subject or session, or only what coins said, oldest first."""
        ...

    def conclude(self, rows: Iterable[Outcome]) -> None:
        """Remember what sessions showed about what is on trial, all of it or nothing; the first word stands."""
        ...

    def outcomes(self) -> tuple[Outcome, ...]:
        """What sessions showed about what is on trial, oldest first."""
        ...

    def strengthen(self, rows: Iterable[Reinforcement]) -> None:
        """Remember what praise strengthened, all of it or nothing; the first word stands."""
        ...

    def reinforcements(self) -> tuple[Reinforcement, ...]:
        """What praise strengthened, oldest first."""
        ...

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Scribe(NamedTuple):
    """What names, dates and places a row that is written down."""

    clock: Clock
    ids: Ids
    machine: str
    evidence: str = ""
    """How it is known that a person decides, where one does."""

    def move(self, subject: str, kind: MoveKind, value: str = "", *, by: Who = Who.WISEN, why: str = "") -> Move:
        """A decision about an entry or a proposal; a person's tells how it is known to be one."""
        if by is Who.USER and self.evidence:
            why = "; ".join(filter(None, (why, self.evidence)))
        return Move(
            id=self.ids.new(),
            subject=subject,
            machine=self.machine,
            at=self.clock.now(),
            by=by,
            kind=kind,
            value=value,
            why=why,
        )


class Backups(Protocol):
    """Copies of a ledger that lives in a file. A server's ledger has the server's own."""

    def make(self) -> Path:
        """Copy the ledger, verify the copy, and drop the oldest ones beyond the number to keep."""
        ...

    def newest_good(self) -> Path | None:
        """The newest copy that can be read whole."""
        ...

    def renew(self, holds: Callable[[Ledger], bool]) -> tuple[Path, ...]:
        """Make a copy, then delete the older ones that hold something, or of which that cannot be told.

        Returns those that are gone: what was set aside as damaged is among them.
        """
        ...

    def restore(self, copy: Path) -> Path:
        """Put a copy in the ledger's place; the present file is set aside and its new name returned."""
        ...
