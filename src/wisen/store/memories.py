"""Memories in the index: the port, and its SQLite implementation with FTS5 and BM25 over weighted fields."""

from __future__ import annotations

import json
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol, cast

from wisen.model.memory import Memory, MemoryHit, MemoryKind
from wisen.model.tombstone import ALL_CONTEXTS, EVERY_TEXT
from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.interned_rows import find_or_add_number
from wisen.store.sqlite import as_float
from wisen.store.word_filter import may_contain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wisen.model.memory import MemoryFields, MemoryQuery, RankingWeights
    from wisen.model.tombstone import TextSearch
    from wisen.store.database_port import Row, Value
    from wisen.store.sqlite import SqliteDatabase

_RECENT_LIMIT = 64
"""How many of the last memories of a context to choose the newest from: numbers follow time, but not strictly."""
NUMBER_BITS = 40
"""How many low bits of a memory's number are its own; the higher ones are its context's."""
_MIN_PREFIX = 4
"""The minimum length of a word for prefix matches."""
_COLUMNS = "m.id, m.kind, m.text, o.name, c.context, m.agent, m.session, m.turn, m.at, m.who, m.uses, m.place, m.local"
_READ = f"""
    SELECT m.number, {_COLUMNS} FROM memories m CROSS JOIN memory_origins o ON o.number = m.origin
    CROSS JOIN memory_contexts c ON c.number = m.number >> {NUMBER_BITS}
"""  # noqa: S608 - constant names
_WITH_WORDS = "JOIN memory_words w ON w.rowid = m.number"
_AROUND = f"""
    {_READ} WHERE m.origin = (SELECT origin FROM memories WHERE id = ?1 LIMIT 1)
    AND m.turn BETWEEN (SELECT turn FROM memories WHERE id = ?1 LIMIT 1) - ?2
    AND (SELECT turn FROM memories WHERE id = ?1 LIMIT 1) + ?2 ORDER BY m.turn, m.number
"""  # noqa: S608 - constant names
_MANY = "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT ?)"
_KEEP = "INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_KEEP_WORDS = "INSERT INTO memory_words (rowid, text, who, day, beside) VALUES (?, ?, ?, ?, ?)"
_OF_ORIGIN = "SELECT number FROM memories WHERE origin = ?"
_LAST = "SELECT max(number) FROM memories WHERE number BETWEEN ? AND ?"

_OF_CONTEXTS = f"""
    SELECT c.context, count(*) FROM memories m JOIN memory_contexts c ON c.number = m.number >> {NUMBER_BITS}
    GROUP BY c.context ORDER BY c.context
"""  # noqa: S608 - constant names


class Memories(Protocol):
    """What can be recalled. Derived: all of it can be rebuilt from the logs, the ledger and files."""

    def replace(self, origins: Mapping[str, Sequence[tuple[Memory, MemoryFields]]]) -> int:
        """Replace the memories of each origin; an origin without memories is deleted.

        In one transaction. Returns how many origins changed.
        """
        ...

    def origins(self, prefix: str) -> frozenset[str]:
        """Return the origins with this prefix."""
        ...

    def find(self, query: MemoryQuery, weights: RankingWeights) -> list[MemoryHit]:
        """Return the memories that hold one of the words, best text match first, up to `weights.depth`.

        Only the requested contexts are searched. Very frequent words are dropped if others match.
        """
        ...

    def neighbors(self, memory: str, reach: int) -> list[Memory]:
        """Return the memories of the same origin up to `reach` turns before and after one, in order; by its id."""
        ...

    def every(self, search: TextSearch = EVERY_TEXT) -> Iterator[Memory]:
        """Yield all memories, or those that may match; each with its surrounding text."""
        ...

    def count(self) -> dict[str, int]:
        """Return how many memories there are of each kind."""
        ...

    def contexts(self) -> dict[str, int]:
        """Return how many memories there are in each context."""
        ...


class SqliteMemories:
    """Memories in a SQLite file, next to the events they come from."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._contexts: dict[str, int] = {}

    def replace(self, origins: Mapping[str, Sequence[tuple[Memory, MemoryFields]]]) -> int:
        """Replace the memories of each origin; an origin without memories is deleted."""
        if not origins:
            return 0
        changed = 0
        try:
            with self._db.transaction():
                for name, memories in origins.items():
                    changed += self._replace(escape(name), memories)
        except BaseException:
            self._contexts.clear()  # numbers assigned in a failed transaction do not exist
            raise
        return changed

    def forget(self, origins: Iterable[str]) -> None:
        """In a transaction: delete the memories of these origins."""
        for name in origins:
            self._replace(escape(name), ())

    def forget_numbers(self) -> None:
        """Discard cached numbers: it is another file."""
        self._contexts.clear()

    def origins(self, prefix: str) -> frozenset[str]:
        """Return the origins with this prefix."""
        first = escape(prefix)
        rows = self._db.run(
            "SELECT name FROM memory_origins WHERE name >= ?1 AND name < ?1 || ?2", (first, "\U0010ffff")
        )
        return frozenset(unescape(str(name)) for (name,) in rows)

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
                f"{_READ} {where}", (scope << NUMBER_BITS, ((scope + 1) << NUMBER_BITS) - 1, _RECENT_LIMIT)
            )
            memories += [_memory(row) for row in rows]
        dated = sorted([(each.at, each.id, each) for each in memories if each.at is not None])[-most:]
        return [MemoryHit(each, float(number)) for number, (_, _, each) in enumerate(dated, start=1)][::-1]

    def neighbors(self, memory: str, reach: int) -> list[Memory]:
        """Return the memories of the same origin up to `reach` turns before and after one, in order."""
        return [_memory(row) for row in self._db.run(_AROUND, (escape(memory), reach))]

    def every(self, search: TextSearch = EVERY_TEXT) -> Iterator[Memory]:
        """Yield all memories, or those that may match; each with its surrounding text."""
        values: dict[str, Value] = {}
        where = _search_condition(self._db, search, values)
        beside = self._db.stream(f"{_READ.replace('SELECT', 'SELECT w.beside,')} {_WITH_WORDS} WHERE {where}", values)
        for around, *row in beside:
            yield _memory(tuple(row))._replace(beside=unescape(str(around or "")))

    def count(self) -> dict[str, int]:
        """Return how many memories there are of each kind."""
        rows = self._db.run("SELECT kind, count(*) FROM memories GROUP BY kind ORDER BY kind")
        return {str(kind): self._db.as_int(many) for kind, many in rows}

    def contexts(self) -> dict[str, int]:
        """Return how many memories there are in each context."""
        rows = self._db.run(_OF_CONTEXTS)
        return {unescape(str(context)): self._db.as_int(many) for context, many in rows}

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
        rows = self._db.run(f"{_READ} WHERE m.number IN ({', '.join(map(str, numbers))})")
        return {self._db.as_int(row[0]): _memory(row) for row in rows}

    def _replace(self, name: str, memories: Sequence[tuple[Memory, MemoryFields]]) -> int:
        rows = self._db.run("SELECT number, digest FROM memory_origins WHERE name = ?", (name,))
        digest = _digest(memories) if memories else ""
        if rows and rows[0][1] == digest:
            return 0
        if rows:
            self._forget(self._db.as_int(rows[0][0]))
        elif not memories:
            return 0
        if not memories:
            self._db.run("DELETE FROM memory_origins WHERE name = ?", (name,))
            return 1
        origin = (
            find_or_add_number(self._db, "memory_origins", {"name": name, "digest": digest}) if not rows else rows[0][0]
        )
        if rows:
            self._db.run("UPDATE memory_origins SET digest = ? WHERE number = ?", (digest, origin))
        free: dict[int, int] = {}
        kept: list[Row] = []
        words: list[Row] = []
        for memory, found_by in memories:
            scope = self._scope(memory.context)
            if scope not in free:
                free[scope] = self._next(scope)
            number = free[scope]
            free[scope] += 1
            kept.append((number, origin, *_row(memory)))
            words.append((number, *map(escape, found_by)))
        self._db.run_many(_KEEP, kept)
        self._db.run_many(_KEEP_WORDS, words)
        return 1

    def _forget(self, origin: int) -> None:
        numbers = self._db.run(_OF_ORIGIN, (origin,))
        self._db.run_many("DELETE FROM memory_words WHERE rowid = ?", numbers)
        self._db.run_many("DELETE FROM memories WHERE number = ?", numbers)

    def _scope(self, context: str) -> int:
        number = self._contexts.get(context)
        if number is None:
            number = self._contexts[context] = find_or_add_number(
                self._db, "memory_contexts", {"context": escape(context)}
            )
        return number

    def _next(self, scope: int) -> int:
        ((last,),) = self._db.run(_LAST, (scope << NUMBER_BITS, ((scope + 1) << NUMBER_BITS) - 1))
        return scope << NUMBER_BITS if last is None else self._db.as_int(last) + 1


def _search_condition(db: SqliteDatabase, search: TextSearch, values: dict[str, Value]) -> str:
    """Return the condition on memories that may match a search, and add its values."""
    conditions = []
    if search.words:
        conditions += [may_contain(db, column, search.words, values) for column in ("m.text", "m.who", "w.beside")]
    elif search.words is None and search.scope == ALL_CONTEXTS:
        return "1"
    elif search.words is None:
        values["scope"] = escape(search.scope)
        conditions.append("c.context = :scope")
    if search.origins:
        values["origins"] = json.dumps([escape(origin) for origin in sorted(search.origins)])
        conditions.append("o.name IN (SELECT value FROM json_each(:origins))")
    return " OR ".join(conditions) or "0"


def _digest(memories: Sequence[tuple[Memory, MemoryFields]]) -> str:
    digest = blake2b(digest_size=16)
    for memory, words in memories:
        digest.update(repr((tuple(memory), tuple(words))).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _row(memory: Memory) -> Row:
    return (
        escape(memory.id),
        memory.kind.value,
        escape(memory.text),
        escape(memory.agent),
        escape(memory.session),
        memory.turn,
        None if memory.at is None else milliseconds(memory.at),
        escape(memory.who),
        memory.uses,
        escape(memory.place),
        int(memory.local),
    )


def _memory(row: Row) -> Memory:
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
