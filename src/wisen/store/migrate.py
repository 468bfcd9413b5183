"""Runs the numbered migrations of a store, each in one transaction together with its record.

A released migration is never edited: a change of schema is a new file.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from wisen.errors import StoreDamaged, StoreNewer
from wisen.store.sealed_rows import Table, add_row, read_rows
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.store.database_port import Database

Store: TypeAlias = Literal["ledger", "index"]

MIGRATIONS = Table("migrations", ("version", "name"))
_CREATE = """
    CREATE TABLE IF NOT EXISTS migrations (version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, seal TEXT NOT NULL)
"""
_FILE = lazy_regex(r"(\d{4})_[a-z0-9_]+\.sql")
_COMMENT = lazy_regex(r"--[^\n]*")


class Migration(Struct, frozen=True):
    """One numbered migration of a schema."""

    version: int
    name: str
    text: str

    def statements(self) -> list[str]:
        """Return its statements one by one; none of them holds a semicolon or two dashes inside a string.

        A trigger contains statements of its own, and ends with END.
        """
        statements, trigger = list[str](), ""
        for piece in (each.strip() for each in _COMMENT.sub("", self.text).split(";")):
            if trigger or piece.startswith("CREATE TRIGGER"):
                trigger += f"{piece};"
                if piece == "END":
                    statements.append(trigger)
                    trigger = ""
            elif piece:
                statements.append(piece)
        return statements


@cache
def known_migrations(store: Store) -> tuple[Migration, ...]:
    """Return every migration of a store in this version of wisen, in order."""
    migrations = []
    for file in (Path(__file__).parent / "migrations" / store).iterdir():
        if (match := _FILE.fullmatch(file.name)) is not None:
            migrations.append(Migration(int(match[1]), file.name, file.read_text(encoding="utf-8")))
    return tuple(sorted(migrations, key=lambda migration: migration.version))


def schema_version(db: Database, store: Store) -> int:
    """Return the current schema version; 0 if there is none. Raises: StoreDamaged, StoreNewer."""
    if not db.has_table(MIGRATIONS.name):
        return 0
    versions = sorted(row["version"] for row in read_rows(db, MIGRATIONS) if isinstance(row["version"], int))
    brought = [migration.version for migration in known_migrations(store)]
    present, newest = max(versions, default=0), brought[-1]
    if [version for version in versions if version <= newest] != [each for each in brought if each <= present]:
        raise StoreDamaged(f"{db.location}: its record of migrations has gaps: {versions}. {db.remedy}")
    if present > newest:
        raise StoreNewer(
            f"{db.location} has version {present} of the {store}, and this wisen knows only {newest}: "
            "a newer wisen wrote it. Upgrade: `pip install --upgrade wisen`."
        )
    return present


def migrate(db: Database, store: Store) -> None:
    """Migrate the schema to the newest version. Raises: StoreDamaged, StoreNewer."""
    present = schema_version(db, store)
    for migration in known_migrations(store):
        if migration.version <= present:
            continue
        with db.transaction():
            db.lock_for_writing()
            # Another process may have been faster while we waited for the transaction.
            if schema_version(db, store) < migration.version:
                db.run(_CREATE)
                for statement in migration.statements():
                    db.run(statement)
                add_row(db, MIGRATIONS, {"version": migration.version, "name": migration.name})
