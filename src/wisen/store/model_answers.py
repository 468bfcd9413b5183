"""Caches model answers in the index, so that the same question is not paid for twice: the port, and its SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.store.escapes import escape, unescape

if TYPE_CHECKING:
    from wisen.store.sqlite import SqliteDatabase

MAX_ANSWERS = 5000
"""How many answers are kept."""
_ADD = "INSERT OR REPLACE INTO model_answers (question, purpose, text) VALUES (?, ?, ?)"
_DELETE_OLDEST = "DELETE FROM model_answers WHERE number <= (SELECT max(number) FROM model_answers) - ?"


class ModelAnswers(Protocol):
    """Cached answers. Derived: all of them can be asked for again."""

    def of(self, question: str) -> str | None:
        """Return the answer to the question with this digest."""
        ...

    def keep(self, question: str, purpose: str, text: str) -> None:
        """Cache an answer; the oldest beyond a fixed number are deleted."""
        ...

    def all(self) -> tuple[tuple[str, str], ...]:
        """Return every cached answer, with the digest of its question."""
        ...

    def forget(self) -> None:
        """Delete all answers."""
        ...


class SqliteModelAnswers:
    """Model answers in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def of(self, question: str) -> str | None:
        """Return the answer to the question with this digest."""
        rows = self._db.run("SELECT text FROM model_answers WHERE question = ?", (question,))
        return unescape(str(rows[0][0])) if rows else None

    def keep(self, question: str, purpose: str, text: str) -> None:
        """Cache an answer; the oldest beyond a fixed number are deleted."""
        with self._db.transaction():
            self._db.run(_ADD, (question, escape(purpose), escape(text)))
            self._db.run(_DELETE_OLDEST, (MAX_ANSWERS,))

    def all(self) -> tuple[tuple[str, str], ...]:
        """Return every cached answer, with the digest of its question."""
        rows = self._db.run("SELECT question, text FROM model_answers ORDER BY number")
        return tuple((str(question), unescape(str(text))) for question, text in rows)

    def forget(self) -> None:
        """Delete all answers, and leave no byte of them in the pages."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            self._db.run("DELETE FROM model_answers")
