"""Writers that are killed in the midst of their work: what was acknowledged is there, once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.store.store_writer import EACH, after, backups_of, index_of, ledger_of

KILLS = 30
WRITERS = 3

pytestmark = pytest.mark.requirement("S19")


class Writer:
    """A process that appends, and what it acknowledged."""

    def __init__(self, home: Path, name: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name("store_writer.py")), "append", str(home), name]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.acknowledged: list[str] = []

    def follow(self, lines: int) -> None:
        """Wait for so many more acknowledgements."""
        assert self._process.stdout is not None
        for _ in range(lines):
            line = self._process.stdout.readline()
            assert line, "the writer stopped by itself"
            self.acknowledged.append(line.decode().strip())

    def kill(self) -> None:
        """End it where it stands, and hear what it had still said."""
        self._process.kill()
        rest, _ = self._process.communicate()
        # Without its end a line may be a part of one.
        self.acknowledged += [line.decode() for line in rest.split(b"\n")[:-1]]


def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    chance = random.Random(19)
    home = tmp_path / "home"
    ledger_of(home).close()
    index_of(home).close()
    acknowledged: list[str] = []
    writers = [Writer(home, f"w{number}") for number in range(WRITERS)]
    try:
        for kill in range(KILLS):
            victim = chance.randrange(WRITERS)
            writers[victim].follow(chance.randint(1, 12))
            writers[victim].kill()
            acknowledged += writers[victim].acknowledged
            began = time.perf_counter()
            ledger_of(home).close()
            index_of(home).close()
            assert time.perf_counter() - began < 1
            writers[victim] = Writer(home, f"k{kill}")
    finally:
        for writer in writers:
            writer.kill()
            acknowledged += writer.acknowledged
    found = after(home)
    assert len(acknowledged) > KILLS
    assert len(found["runs"]) == len(set(found["runs"]))
    assert set(acknowledged) <= set(found["runs"])
    assert set(acknowledged) <= set(found["sessions"])
    assert found["events"] == EACH * len(found["sessions"])
    # At most one that was under way for each writer that was killed.
    assert len(found["runs"]) <= len(acknowledged) + KILLS + WRITERS
    backups_of(home).make()
    assert after(home)["copy"] is not None
