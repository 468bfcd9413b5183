"""The port of the index: events, what was found in them, and what can be found again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.models.ports import Answers
from wisen.store.tombstones_port import Traces

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.errors import StoreDamaged
    from wisen.model.event import Event
    from wisen.model.failure import Goal, Mined
    from wisen.model.fix import Evidence, FailureKind, Fix
    from wisen.model.history import History
    from wisen.model.report import Counts, Selection
    from wisen.model.signal import Sighting
    from wisen.model.source import Mark, Source, Trouble, TroubleCount
    from wisen.store.memories_port import Memories


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
