"""Measures the speed of finding and adding memories among very many: generated texts, bounded in number."""

from __future__ import annotations

import random
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.memory.ranking import group, rank
from wisen.memory.replaced_memories import demote_replaced
from wisen.memory.search_words import query_words, words_of
from wisen.model.memory import DEFAULT_WEIGHTS, Memory, MemoryKind, MemoryQuery
from wisen.store.sqlite_index import open_index
from wisen.system.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.memories import Memories

SIZES = (100_000, 1_000_000)
_CONTEXTS, _SESSION, _AT_ONCE, _QUESTIONS = 20, 20, 500, 200
_WORDS = 100_000


def measure_speeds() -> dict[str, object]:
    """Milliseconds to find, within one context and in all, and memories a second when they are put in."""
    figures: dict[str, dict[str, Any]] = {}
    draw = _Draw()
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "index.db"
            index, _ = open_index(path, clock=SystemClock())
            began = time.perf_counter()
            _fill(index.memories, draw, size)
            rate = size / (time.perf_counter() - began)
            here = _times(index.memories, draw, ("c3", ""))
            figures[f"{size:,}"] = {
                **here,
                "everywhere": _times(index.memories, draw, None),
                "built_per_s": rate,
                "bytes_each": sum(file.stat().st_size for file in Path(folder).iterdir()) / size,
            }
            index.close()
    first, last = (figures[f"{size:,}"] for size in SIZES)
    growth = last["p50"] / first["p50"]
    return {"latency_ms": {**first, "at": figures, "growth": growth}}


def _times(store: Memories, draw: _Draw, contexts: tuple[str, ...] | None) -> dict[str, float]:
    spent = []
    clock = SystemClock()
    for _ in range(_QUESTIONS):
        question = f"what did we say about {draw.question()}?"
        began = time.perf_counter()
        found = store.find(MemoryQuery(query_words(question), contexts), DEFAULT_WEIGHTS)
        demote_replaced(group(rank(found, now=clock.now(), here="c3")))
        spent.append(1000 * (time.perf_counter() - began))
    spent.sort()
    return {"p50": spent[len(spent) // 2], "p99": spent[int(len(spent) * 0.99)]}


def _fill(store: Memories, draw: _Draw, size: int) -> None:
    some: dict[str, list[tuple[Memory, object]]] = {}
    for memory in _generate(draw, size):
        some.setdefault(memory.origin, []).append((memory, words_of(memory)))
        if len(some) > _AT_ONCE:
            store.replace(some)  # type: ignore[arg-type]
            some = {}
    store.replace(some)  # type: ignore[arg-type]


def _generate(draw: _Draw, size: int) -> Iterator[Memory]:
    now = SystemClock().now()
    for session in range(size // _SESSION):
        texts = [draw.text() for _ in range(_SESSION)]
        for place, text in enumerate(texts):
            yield Memory(
                id=f"{session}:{place}",
                kind=MemoryKind.TURN,
                text=text,
                origin=f"session:{session}",
                context=f"c{session % _CONTEXTS}",
                agent="made",
                session=str(session),
                turn=place + 1,
                at=now,
                beside="\n".join([*texts[max(0, place - 1) : place], *texts[place + 1 : place + 2]]),
            )


class _Draw:
    """Texts whose words are as unevenly frequent as those of people."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        letters = "bcdfglmnprst", "aeiou"
        self._words = [
            "".join(self._random.choice(letters[place % 2]) for place in range(2 * self._random.randint(2, 4)))
            + str(number % 97)
            for number in range(_WORDS)
        ]
        self._cumulated = list(accumulate(1 / (number + 3) for number in range(_WORDS)))

    def text(self) -> str:
        """A short message."""
        return " ".join(self._random.choices(self._words, cum_weights=self._cumulated, k=self._random.randint(6, 18)))

    def question(self) -> str:
        """Six words of a question, one of them rare."""
        usual = self._random.choices(self._words, cum_weights=self._cumulated, k=5)
        return " ".join([*usual, self._random.choice(self._words)])
