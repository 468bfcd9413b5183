"""Finds memories in the index: by words with FTS5 and BM25 over weighted fields, or the newest.

Apart from `memories.py`, because the hook client loads this file inside an agent's turn: it imports little.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

from wisen.model.memory import Memory, MemoryHit, MemoryKind
from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.sqlite import as_float

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.memory import MemoryQuery, RankingWeights
    from wisen.store.database_port import Row, Value
    from wisen.store.sqlite import SqliteDatabase

_RECENT_LIMIT = 64
"""How many of the last memories of a context to choose the newest from: numbers follow time, but not strictly."""
NUMBER_BITS = 40
"""How many low bits of a memory's number are its own; the higher ones are its context's."""
_MIN_PREFIX = 4
"""The minimum length of a word for prefix matches."""
_COLUMNS = "m.id, m.kind, m.text, o.name, c.context, m.agent, m.session, m.turn, m.at, m.who, m.uses, m.place, m.local"
READ_MEMORIES = f"""
    SELECT m.number, {_COLUMNS} FROM memories m CROSS JOIN memory_origins o ON o.number = m.origin
    CROSS JOIN memory_contexts c ON c.number = m.number >> {NUMBER_BITS}
"""  # noqa: S608 - constant names
_MANY = "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT ?)"


class MemoryFinder:
    """Reads the memories of one index."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def find(self, query: MemoryQuery, weights: RankingWeights) -> list[MemoryHit]:
        """Return the memories that hold one of the words, best text match first."""
        scopes = self._scopes(query)
        if scopes == []:
            return []
        terms = [f'"{_escape_quotes(word)}"' for word in query.words]
        match, scored = self._match(terms, weights.rows)
        if not match:
            longer = [f"{word}*" for word, plain in zip(terms, query.words, strict=True) if _allows_prefix(plain)]
            match, scored = self._match(longer, weights.rows)
        if not match:
            return []
        scores: dict[int, float] = {}
        for scope in (None,) if scopes is None else scopes:
            scores.update(self._matches(match, scope, query, weights, scored=scored))
        best = sorted(scores, key=lambda number: (-scores[number], number))[: weights.depth]
        memories = self._memories(best)
        return [MemoryHit(memories[number], scores[number]) for number in best]

    def newest(self, sought: MemoryQuery, most: int) -> list[MemoryHit]:
        """Return the last memories of some contexts and kinds, for a query without words."""
        memories = list[Memory]()
        kinds = ", ".join(f"'{kind.value}'" for kind in sought.kinds or MemoryKind)
        hosted = "" if sought.local else " AND m.local = 0"
        for scope in self._scopes(sought) or ():
            where = f"WHERE m.number BETWEEN ? AND ? AND m.kind IN ({kinds}){hosted} ORDER BY m.number DESC LIMIT ?"
            rows = self._db.run(
                f"{READ_MEMORIES} {where}", (scope << NUMBER_BITS, ((scope + 1) << NUMBER_BITS) - 1, _RECENT_LIMIT)
            )
            memories += [memory_of(row) for row in rows]
        dated = sorted([(each.at, each.id, each) for each in memories if each.at is not None])[-most:]
        return [MemoryHit(each, float(number)) for number, (_, _, each) in enumerate(dated, start=1)][::-1]

    def _scopes(self, sought: MemoryQuery) -> list[int] | None:
        """Return the numbers of the contexts to search; None for all."""
        if sought.contexts is None:
            return None
        marks = ", ".join("?" * len(sought.contexts))
        statement = f"SELECT number FROM memory_contexts WHERE context IN ({marks}) ORDER BY number"  # noqa: S608 - placeholders
        return [self._db.as_int(number) for (number,) in self._db.run(statement, tuple(map(escape, sought.contexts)))]

    def _match(self, words: Sequence[str], rows: int) -> tuple[str, bool]:
        """Return the FTS5 query, and whether its matches are few enough to be scored.

        The most frequent words are dropped if all together match too many memories. If each matches too many, all of
        them are required.
        """
        many = {word: self._db.query_int(_MANY, (f"text : {word}", rows)) for word in words}
        ordered = sorted(words, key=lambda word: many[word])
        rare = [
            word for word, met in zip(ordered, accumulate(many[word] for word in ordered), strict=True) if met < rows
        ]
        # A word that no text holds may still occur in another field, or in surrounding text.
        terms = [word for word in rare if many[word] or self._db.query_int(_MANY, (word, 1))]
        frequent = [word for word in ordered if many[word] >= rows]
        if any(many[word] for word in terms) or not frequent:
            return " OR ".join(terms or [word for word in ordered if many[word]][:1]), True
        all_of_them = " AND ".join(frequent)
        met = self._db.query_int(_MANY, (all_of_them, rows))
        return (all_of_them, met < rows) if met else (frequent[0], False)

    def _matches(
        self, match: str, scope: int | None, sought: MemoryQuery, design: RankingWeights, *, scored: bool
    ) -> list[tuple[int, float]]:
        """Return the numbers of matching memories with their scores; unscored, the newest."""
        values: dict[str, Value] = {"match": match, "depth": design.depth}
        where = ""
        if scope is not None:
            where += " AND memory_words.rowid BETWEEN :first AND :last"
            values |= {"first": scope << NUMBER_BITS, "last": ((scope + 1) << NUMBER_BITS) - 1}
        if sought.since is not None:
            where += " AND m.at >= :since"
            values["since"] = milliseconds(sought.since)
        if sought.kinds:
            names = {f"kind{at}": kind.value for at, kind in enumerate(sought.kinds)}
            where += f" AND m.kind IN ({', '.join(f':{name}' for name in names)})"
            values |= names
        if not sought.local:
            where += " AND m.local = 0"
        joined = " CROSS JOIN memories m ON m.number = memory_words.rowid" if "m." in where else ""
        score, order = "1.0", "memory_words.rowid DESC"
        if scored:
            score, order = "-bm25(memory_words, 1.0, :who, :day, :beside)", "score DESC, memory_words.rowid"
            values |= {"who": design.who, "day": design.day, "beside": design.beside}
        rows = self._db.run(
            f"SELECT memory_words.rowid, {score} AS score FROM memory_words{joined}"  # noqa: S608 - constant names
            f" WHERE memory_words MATCH :match{where} ORDER BY {order} LIMIT :depth",
            values,
        )
        return [(self._db.as_int(number), as_float(self._db, score)) for number, score in rows]

    def _memories(self, numbers: Sequence[int]) -> dict[int, Memory]:
        rows = self._db.run(f"{READ_MEMORIES} WHERE m.number IN ({', '.join(map(str, numbers))})")
        return {self._db.as_int(row[0]): memory_of(row) for row in rows}


def memory_of(row: Row) -> Memory:
    _, id_, kind, text, origin, context, agent, session, turn, at, who, uses, place, local = cast(
        "tuple[Any, ...]", row
    )
    return Memory(
        id=unescape(id_),
        kind=MemoryKind(kind),
        text=unescape(text),
        origin=unescape(origin),
        context=unescape(context),
        agent=unescape(agent),
        session=unescape(session),
        turn=turn,
        at=None if at is None else from_milliseconds(at),
        who=unescape(who),
        uses=uses,
        place=unescape(place),
        local=bool(local),
    )


def _allows_prefix(word: str) -> bool:
    """Return whether to search for longer words with this prefix."""
    return len(word) >= _MIN_PREFIX and " " not in word


def _escape_quotes(word: str) -> str:
    """Escape a word or phrase for FTS5 quotation marks."""
    return escape(word).replace('"', '""')
