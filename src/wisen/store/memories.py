"""Memories in the index: the port, and its SQLite implementation with FTS5 and BM25 over weighted fields."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from wisen.model.tombstone import ALL_CONTEXTS, EVERY_TEXT
from wisen.store.escapes import escape, milliseconds, unescape
from wisen.store.interned_rows import find_or_add_number
from wisen.store.memory_finder import NUMBER_BITS, READ_MEMORIES, MemoryFinder, memory_of
from wisen.store.word_filter import may_contain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wisen.model.memory import Memory, MemoryFields, MemoryHit, MemoryQuery, RankingWeights
    from wisen.model.tombstone import TextSearch
    from wisen.store.database_port import Row, Value
    from wisen.store.sqlite import SqliteDatabase

_WITH_WORDS = "JOIN memory_words w ON w.rowid = m.number"
_AROUND = f"""
    {READ_MEMORIES} WHERE m.origin = (SELECT origin FROM memories WHERE id = ?1 LIMIT 1)
    AND m.turn BETWEEN (SELECT turn FROM memories WHERE id = ?1 LIMIT 1) - ?2
    AND (SELECT turn FROM memories WHERE id = ?1 LIMIT 1) + ?2 ORDER BY m.turn, m.number
"""  # noqa: S608 - constant names
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
        return MemoryFinder(self._db).find(query, weights)

    def neighbors(self, memory: str, reach: int) -> list[Memory]:
        """Return the memories of the same origin up to `reach` turns before and after one, in order."""
        return [memory_of(row) for row in self._db.run(_AROUND, (escape(memory), reach))]

    def every(self, search: TextSearch = EVERY_TEXT) -> Iterator[Memory]:
        """Yield all memories, or those that may match; each with its surrounding text."""
        values: dict[str, Value] = {}
        where = _search_condition(self._db, search, values)
        beside = self._db.stream(
            f"{READ_MEMORIES.replace('SELECT', 'SELECT w.beside,')} {_WITH_WORDS} WHERE {where}", values
        )
        for around, *row in beside:
            yield memory_of(tuple(row))._replace(beside=unescape(str(around or "")))

    def count(self) -> dict[str, int]:
        """Return how many memories there are of each kind."""
        rows = self._db.run("SELECT kind, count(*) FROM memories GROUP BY kind ORDER BY kind")
        return {str(kind): self._db.as_int(many) for kind, many in rows}

    def contexts(self) -> dict[str, int]:
        """Return how many memories there are in each context."""
        rows = self._db.run(_OF_CONTEXTS)
        return {unescape(str(context)): self._db.as_int(many) for context, many in rows}

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
