"""Memories in plain Python, for tests of what stands on the port. Words are compared as they are, without stems."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from wisen.model.memory import MemoryHit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.model.memory import Memory, MemoryFields, MemoryQuery, RankingWeights


class PlainMemories:
    """Keeps everything until it is garbage."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[tuple[Memory, MemoryFields], ...]] = {}

    def replace(self, origins: Mapping[str, Sequence[tuple[Memory, MemoryFields]]]) -> int:
        """Hold these memories of each origin, and no others of it; with none the origin is forgotten."""
        changed = [name for name, memories in origins.items() if self._held.get(name, ()) != tuple(memories)]
        self._held.update({name: tuple(memories) for name, memories in origins.items()})
        for name in [name for name, memories in self._held.items() if not memories]:
            del self._held[name]
        return len(changed)

    def origins(self, prefix: str) -> frozenset[str]:
        """The origins whose names begin so."""
        return frozenset(name for name in self._held if name.startswith(prefix))

    def find(self, query: MemoryQuery, weights: RankingWeights) -> list[MemoryHit]:
        """The memories that hold one of the words, those that hold most first."""
        hits = [
            MemoryHit(memory, score)
            for memory, words in self._all()
            if _is_asked_for(memory, query) and (score := _score(query, words, weights))
        ]
        return sorted(hits, key=lambda hit: -hit.score)[: weights.depth]

    def neighbors(self, memory: str, reach: int) -> list[Memory]:
        """The memories of the same origin up to so many turns before and behind one, in order."""
        one = next((each for each, _ in self._all() if each.id == memory), None)
        if one is None:
            return []
        near = [each for each, _ in self._held[one.origin] if abs(each.turn - one.turn) <= reach]
        return sorted(near, key=lambda each: each.turn)

    def every(self) -> Iterator[Memory]:
        """All memories, each with what stands around it."""
        return (memory for memory, _ in self._all())

    def count(self) -> dict[str, int]:
        """How many memories there are of each kind."""
        return dict(sorted(Counter(memory.kind.value for memory, _ in self._all()).items()))

    def contexts(self) -> dict[str, int]:
        """How many memories there are in each context."""
        return dict(sorted(Counter(memory.context for memory, _ in self._all()).items()))

    def _all(self) -> list[tuple[Memory, MemoryFields]]:
        return [each for memories in self._held.values() for each in memories]


def _is_asked_for(memory: Memory, sought: MemoryQuery) -> bool:
    if sought.contexts is not None and memory.context not in sought.contexts:
        return False
    if sought.since is not None and (memory.at is None or memory.at < sought.since):
        return False
    if memory.local and not sought.local:
        return False
    return not sought.kinds or memory.kind in sought.kinds


def _score(sought: MemoryQuery, words: MemoryFields, design: RankingWeights) -> float:
    weights = 1.0, design.who, design.day, design.beside
    return sum(
        weight
        for word in sought.words
        for field, weight in zip(words, weights, strict=True)
        if re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", field.casefold())
    )
