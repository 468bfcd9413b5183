"""Migrations are numbered without gaps, and a released migration is never edited."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wisen.agents.claude_code import ClaudeCode
from wisen.logs import incremental_read
from wisen.logs.context_resolver import ContextResolver
from wisen.logs.settings import EventFilterPolicy
from wisen.model.event import Concession
from wisen.model.report import Selection
from wisen.store import backups as backups_module
from wisen.store import migrate
from wisen.store.backups import LedgerBackups
from wisen.store.migrate import known_migrations
from wisen.store.sqlite_files import INDEX, LEDGER, open_file
from wisen.store.sqlite_index import SqliteIndex, open_index
from wisen.store.sqlite_ledger import open_ledger
from wisen.system.clock import SystemClock
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.index_batch import IndexBatch
    from wisen.store.index import Index
    from wisen.store.migrate import Store

RELEASED: dict[tuple[Store, str], str] = {
    ("ledger", "0001_ground.sql"): "96fe45151a18caed9eb3f86031e2a24be0f62d2d64bf5842628a18f6a61fe2fa",
    ("ledger", "0002_learnings.sql"): "c8d9a2908a86523008ce2646836a264029062a45a2be3b74ab0d6eb0338029ae",
    ("ledger", "0003_snapshots.sql"): "66fa6e12c26d39574626194083418c355bb4b1349ae0e45e5485edf218fbea58",
    ("ledger", "0004_changes.sql"): "df69cef521e9aded71e031f587e381f0e55015fb90335be0534a6f98e8c72be6",
    ("ledger", "0005_looks.sql"): "8c25e7d32cdbb466c1c83d45404b11a244b645c886b07c1377b1180d4f2a0174",
    ("ledger", "0006_entries.sql"): "afda5b473afd9bfe6d835c55368b4a4716cbdd73e17f128054089149990cc2a6",
    ("ledger", "0007_splits.sql"): "b5eccebe16e5062baa6c1eaa1f3dee563505bf4c766dad9289b1b967db638e6f",
    ("ledger", "0008_exposures.sql"): "38b9d9f16bad3df3551cc5a858d73776c73c3e03a4b074bb45479c987a42ba7c",
    ("ledger", "0009_guards.sql"): "9d276ecb09e243ec8f566a5c012e9d0fc1e231b2a250f7485ab4a8e9694ae5df",
    ("ledger", "0010_tombstones.sql"): "3567788457c08859c6346dd57c755dabf5c49469f0641cf522415f28790065d3",
    ("ledger", "0011_outcomes.sql"): "c445899ed163d5c288652a7a72eea4c9773fe1fadcdb1716cb77ed5b94649658",
    ("ledger", "0012_models.sql"): "9189ce9ab5d9d6314c02c72384450cd667083d549e99f3e3050da73a8b83734c",
    ("ledger", "0013_phrases.sql"): "1145f6095d63eb958070ff8ff833c9d281e7b323c15d691b71b7340f0f13613d",
    ("ledger", "0014_reinforcements.sql"): "6ef92d19f4b5c98698876b439bbee42b2a72d9f24e6bcc8026fbd393bb804469",
    ("ledger", "0015_keys.sql"): "e22a36b431914774f06f7e7b3bd5e3b5396a3f867da4300f7474302ce1773a3d",
    ("ledger", "0016_ownership.sql"): "cc245c8723e4a39684f809d09f955227a20f9f850c62e10e89599e41aa5bd44a",
    ("index", "0001_ground.sql"): "3e95ee2249423ceb05ae59848313f7eada651f0d36c6d42b6a12b6ed439f0a63",
    ("index", "0002_mining.sql"): "f9eeac067e71fd6a0ffdff7134af0be1f85921e2bc0cfe5beee37d623d3a7870",
    ("index", "0003_signals.sql"): "218ec0a12dabb87cf2ced81ec1c44508823ebc56b2033f6996d98e1baa555e93",
    ("index", "0004_memories.sql"): "2640f4465ad167bcb2e180256a00808d036de75b375aa46887473a1e5d316bab",
    ("index", "0005_answers.sql"): "91d70a72b2b452ca24f7767262305e44ac2ac0ad14901fbff9fc9ccdd2a18f91",
    ("index", "0006_lessons.sql"): "ac5147dff18f51a0c9d670f17d6990f63c3d9fb8ea9d272d77379cb8177fa56e",
    ("index", "0007_local.sql"): "a4473e5c76ecfa2e8494b8af0fdd7b96a305b2cb69825a03730fdf9b9b41aeba",
    ("index", "0008_folds.sql"): "32066e0345cac92efaad20f66be6dd13c30a3ecb47acbd7adbd1004700187a90",
    ("index", "0009_sizes.sql"): "6340cfc6485b07f7db8e0ee5f292809e4ebe2495a82854e491fb9e963f1e8918",
    ("index", "0010_calls.sql"): "55f8b37f942e8256ecd3c24a4820afdded52037f1f040bd52220dd524526c889",
    ("index", "0011_runs.sql"): "76a6b65522ee282d7d1321ab588acc1ce97275972ca8c175fd968bd961fb266f",
    ("index", "0012_fold_contexts.sql"): "1bbb9d66098b28e58a3aecca0e31cfa0a6d0fd084d5d3c41a775848819b4130d",
}
STORES: tuple[Store, ...] = ("ledger", "index")
RESERVED: dict[Store, set[int]] = {"ledger": set(), "index": set()}
"""Numbers of migrations that are being built beside these: the number goes from here when its migration comes."""


@pytest.mark.parametrize("store", STORES)
def test_a_migration_is_never_edited(store: Store) -> None:
    present = {(store, each.name): hashlib.sha256(each.text.encode()).hexdigest() for each in known_migrations(store)}
    released = {key: digest for key, digest in RELEASED.items() if key[0] == store}
    changed = [name for (_, name), digest in released.items() if present.get((store, name)) != digest]
    assert not changed, f"{changed} was released and may not change: put it back and add a new migration instead"
    new = {key: digest for key, digest in present.items() if key not in released}
    assert not new, f"a new migration: add it to RELEASED in this test: {new}"


@pytest.mark.parametrize("store", STORES)
def test_migrations_are_numbered_from_one_without_gaps(store: Store) -> None:
    versions = [each.version for each in known_migrations(store)]
    assert not RESERVED[store] & {*versions}, "it is there now: take its number out of RESERVED"
    assert sorted([*versions, *RESERVED[store]]) == list(range(1, versions[-1] + 1))


@pytest.mark.parametrize("store", STORES)
def test_each_statement_of_a_migration_stands_alone(store: Store) -> None:
    for migration in known_migrations(store):
        assert all(
            each.startswith(("CREATE ", "ALTER ", "INSERT ", "UPDATE ", "DROP ")) for each in migration.statements()
        )


def test_what_was_read_before_concessions_were_recorded_is_read_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ClaudeTranscript()
    log.prompt("no, use uv")
    log.say("You are right, sorry.")
    log.prompt("thanks")
    log.write(home / ".claude" / "projects" / "p")
    migrations = known_migrations("index")
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "known_migrations", lambda _: migrations[:2])
        old = SqliteIndex(open_file(tmp_path / "index.db", INDEX, busy=1), SystemClock())
        # The readers of that time told everything else.
        for batch in unread(old, home):
            kept = tuple(each for each in batch.events if not isinstance(each.event, Concession))
            assert old.events.store([replace(batch, events=kept)]) == len(kept) == 2
        assert unread(old, home) == []
        before = old.events.counts(Selection())
        old.close()
    index, _ = open_index(tmp_path / "index.db", clock=SystemClock())
    (again,) = unread(index, home)
    assert again.from_start
    assert index.events.store([again]) == 1
    assert unread(index, home) == []
    assert index.events.counts(Selection()) == before
    (history,) = index.findings.take_unmined(1)
    assert [(turn.text, turn.conceded) for turn in history.turns] == [("no, use uv", True), ("thanks", False)]
    index.close()


def unread(index: Index, home: Path) -> list[IndexBatch]:
    """Return the parts of the logs that an index has not read."""
    agent, scope = ClaudeCode(home, {}), ContextResolver(home=home, machine="m", contexts=(), aliases=())
    marks = index.events.marks(agent.name)
    return [
        batch
        for source in incremental_read.changed_sources(list(agent.sources()), marks, Selection())
        for batch, _ in incremental_read.read_index_batches(agent, source, marks, scope, EventFilterPolicy())
        if batch is not None
    ]


def test_a_backup_of_an_older_version_is_good_and_brings_the_ledger_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, copies = tmp_path / "ledger.db", tmp_path / "backups"
    backups = LedgerBackups(ledger, copies, clock=SystemClock())
    everything = known_migrations("ledger")
    with monkeypatch.context() as older:
        older.setattr(migrate, "known_migrations", lambda _: everything[:-1])
        older.setattr(backups_module, "known_migrations", lambda _: everything[:-1])
        db = open_file(ledger, LEDGER, busy=1)
        db.close()
        connection = sqlite3.connect(ledger)
        connection.execute(f"VACUUM INTO '{copies.parent / 'copy.db'}'")
        connection.close()
    copies.mkdir()
    copy = (tmp_path / "copy.db").rename(copies / "ledger-20260101T000000000000.db")
    assert backups.newest_valid() == copy
    ledger.write_bytes(b"damaged" * 1000)
    backups.restore(copy)
    again = open_ledger(ledger, backups=copies)
    again.check()
    assert [each.id for each in again.entries.all()] == []
    again.close()
    backups.create()
    assert len([*copies.iterdir()]) == 2
