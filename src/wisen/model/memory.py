"""Memories: what can be found again, where it stands, and by which design it is looked for.

Plain tuples and nothing but the standard library: a hook looks for memories within an agent's turn, where each import
counts.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

ENTRY_ORIGIN_PREFIX = "entry:"
"""With what the names of the origins of entries begin."""


class MemoryKind(StrEnum):
    """What a memory is."""

    RULE = "rule"
    """A lesson that holds: approved, or stated and confirmed."""
    ENTRY = "entry"
    FIX = "fix"
    NOTE = "note"
    SUMMARY = "summary"
    SKILL = "skill"
    WORKFLOW = "workflow"
    """A request that was carried out, with the steps it took."""
    TURN = "turn"
    """What the user typed."""
    IMPORTED = "imported"
    """From a memory that somebody else keeps. It can be found; it never teaches."""


class Memory(NamedTuple):
    """Something that can be found again, with what it takes to cite it."""

    id: str
    kind: MemoryKind
    text: str
    origin: str
    """What it was taken from and is replaced with: a session, the ledger, a file."""
    context: str = ""
    """The key of its context; empty for everywhere."""
    agent: str = ""
    session: str = ""
    """The agent's own id of the session it was said in; else empty."""
    turn: int = 0
    """Which of the session's turns it is, from 1 on."""
    at: datetime | None = None
    who: str = ""
    """Who said it, where that is a name that people may ask for."""
    beside: str = ""
    """What stands around it."""
    uses: int = 0
    """In how many sessions it was seen or used."""
    place: str = ""
    """Where to look it up: the name of an entry, a path with a line."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine: hosted agents are not told."""

    @property
    def citation(self) -> str:
        """Where it comes from, in short."""
        if self.place:
            return self.place
        day = f"{self.at:%Y-%m-%d}" if self.at is not None else ""
        turn = f"turn {self.turn}" if self.turn else ""
        return ", ".join(filter(None, (self.agent, f"session {self.session[:8]}" if self.session else "", turn, day)))


class MemoryFields(NamedTuple):
    """A memory as the words it is found by, one text a field."""

    text: str
    who: str
    day: str
    beside: str


class MemoryQuery(NamedTuple):
    """What is looked for."""

    words: tuple[str, ...]
    """Words, and phrases of several; one is enough for a memory to be found."""
    contexts: tuple[str, ...] | None = None
    """The contexts that may be looked in, the empty one for what holds everywhere; None for all."""
    since: datetime | None = None
    kinds: tuple[MemoryKind, ...] = ()
    """Only these; none named: all."""
    local: bool = True
    """Whether also what was typed to models on the user's own machine is looked for."""


class MemoryHit(NamedTuple):
    """A memory that was found, and how well its words match."""

    memory: Memory
    score: float


class RankedMemory(NamedTuple):
    """A memory with its place among those found."""

    memory: Memory
    score: float


class MemoryGroup(NamedTuple):
    """What was found in one session, or one memory that belongs to none; best first."""

    key: str
    memories: tuple[RankedMemory, ...]
    score: float
    replaced_by: str = ""
    """The key of the group that holds a newer decision about the same."""

    @property
    def best(self) -> Memory:
        """The memory that answers best."""
        return self.memories[0].memory

    @property
    def at(self) -> datetime | None:
        """When the newest of it was said."""
        return max((each.memory.at for each in self.memories if each.memory.at is not None), default=None)


class RecallResult(NamedTuple):
    """What was found, by session, and where it was looked for."""

    groups: tuple[MemoryGroup, ...]
    more: int
    """How many more groups were found."""
    contexts: dict[str, str]
    """The names of the contexts that are cited, by key."""
    here: str
    """The key of the active context."""
    total: int
    """How many memories there are."""


class Briefing(NamedTuple):
    """What a task needs, and what it costs."""

    memories: tuple[Memory, ...]
    text: str
    tokens: int
    left_out: int
    """How many more mattered and did not fit."""


class RankingWeights(NamedTuple):
    """By what memories are ranked: every weight in one value, so that another one can be tried against it."""

    who: float = 1.0
    day: float = 1.0
    beside: float = 0.3
    """What a word counts in these fields; in the text itself it counts 1."""
    session: float = 0.4
    """What the score of the best session adds to each of its memories, as a share of the best memory's."""
    fade: float = 0.6
    """What each further memory of a session adds to the session's score, compared with the one before."""
    recent: float = 0.05
    """What being new adds, as a share of the score; half of it after so many days:"""
    half_life: float = 90.0
    used: float = 0.03
    """What each doubling of its uses adds."""
    here: float = 0.1
    """What belonging to the active context adds."""
    law: float = 0.15
    """What being a rule, an entry, a fix or a note adds: somebody decided to keep it."""
    imported: float = 0.2
    """What being imported takes away."""
    praised: float = 0.02
    """What each step of praise makes up for, as a share of the score; never against a better match of words."""
    depth: int = 100
    """How many memories are ranked."""
    rows: int = 1000
    """How many memories the words of a question may meet together; the most frequent words are left out above it."""


BRIEFING_TOKENS = 600
"""How many tokens a briefing may cost."""
DEFAULT_WEIGHTS = RankingWeights()
"""The design that is shipped."""
