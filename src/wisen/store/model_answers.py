"""What models answered, in the index, so that the same question costs nothing again: the port, and its statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.store.escapes import pack, unpack

if TYPE_CHECKING:
    from wisen.store.sqlite import SqliteDatabase

MOST = 5000
"""How many answers are kept."""
_KEEP = "INSERT OR REPLACE INTO model_answers (question, purpose, text) VALUES (?, ?, ?)"
_BOUND = "DELETE FROM model_answers WHERE number <= (SELECT max(number) FROM model_answers) - ?"


class ModelAnswers(Protocol):
    """Answers that were given before. Derived: all of it can be asked again."""

    def of(self, question: str) -> str | None:
        """What was answered to the question with this digest."""
        ...

    def keep(self, question: str, purpose: str, text: str) -> None:
        """Keep an answer; the oldest beyond a fixed number go."""
        ...

    def all(self) -> tuple[tuple[str, str], ...]:
        """Every answer that is kept, with the digest of its question."""
        ...

    def forget(self) -> None:
        """Let all of them go."""
        ...


class SqliteModelAnswers:
    """What models answered, in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def of(self, question: str) -> str | None:
        """What was answered to the question with this digest."""
        found = self._db.run("SELECT text FROM model_answers WHERE question = ?", (question,))
        return unpack(str(found[0][0])) if found else None

    def keep(self, question: str, purpose: str, text: str) -> None:
        """Keep an answer; the oldest beyond a fixed number go."""
        with self._db.transaction():
            self._db.run(_KEEP, (question, pack(purpose), pack(text)))
            self._db.run(_BOUND, (MOST,))

    def all(self) -> tuple[tuple[str, str], ...]:
        """Every answer that is kept, with the digest of its question."""
        rows = self._db.run("SELECT question, text FROM model_answers ORDER BY number")
        return tuple((str(question), unpack(str(text))) for question, text in rows)

    def forget(self) -> None:
        """Let all of them go, and leave no byte of them in the pages."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            self._db.run("DELETE FROM model_answers")
