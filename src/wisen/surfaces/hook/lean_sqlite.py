"""Reads an index by SQLite's module in C: what `store/memory_finder.py` needs of `store/sqlite.py` to find memories."""

from __future__ import annotations

from .lean_library import open_sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~/")


class LeanDatabase:
    """A connection for reading, with the errors of `store/sqlite.py`."""

    def __init__(self, path: str, seconds: float) -> None:
        """`seconds`: how long to wait for a lock."""
        self.path = path
        quoted = "".join(
            chr(each) if each in _SAFE else f"%{each:02X}" for each in path.encode("utf-8", "surrogateescape")
        )
        sqlite3 = open_sqlite()
        self._connection = sqlite3.connect(f"file://{quoted}?mode=ro", uri=True, timeout=seconds)
        self._connection.execute("PRAGMA query_only = ON")

    def run(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows. Raises: as `SqliteDatabase`."""
        try:
            rows: list[tuple[Any, ...]] = self._connection.execute(statement, values).fetchall()
        except Exception as error:  # noqa: BLE001 - it is raised again
            self._raise(error)
        return rows

    def query_int(self, statement: str, values: Any = ()) -> int:
        """Return the one integer that a statement yields."""
        return self.as_int(self.run(statement, values)[0][0])

    def as_int(self, value: Any) -> int:
        """Return a value that was written as an integer. Raises: StoreDamaged."""
        return value if isinstance(value, int) else self._raise_damage()

    def as_float(self, value: Any) -> float:
        """Return a value that was written as a float. Raises: StoreDamaged."""
        return value if isinstance(value, float) else self._raise_damage()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _raise(self, error: Exception) -> None:
        from pathlib import Path

        from wisen.store.sqlite import translate_errors

        with translate_errors(Path(self.path)):
            raise error

    def _raise_damage(self) -> Any:
        from pathlib import Path

        from wisen.store.sqlite import damage_error

        raise damage_error(Path(self.path), "a value that should be a number is not one")


def as_float(db: LeanDatabase, value: object) -> float:
    """Return a value that was written as a float. Raises: StoreDamaged."""
    return db.as_float(value)
