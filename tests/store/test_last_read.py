"""Entries that are read again without any change are the same rows; every change is seen."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from wisen.errors import StoreDamaged
from wisen.store.last_read import LastRead
from wisen.store.sealed_rows import DecodedRows, Table, add_row, as_text
from wisen.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.store.database_port import Value


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SqliteDatabase]:
    path = tmp_path / "some.db"
    opened = SqliteDatabase(sqlite3.connect(path, isolation_level=None), path, 1)
    opened.run("CREATE TABLE words (word TEXT)")
    yield opened
    opened.close()


class Reader:
    """Reads all words, and counts how often it had to."""

    def __init__(self, db: SqliteDatabase) -> None:
        self.db, self.reads, self.last = db, 0, LastRead[list[str]](db)

    def words(self) -> list[str]:
        return self.last.get(self._read)

    def _read(self) -> list[str]:
        self.reads += 1
        return [str(word) for (word,) in self.db.run("SELECT word FROM words ORDER BY word")]


def test_what_has_not_changed_is_read_once(db: SqliteDatabase) -> None:
    reader = Reader(db)
    assert [reader.words(), reader.words(), reader.reads] == [[], [], 1]
    db.run("INSERT INTO words VALUES ('a')")
    assert [reader.words(), reader.words(), reader.reads] == [["a"], ["a"], 2]
    db.run("DELETE FROM words")
    assert reader.words() == []


def test_what_another_process_wrote_is_seen(db: SqliteDatabase) -> None:
    reader = Reader(db)
    assert reader.words() == []
    other = sqlite3.connect(db.path, isolation_level=None)
    other.execute("INSERT INTO words VALUES ('b')")
    other.close()
    assert reader.words() == ["b"]


def test_what_was_undone_is_not_kept(db: SqliteDatabase) -> None:
    reader = Reader(db)
    with suppress(KeyError), db.transaction():
        db.run("INSERT INTO words VALUES ('c')")
        assert reader.words() == ["c"]
        raise KeyError
    assert reader.words() == []


def test_rows_that_are_still_the_same_are_not_decoded_again(db: SqliteDatabase) -> None:
    table, decoded = Table("sealed", ("id", "word")), list[str]()
    db.run("CREATE TABLE sealed (id TEXT PRIMARY KEY, word TEXT, seal TEXT)")

    def decode(row: dict[str, Value]) -> str:
        decoded.append(as_text(row["word"]))
        return decoded[-1]

    rows = DecodedRows(db, table, decode)
    for id_, word in (("1", "one"), ("2", "two")):
        add_row(db, table, {"id": id_, "word": word})
    assert rows.read("ORDER BY id") == ("one", "two")
    db.run("DELETE FROM sealed WHERE id = '1'")
    add_row(db, table, {"id": "3", "word": "three"})
    assert rows.read("ORDER BY id DESC") == ("three", "two")
    assert decoded == ["one", "two", "three"]
    db.run("UPDATE sealed SET word = 'tow' WHERE id = '2'")
    with pytest.raises(StoreDamaged):
        rows.read("ORDER BY id")
