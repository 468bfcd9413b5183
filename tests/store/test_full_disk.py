"""A disk that is full, read-only or failing is reported in plain words, and nothing is left half-written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.store_writer import EACH, after, backups_of, index_of, ledger_of
from wisen.testing.ledger_contract import a_run

WRITER = Path(__file__).with_name("store_writer.py")
PAGE = 4096
LIMITS = [0, 1, 100, PAGE, PAGE + 24, 3 * PAGE, 32768, 40000, *range(46000, 130000, 7001), 200_001, 300_007, 400_009]

pytestmark = [pytest.mark.requirement("S19"), pytest.mark.requirement("X10")]


def run(*arguments: str) -> list[dict[str, Any]]:
    """Return what a writer printed, line by line."""
    command = [sys.executable, str(WRITER), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a ledger, a backup of it, and an index."""
    folder = tmp_path / "home"
    ledger = ledger_of(folder)
    ledger.runs.add(a_run("first"))
    ledger.close()
    index_of(folder).close()
    backups_of(folder).create()
    return folder


def test_a_write_that_fails_anywhere_is_reported_and_leaves_what_was_acknowledged(home: Path) -> None:
    results = run("fill", str(home), *map(str, LIMITS))
    assert len(results) == len(LIMITS)
    for each in results:
        _all_is_well(Path(each["home"]), each, after(Path(each["home"])))
    failed = [each for each in results if each["ledger"]["error"]]
    assert len({len(each["ledger"]["done"]) for each in failed}) > 5, "the limits all struck at the same place"


@pytest.mark.needs("unshare")
@pytest.mark.parametrize("size", ["1100k", "1200k"])
def test_a_full_disk_is_reported_and_leaves_what_was_acknowledged(tmp_path: Path, size: str) -> None:
    mount = tmp_path / "small"
    mount.mkdir()
    command = ["unshare", "-rm", sys.executable, str(WRITER), "squeeze", str(mount), size]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    _all_is_well(mount, result, result["after"])
    assert result["ledger"]["error"] == "StoreError"
    assert "full" in result["ledger"]["says"]


def _all_is_well(home: Path, result: dict[str, Any], found: dict[str, Any]) -> None:
    for kind, file in (("ledger", "ledger.db"), ("index", "index.db"), ("backup", "ledger-")):
        if result[kind]["error"] is not None:
            assert result[kind]["error"] == "StoreError", result[kind]
            named = (str(home / file), str(home / "backups" / file), str(home / "ledger.db"), str(home / "backups"))
            assert result[kind]["says"].startswith(named), result[kind]
    assert {"first", *result["ledger"]["done"]} <= set(found["runs"])
    assert len(found["runs"]) <= len(result["ledger"]["done"]) + 2
    assert set(result["index"]["done"]) <= set(found["sessions"])
    assert found["events"] == EACH * len(found["sessions"])
    assert found["copy"] is not None


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that another user can reach, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="wisen-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)


def test_a_folder_that_cannot_be_written_is_named(open_to_all: Path) -> None:
    open_to_all.chmod(0o555)
    (result,) = run("look", str(open_to_all))
    for name in ("ledger", "index"):
        error, says = result[name]
        assert error == "StoreReadOnly"
        assert says.startswith(str(open_to_all))
    assert not list(open_to_all.iterdir())


def test_stores_in_a_folder_that_cannot_be_written_are_named_and_left_alone(open_to_all: Path) -> None:
    home = open_to_all / "home"
    ledger_of(home).close()
    index_of(home).close()
    before = _everything(home)
    for file in home.iterdir():
        file.chmod(0o666)
    home.chmod(0o555)
    (result,) = run("look", str(home))
    assert {name: error for name, (error, _) in result.items()} == {"ledger": "StoreReadOnly", "index": "StoreReadOnly"}
    assert all(str(home) in says for _, says in result.values())
    assert _everything(home) == before


def test_a_file_that_cannot_be_written_is_named_and_left_alone(open_to_all: Path) -> None:
    home = open_to_all / "home"
    ledger_of(home).close()
    index_of(home).close()
    before = _everything(home)
    for file in home.iterdir():
        file.chmod(0o444)
    home.chmod(0o777)
    (result,) = run("look", str(home))
    assert {name: error for name, (error, _) in result.items()} == {"ledger": "StoreReadOnly", "index": "StoreReadOnly"}
    for name, (_, says) in result.items():
        assert str(home / f"{name}.db") in says
    assert _everything(home) == before


def _everything(home: Path) -> dict[str, bytes]:
    return {name: (home / name).read_bytes() for name in sorted(os.listdir(home))}  # noqa: PTH208 - names are wanted
