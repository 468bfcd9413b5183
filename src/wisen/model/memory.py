"""Memories that can be recalled, queries for them, and the weights by which they are ranked.

Plain tuples and only the standard library: a hook searches memories during an agent's turn, where each import counts.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

ENTRY_ORIGIN_PREFIX = "entry:"
"""The prefix of the origin names of entries."""


class MemoryKind(StrEnum):
    """What a memory is."""

    RULE = "rule"
    """A lesson in force: approved, or stated and confirmed."""
    ENTRY = "entry"
    FIX = "fix"
    NOTE = "note"
    SUMMARY = "summary"
    SKILL = "skill"
    WORKFLOW = "workflow"
    """A completed request, with the steps it took."""
    TURN = "turn"
    """What the user typed."""
    IMPORTED = "imported"
    """From a memory file of another system. It can be recalled; nothing is learned from it."""


class Memory(NamedTuple):
    """Something that can be recalled, with what is needed to cite it."""

    id: str
    kind: MemoryKind
    text: str
    origin: str
    """What it was taken from and is replaced with: a session, the ledger, a file."""
    context: str = ""
    """The key of its context; empty for all."""
    agent: str = ""
    session: str = ""
    """The agent's own id of the session it is from; empty if it is from none."""
    turn: int = 0
    """The number of the turn in its session, from 1."""
    at: datetime | None = None
    who: str = ""
    """Who said it, if that is a name that people may search for."""
    beside: str = ""
    """The surrounding text."""
    uses: int = 0
    """In how many sessions it was seen or used."""
    place: str = ""
    """Where to look it up: the name of an entry, or a path with a line number."""
    local: bool = False
    """Whether it was typed to a local model: it is not delivered to hosted agents."""

    @property
    def citation(self) -> str:
        """Return a short reference to its source."""
        if self.place:
            return self.place
        day = f"{self.at:%Y-%m-%d}" if self.at is not None else ""
        turn = f"turn {self.turn}" if self.turn else ""
        return ", ".join(filter(None, (self.agent, f"session {self.session[:8]}" if self.session else "", turn, day)))


class MemoryFields(NamedTuple):
    """The searchable words of a memory, one text per field."""

    text: str
    who: str
    day: str
    beside: str


class MemoryQuery(NamedTuple):
    """A search for memories."""

    words: tuple[str, ...]
    """Words and phrases; a memory matches if it holds at least one."""
    contexts: tuple[str, ...] | None = None
    """The contexts to search, an empty key for what applies everywhere; None for all."""
    since: datetime | None = None
    kinds: tuple[MemoryKind, ...] = ()
    """The kinds to search; empty for all."""
    local: bool = True
    """Whether to include what was typed to local models."""


class MemoryHit(NamedTuple):
    """A matching memory with its text score."""

    memory: Memory
    score: float


class RankedMemory(NamedTuple):
    """A memory with its ranking score."""

    memory: Memory
    score: float


class MemoryGroup(NamedTuple):
    """The matches of one session, or one memory without a session; best first."""

    key: str
    memories: tuple[RankedMemory, ...]
    score: float
    replaced_by: str = ""
    """The key of the group that holds a newer decision about the same thing."""

    @property
    def best(self) -> Memory:
        """Return the best match."""
        return self.memories[0].memory

    @property
    def at(self) -> datetime | None:
        """Return when its newest memory was said."""
        return max((each.memory.at for each in self.memories if each.memory.at is not None), default=None)


class RecallResult(NamedTuple):
    """The matches by session, and where the search looked."""

    groups: tuple[MemoryGroup, ...]
    more: int
    """How many more groups were found."""
    contexts: dict[str, str]
    """The names of the cited contexts, by key."""
    here: str
    """The key of the active context."""
    total: int
    """How many memories there are."""


class Briefing(NamedTuple):
    """The memories that matter for a task, within a token budget."""

    memories: tuple[Memory, ...]
    text: str
    tokens: int
    left_out: int
    """How many more were relevant but did not fit."""


class RankingWeights(NamedTuple):
    """All weights of the ranking in one value, so that alternatives can be compared."""

    who: float = 1.0
    """The weight of a word in the field that says who said or did it; in the text itself it is 1."""
    day: float = 1.0
    """The weight of a word in the field of the day."""
    beside: float = 0.3
    """The weight of a word in the text next to the memory."""
    session: float = 0.4
    """What the score of the best session adds to each of its memories, as a share of the best memory's score."""
    fade: float = 0.6
    """What each further memory of a session adds to the session's score, relative to the previous one."""
    recent: float = 0.05
    """What recency adds, as a share of the score."""
    half_life: float = 90.0
    """After how many days the recency bonus halves."""
    used: float = 0.03
    """What each doubling of its uses adds."""
    here: float = 0.1
    """What belonging to the active context adds."""
    law: float = 0.15
    """What being a rule, an entry, a fix or a note adds: somebody decided to keep it."""
    imported: float = 0.2
    """What being imported subtracts."""
    praised: float = 0.02
    """What each level of praise adds, as a share of the score; it never outweighs a better text match."""
    depth: int = 100
    """How many memories are ranked."""
    rows: int = 1000
    """How many memories the words of a query may match together; beyond it the most frequent words are dropped."""


BRIEFING_TOKENS = 600
"""The token budget of a briefing."""
DEFAULT_WEIGHTS = RankingWeights()
"""The default weights."""
