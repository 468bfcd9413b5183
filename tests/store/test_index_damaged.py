"""A damaged index is repaired by one command and rebuilt by learning; a full disk leaves nothing half-written."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wisen import app
from wisen.errors import StoreDamaged
from wisen.health import doctor
from wisen.model.state import Health
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = [pytest.mark.requirement("S19"), pytest.mark.requirement("X10")]

SMALL_DISKS = Path(__file__).with_name("small_disks.py")


def flip_bytes(first: float, last: float, many: int) -> Callable[[Path], None]:
    """Flip bytes between two positions, given as fractions of the file."""

    def damage(path: Path) -> None:
        content, chance = bytearray(path.read_bytes()), random.Random(7)
        for _ in range(many):
            content[chance.randrange(int(first * len(content)), int(last * len(content)))] ^= 0xFF
        path.write_bytes(content)

    return damage


def by_sql(statement: str) -> Callable[[Path], None]:
    """Runs statements that no version of ours would run."""

    def damage(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.executescript(f"PRAGMA writable_schema = ON; {statement}")
        connection.close()

    return damage


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").touch()


def as_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def without_main_file(path: Path) -> None:
    path.unlink()
    path.with_name("index.db-wal").write_bytes(os.urandom(50_000))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "its head is garbled": flip_bytes(0, 0.0005, 12),
    "its schema is garbled": flip_bytes(0.0005, 0.015, 60),
    "few pages are garbled": flip_bytes(0.02, 1, 40),
    "most pages are garbled": flip_bytes(0.02, 1, 4000),
    "the end is gone": lambda path: os.truncate(path, path.stat().st_size // 2),
    "an odd piece is gone": lambda path: os.truncate(path, path.stat().st_size - 777),
    "it is empty": lambda path: path.write_bytes(b""),
    "it is all zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "it is a text": lambda path: path.write_text("not a database\n" * 50),
    "it is a folder": as_folder,
    "it is a link to nothing": as_link,
    "only its log is there": without_main_file,
    "it is of another program": by_sql("PRAGMA application_id = 1"),
    "its record of migrations is missing": by_sql("DELETE FROM migrations"),
    "a table is gone": by_sql("DROP TABLE events"),
    "the words of memories are gone": by_sql("DROP TABLE memory_words"),
    "a table leads nowhere": by_sql("UPDATE sqlite_master SET rootpage = 999999 WHERE name = 'events'"),
    "it is gone": lambda path: path.unlink(),
}


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has learned, and the logs beside it."""
    folder = tmp_path_factory.mktemp("learnt")
    for number in range(12):
        log = ClaudeTranscript(number + 1)
        log.prompt(f"No, never use tabs{number} in module{number}, always use spaces{number} instead.")
        log.write(folder / "logs")
    with app.wire(folder / "home", {"HOME": str(folder)}).learner() as learner:
        learner.learn(folder / "logs", jobs=1)
    return folder


@pytest.fixture
def place(learnt: Path, tmp_path: Path) -> Path:
    """A copy of it that may be damaged."""
    shutil.copytree(learnt / "home", tmp_path / "home")
    return tmp_path / "home"


@pytest.mark.parametrize("what", DAMAGES)
def test_one_command_mends_the_index_whatever_happened_to_it(place: Path, learnt: Path, what: str) -> None:
    DAMAGES[what](place / "index.db")
    subject = app.wire(place).doctor_input()
    findings = [each for each in doctor.examine(subject) if each.about == "index"]
    assert findings[0].health is Health.GOOD or "doctor --repair" in findings[0].next_step, findings
    repaired = {each.about: each.health for each in doctor.repair(subject)}
    assert repaired["ledger"] is Health.GOOD
    assert repaired["index"] is not Health.BAD
    after = [each for each in doctor.examine(subject) if each.about in ("index", "ledger")]
    assert [each.health for each in after] == [Health.GOOD] * len(after)
    with app.wire(place).learner() as learner:
        assert learner.learn(learnt / "logs", jobs=1).counts.sessions == 12


UNTOUCHED = (
    "its schema is garbled",
    "few pages are garbled",
    "an odd piece is gone",
    "the words of memories are gone",
)
"""Damage that a run may not notice; `doctor` does."""


@pytest.mark.parametrize("what", [each for each in DAMAGES if each not in UNTOUCHED])
def test_learning_rebuilds_a_damaged_index_and_says_so(place: Path, learnt: Path, what: str) -> None:
    DAMAGES[what](place / "index.db")
    with app.wire(place).learner() as learner:
        report = learner.learn(learnt / "logs", recheck=True, jobs=1)
        learner.home.index.check()
    assert report.counts.sessions == 12
    if what not in ("it is empty", "it is gone"):
        assert any("built again from the logs" in each for each in report.warnings), report.warnings
        assert [*place.glob("index.db.damaged-*")], "what was there is kept beside"


def test_a_text_that_is_none_is_noticed_and_its_index_rebuilt(place: Path, learnt: Path) -> None:
    content = (place / "index.db").read_bytes()
    assert b"never use tabs3" in content
    (place / "index.db").write_bytes(content.replace(b"never use tabs3", b"never \xffse tabs3"))
    subject = app.wire(place).doctor_input()
    found = next(each for each in doctor.examine(subject) if each.about == "index")
    assert found.health is Health.BAD
    assert "not UTF-8" in found.says
    assert "doctor --repair" in found.next_step
    doctor.repair(subject)
    with app.wire(place).learner() as learner:
        assert learner.learn(learnt / "logs", jobs=1).counts.sessions == 12
    assert b"never \xffse" not in (place / "index.db").read_bytes()


def test_a_damaged_ledger_is_not_taken_for_a_damaged_index(place: Path, learnt: Path) -> None:
    connection = sqlite3.connect(place / "ledger.db")
    connection.execute("UPDATE entries SET name = 'LRN-other'")
    connection.commit()
    connection.close()
    with app.wire(place).learner() as learner, pytest.raises(StoreDamaged, match="ledger"):
        learner.learn(learnt / "logs", recheck=True, jobs=1)
    assert not [*place.glob("index.db.damaged-*")]


@pytest.fixture
def mount(tmp_path: Path) -> Path:
    """An empty folder to mount something on."""
    folder = tmp_path / "small"
    folder.mkdir()
    return folder


@pytest.mark.needs("unshare")
def test_no_size_of_a_disk_leaves_a_home_that_stops_later_work(mount: Path, learnt: Path) -> None:
    sizes = [60_000, 300_000, *range(500_000, 800_000, 50_000), 900_000, 1_100_000]
    command = ["unshare", "-rm", sys.executable, str(SMALL_DISKS), str(mount), str(learnt / "logs"), *map(str, sizes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["size"] for each in results] == sizes
    for each in results:
        assert each["second"] == "ok", each
        assert each["parts"] == [], each
        assert each["first"].startswith(("ok", "StoreError", "StoreReadOnly", "FileError")), each
    assert sum(each["first"] != "ok" for each in results) > 4, "the sizes were all large enough"
