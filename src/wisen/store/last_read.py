"""Keeps what was read of whole tables for as long as the database says that nothing in it has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.database_port import Database

_Read = TypeVar("_Read")


class LastRead(Generic[_Read]):
    """The last result of one query: a run asks for all entries and decisions many times."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._last: tuple[object, _Read] | None = None

    def get(self, read: Callable[[], _Read]) -> _Read:
        """Return the last result if it still holds; otherwise read it."""
        token = self._db.change_token
        if token is not None and self._last is not None and self._last[0] == token:
            return self._last[1]
        result = read()
        self._last = None if token is None or self._db.change_token != token else (token, result)
        return result
