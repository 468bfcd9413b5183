"""The snapshot store contract, for the in-memory store and the one on disk; then what only files can do."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.delivery.fake_snapshot_store import MemorySnapshotStore
from tests.delivery.snapshot_store_contract import SnapshotStoreContract
from wisen.delivery.snapshot_store import HomeSnapshotStore
from wisen.errors import StoreError
from wisen.health.hook_health import HomeHookHealth
from wisen.surfaces.hook.hook_store import HookStore as ClientStore
from wisen.system.clock import SystemClock

Leave = Callable[..., None]


class TestMemorySnapshotStore(SnapshotStoreContract):
    @pytest.fixture
    def store(self) -> MemorySnapshotStore:
        return MemorySnapshotStore()

    @pytest.fixture
    def leave(self, store: MemorySnapshotStore) -> Leave:
        return store.leave


class TestHomeSnapshotStore(SnapshotStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> HomeSnapshotStore:
        return HomeSnapshotStore(tmp_path, SystemClock())

    @pytest.fixture
    def leave(self, tmp_path: Path) -> Leave:
        def left(name: str, *notes: object) -> None:
            (tmp_path / "spool" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "spool" / name).write_text("".join(json.dumps(note) + "\n" for note in notes))

        return left


def test_what_a_session_began_with_stays_as_long_as_it_may_go_on(tmp_path: Path) -> None:
    store = HomeSnapshotStore(tmp_path, SystemClock())
    old = json.dumps({"complaints": "said"}).encode()
    store.publish({"old": old, "said": b"{}"}, b"{}", days=7)
    client = ClientStore(str(tmp_path), "claude-code", "s1")
    client.write_pin({"digest": "old", "told": []})
    store.publish({"new": b"{}"}, b"{}", days=7)
    assert store.digests() == {"old", "said", "new"}
    pin = next((tmp_path / "snapshots" / "pins").iterdir())
    long_ago = (SystemClock().now() - timedelta(days=8)).timestamp()
    os.utime(pin, (long_ago, long_ago))
    store.publish({"new": b"{}"}, b"{}", days=7)
    assert store.digests() == {"new"}
    assert not pin.exists()


def test_a_note_that_cannot_be_read_is_empty_and_harms_no_other(tmp_path: Path) -> None:
    client = ClientStore(str(tmp_path), "claude-code", "s1")
    client.record("failure", ids=["8e2f44:1"], arm="given")
    (tmp_path / "spool" / "x.jsonl").write_bytes(b'{"half')
    found = {each.name: each.records for each in HomeSnapshotStore(tmp_path, SystemClock()).read_spool()}
    assert found.pop("x.jsonl") == ()
    ((note,),) = found.values()
    assert (note["event"], note["ids"], note["session"]) == ("failure", ["8e2f44:1"], "s1")


def test_what_fired_and_what_failed_is_reported(tmp_path: Path) -> None:
    client = ClientStore(str(tmp_path), "claude-code", "s1")
    client.record_heartbeat("prompt")
    client.record_failure("failure", "TimeUp")
    hook_health_check = HomeHookHealth(tmp_path, "1")
    found = hook_health_check.read_health()
    assert set(found.beats) == {"prompt"}
    assert found.failure is not None
    assert found.failure.kind == "TimeUp at failure"
    assert found.failure.at is not None
    assert SystemClock().now() - found.failure.at < timedelta(minutes=1)
    assert "TimeUp at failure" in client.problems()
    assert client.problems() == "", "it is told once"
    assert hook_health_check.read_health().failure == found.failure


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "snapshots").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        HomeSnapshotStore(tmp_path, SystemClock()).publish({"a": b""}, b"", days=1)


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "", "x" * 500, "é", "\udcff", "a\0b"])
def test_no_name_of_a_session_leads_out_of_the_home(tmp_path: Path, session: str) -> None:
    home = tmp_path / "home"
    client = ClientStore(str(home), "claude-code", session)
    client.write_pin({"digest": "d"})
    client.record("prompt", ids=[])
    assert client.read_pin()["digest"] == "d"
    assert {path.relative_to(home).parts[0] for path in home.rglob("*")} == {"snapshots", "spool"}
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
