"""Entries that are read again without any change are the same rows; every change is seen."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from wisen.store.last_read import LastRead
from wisen.store.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
