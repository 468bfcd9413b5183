"""Migrations are numbered without gaps, and one that was released is never edited."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from wisen.backends.stores.migrate import known

if TYPE_CHECKING:
    from wisen.backends.stores.migrate import Store

RELEASED: dict[tuple[Store, str], str] = {
    ("ledger", "0001_ground.sql"): "96fe45151a18caed9eb3f86031e2a24be0f62d2d64bf5842628a18f6a61fe2fa",
    ("ledger", "0002_learnings.sql"): "c8d9a2908a86523008ce2646836a264029062a45a2be3b74ab0d6eb0338029ae",
    ("ledger", "0003_snapshots.sql"): "66fa6e12c26d39574626194083418c355bb4b1349ae0e45e5485edf218fbea58",
    ("index", "0001_ground.sql"): "3e95ee2249423ceb05ae59848313f7eada651f0d36c6d42b6a12b6ed439f0a63",
    ("index", "0002_mining.sql"): "f9eeac067e71fd6a0ffdff7134af0be1f85921e2bc0cfe5beee37d623d3a7870",
}
STORES: tuple[Store, ...] = ("ledger", "index")


@pytest.mark.parametrize("store", STORES)
def test_a_migration_is_never_edited(store: Store) -> None:
    present = {(store, each.name): hashlib.sha256(each.text.encode()).hexdigest() for each in known(store)}
    released = {key: digest for key, digest in RELEASED.items() if key[0] == store}
    changed = [name for (_, name), digest in released.items() if present.get((store, name)) != digest]
    assert not changed, f"{changed} was released and may not change: put it back and add a new migration instead"
    new = {key: digest for key, digest in present.items() if key not in released}
    assert not new, f"a new migration: add it to RELEASED in this test: {new}"


@pytest.mark.parametrize("store", STORES)
def test_migrations_are_numbered_from_one_without_gaps(store: Store) -> None:
    assert [each.version for each in known(store)] == list(range(1, len(known(store)) + 1))


@pytest.mark.parametrize("store", STORES)
def test_each_statement_of_a_migration_stands_alone(store: Store) -> None:
    for migration in known(store):
        assert all(
            each.startswith(("CREATE ", "ALTER ", "INSERT ", "UPDATE ", "DROP ")) for each in migration.statements()
        )
