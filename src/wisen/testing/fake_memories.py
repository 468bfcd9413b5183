"""Memories in plain Python, for tests. Words are compared as they are, without stemming."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from wisen.model.memory import MemoryHit
from wisen.model.tombstone import EVERY_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.model.memory import Memory, MemoryFields, MemoryQuery, RankingWeights
    from wisen.model.tombstone import TextSearch


class PlainMemories:
    """Memories that are kept in memory."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[tuple[Memory, MemoryFields], ...]] = {}

    def replace(self, origins: Mapping[str, Sequence[tuple[Memory, MemoryFields]]]) -> int:
        """Replace the memories of each origin; an origin without memories is deleted."""
        changed = [name for name, memories in origins.items() if self._held.get(name, ()) != tuple(memories)]
        self._held.update({name: tuple(memories) for name, memories in origins.items()})
        for name in [name for name, memories in self._held.items() if not memories]:
            del self._held[name]
        return len(changed)

    def origins(self, prefix: str) -> frozenset[str]:
        """Return the origins with this prefix."""
        return frozenset(name for name in self._held if name.startswith(prefix))

    def find(self, query: MemoryQuery, weights: RankingWeights) -> list[MemoryHit]:
        """Return the memories that hold one of the words, those that hold most first."""
        hits = [
            MemoryHit(memory, score)
            for memory, words in self._all()
            if _is_selected(memory, query) and (score := _score(query, words, weights))
        ]
        return sorted(hits, key=lambda hit: -hit.score)[: weights.depth]

    def neighbors(self, memory: str, reach: int) -> list[Memory]:
        """Return the memories of the same origin up to `reach` turns before and after one, in order."""
        one = next((each for each, _ in self._all() if each.id == memory), None)
        if one is None:
            return []
        near = [each for each, _ in self._held[one.origin] if abs(each.turn - one.turn) <= reach]
        return sorted(near, key=lambda each: each.turn)

    def every(self, search: TextSearch = EVERY_TEXT) -> Iterator[Memory]:
        """Yield all memories, each with its surrounding text; the caller checks each."""
        del search
        return (memory for memory, _ in self._all())

    def count(self) -> dict[str, int]:
        """Return how many memories there are of each kind."""
        return dict(sorted(Counter(memory.kind.value for memory, _ in self._all()).items()))

    def contexts(self) -> dict[str, int]:
        """Return how many memories there are in each context."""
        return dict(sorted(Counter(memory.context for memory, _ in self._all()).items()))

    def _all(self) -> list[tuple[Memory, MemoryFields]]:
        return [each for memories in self._held.values() for each in memories]


def _is_selected(memory: Memory, query: MemoryQuery) -> bool:
    if query.contexts is not None and memory.context not in query.contexts:
        return False
    if query.since is not None and (memory.at is None or memory.at < query.since):
        return False
    if memory.local and not query.local:
        return False
    return not query.kinds or memory.kind in query.kinds


def _score(query: MemoryQuery, words: MemoryFields, weights: RankingWeights) -> float:
    field_weights = 1.0, weights.who, weights.day, weights.beside
    return sum(
        weight
        for word in query.words
        for field, weight in zip(words, field_weights, strict=True)
        if re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", field.casefold())
    )
