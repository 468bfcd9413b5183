"""The doors to the outside: what the loop needs, and nothing about who gives it.

Each port is a small Protocol with a contract suite and a fake in `wisen.testing`. Errors that cross a port are those of
`wisen.errors`; what a backend raises by itself is translated there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, runtime_checkable

from wisen.ports.hooks import Accompanied as Accompanied
from wisen.ports.hooks import Gauge as Gauge
from wisen.ports.hooks import Granting as Granting
from wisen.ports.hooks import Hooks as Hooks
from wisen.ports.hooks import Launcher as Launcher
from wisen.ports.hooks import Shipping as Shipping
from wisen.ports.ledger import Ledger as Ledger
from wisen.ports.ledger import Scribe as Scribe
from wisen.ports.memories import Memories as Memories
from wisen.ports.memories import Notebooks as Notebooks
from wisen.ports.models import Answers as Answers
from wisen.ports.models import Model as Model
from wisen.ports.models import Purse as Purse
from wisen.ports.ownership import Ownerships as Ownerships
from wisen.ports.ownership import Tracking as Tracking
from wisen.ports.phrases import Phrasebook as Phrasebook
from wisen.ports.presence import Presence as Presence
from wisen.ports.shelf import Shelf as Shelf
from wisen.ports.tombstones import Graves as Graves
from wisen.ports.tombstones import Traces as Traces

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from wisen.domain.changes import Checkout, HeadStep, Seen
    from wisen.domain.events import Event
    from wisen.domain.failures import Goal, Mined
    from wisen.domain.fixes import Evidence, FailureKind, Fix
    from wisen.domain.histories import History
    from wisen.domain.instructions import InstructionFile
    from wisen.domain.report import Counts, Selection
    from wisen.domain.signals import Sighting
    from wisen.domain.sources import Batch, Mark, Source, Trouble, TroubleCount
    from wisen.errors import StoreDamaged

__all__ = [
    "Accompanied",
    "Agent",
    "Answers",
    "Backups",
    "Clock",
    "Crew",
    "Embedder",
    "Files",
    "Findings",
    "Gauge",
    "Granting",
    "Graves",
    "Hooks",
    "Ids",
    "Index",
    "Instructions",
    "Kept",
    "Launcher",
    "Ledger",
    "Lock",
    "Memories",
    "Model",
    "Notebooks",
    "Ownerships",
    "Phrasebook",
    "Presence",
    "Purse",
    "Scattered",
    "Shelf",
    "Shipping",
    "Stretch",
    "Traces",
    "Tracking",
    "Vector",
    "Versioned",
]

Vector: TypeAlias = "tuple[float, ...]"


class Clock(Protocol):
    """The time, so that a test can decide it."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        ...

    def elapsed(self) -> float:
        """Seconds on a clock that only goes forward."""
        ...


class Ids(Protocol):
    """New names for new things."""

    def new(self) -> str:
        """An id that no machine has given before and that sorts by time."""
        ...


class Agent(Protocol):
    """The sessions that one kind of agent records."""

    @property
    def name(self) -> str:
        """The agent's name, as users write it: `claude-code`."""
        ...

    def roots(self) -> tuple[Path, ...]:
        """Where this agent keeps its sessions on this machine, whether or not anything is there."""
        ...

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Every source below the roots, or below `under`."""
        ...

    def read(self, source: Source, mark: Mark | None = None) -> Iterator[Batch]:
        """The events of a source behind the mark, a stretch at a time. Bad input becomes a trouble, never an error."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """An agent whose sources tell which version of it wrote them."""

    def version(self, source: Source) -> str | None:
        """The version that wrote the newest part of a source; None when it does not tell or cannot be read."""
        ...


@runtime_checkable
class Scattered(Protocol):
    """An agent that keeps its sessions in the projects themselves: whoever asks must know where those are."""

    def sources_in(self, projects: Iterable[Path]) -> Iterator[Source]:
        """Every source at the top of these directories that `sources` does not find."""
        ...

    def files_of(self, source: Source) -> tuple[Path, ...]:
        """The files in a project that a source is read from, itself among them."""
        ...


class Crew(Protocol):
    """Helpers for large work: any executor of the standard library's shape, a cluster's too."""

    def __call__(self, jobs: int, size: int) -> AbstractContextManager[tuple[Executor | None, int]]:
        """An executor for work on so many bytes, and how many tasks it does at once; None when it is not worth one.

        `jobs` is what the user asked for; 0 leaves it to the crew.
        """
        ...


class Kept(NamedTuple):
    """An event that passed the door, with what was decided about it there."""

    event: Event
    context: str | None
    """The key of its context; None in the home directory, which is never one."""
    withheld: str | None = None
    """The safety rule for which its text was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What one batch of a source leaves in the index, written together with the mark or not at all."""

    source: Source
    kept: tuple[Kept, ...]
    troubles: tuple[Trouble, ...]
    mark: Mark
    afresh: bool = False
    """The first batch of a source that is read from its beginning: earlier troubles of it no longer count."""


class Findings(Protocol):
    """What mining found in sessions, and which of them it has still to look at."""

    def unmined(self, version: int) -> Iterator[History]:
        """The sessions that hold something new since they were mined, or that another version of the miner saw last.

        They come one at a time, and what this gives may be handed to `mined` before the next is taken.
        """
        ...

    def mined(self, found: Sequence[Mined], version: int) -> None:
        """Keep what sessions taught, in one transaction and in place of what they taught before.

        A session that got something new since `unmined` gave it stays unmined. What names an event that is not there
        is left out.
        """
        ...

    def again(self, sessions: Collection[int]) -> None:
        """Have sessions mined anew, by the index's numbers of them, though they hold nothing new."""
        ...

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """What went wrong, by signature, in most sessions first.

        What is transient does not count when it happened before `alive`.
        """
        ...

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """The changes that made failing calls work at least once, those of most sessions first."""
        ...

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Every time a fix was tried, newest first.

        The beginning of an id is enough; nothing comes where no fix or several begin with it.
        """
        ...

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """What was asked for in the selected sessions and how it went, oldest first."""
        ...

    def signals(self, selection: Selection) -> tuple[Sighting, ...]:
        """What the user said about the work in the selected sessions, newest first.

        Of the same moment, the message that was read last comes first; of one message, they come by kind.
        """
        ...


class Index(Findings, Traces, Answers, Protocol):
    """Large and derived: events, how far each source was read, what was found in them, and what can be found again."""

    @property
    def memories(self) -> Memories:
        """What can be found again by its words."""
        ...

    def marks(self, agent: str) -> Mapping[str, Mark]:
        """How far each source of an agent was read, by path."""
        ...

    def keep(self, stretches: Sequence[Stretch]) -> int:
        """Store them in one transaction; an event that is already there stays as it is. Returns how many were new."""
        ...

    def counts(self, selection: Selection) -> Counts:
        """What the selected sessions hold."""
        ...

    def histories(self, selection: Selection) -> Iterator[History]:
        """The selected sessions one at a time, with calls, their ends and the user's turns in the order of time.

        A call that was rejected, or whose outcome the same session does not hold, has no end.
        """
        ...

    def troubles(self, selection: Selection) -> tuple[TroubleCount, ...]:
        """What could not be read in the selected sources."""
        ...

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        ...

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Begin anew where the error says that this index is damaged, and what was there is kept beside.

        Returns what there is to tell of it; None where something else is damaged. Raises: StoreError.
        """
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Checkouts(Protocol):
    """What git knows of the files of the user. It is only asked; nothing is ever committed for him."""

    def at(self, path: str) -> Checkout | None:
        """What git knows of the file whose real path this is; None where git does not track it, or cannot tell."""
        ...

    def steps(self, path: str, head: str, at: datetime) -> tuple[HeadStep, ...] | None:
        """How HEAD moved since it named a commit at a moment, with what a file held before and after each move.

        Without a commit, since that moment. None where that cannot be told.
        """
        ...

    def is_tracked(self, path: str) -> bool:
        """Whether git keeps a file, as it is named or where it really is; also where git cannot tell."""
        ...


class Files(Protocol):
    """The files of the user, as far as we edit them."""

    def read(self, path: Path) -> Seen:
        """A file as it is now; also one that is not there. Raises: FileError."""
        ...

    def real(self, path: Path) -> str:
        """Where the file itself is that a path leads to, there or not."""
        ...

    def linked_to(self, path: Path) -> str | None:
        """The file that links lead to on the way from the project to a path; None where there are none.

        Raises:
            FileError: they lead to a place that an edit must not follow them to.
        """
        ...

    def beside(self, path: Path) -> tuple[Path, ...]:
        """The other files of the same kind in a file's folder, by name; none where there is no folder."""
        ...

    def write(self, seen: Seen, content: bytes | None) -> Seen:
        """Put a content in the place of what was seen, whole or not at all; None deletes the file.

        Raises:
            FileChanged: the file is no longer what was seen; nothing was written.
            FileError: it cannot be written; it is as it was, unless the message says that it was written.
        """
        ...


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


class Lock(Protocol):
    """One writer at a time on a home: whatever writes what logs tell holds it. Hooks never wait for it."""

    def hold(self, work: str) -> AbstractContextManager[None]:
        """Hold it while the block lasts; a thread that holds it already does not wait. Raises: StoreBusy."""
        ...


class Instructions(Protocol):
    """The files that agents read before they work, with their history as far as anybody remembers it.

    A repository that is broken, refused or missing is no error: then what is on disk is the only version. Versions come
    oldest first, and two that follow each other differ.
    """

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """Every instruction file in these project directories and below, and those of the user, by path."""
        ...

    def file(self, path: Path) -> InstructionFile:
        """One file, whatever its name. Raises: UsageError where there is none that can be read."""
        ...


class Embedder(Protocol):
    """Meaning as numbers."""

    @property
    def name(self) -> str:
        """Vectors of different names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector of unit length a text, in order."""
        ...
