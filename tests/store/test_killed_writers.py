"""Writers killed midway: what was acknowledged is stored exactly once."""

from __future__ import annotations

import os
import random
import signal
import sys
from pathlib import Path

import pytest

from tests.cost import cost
from tests.store.store_writer import EACH, after, append, backups_of, index_of, ledger_of

KILLS = 30
WRITERS = 3

pytestmark = pytest.mark.requirement("S19")


class Writer:
    """A process that appends, and what it acknowledged. It is a fork: starting Python is not what is tested."""

    def __init__(self, home: Path, name: str) -> None:
        reading, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                sys.stdout = os.fdopen(writing, "w")
                append(home, name)
            finally:
                os._exit(1)
        os.close(writing)
        self._output = os.fdopen(reading, "rb")
        self.acknowledged: list[str] = []

    def follow(self, lines: int) -> None:
        """Wait for so many more acknowledgements."""
        for _ in range(lines):
            line = self._output.readline()
            assert line, "the writer stopped by itself"
            self.acknowledged.append(line.decode().strip())

    def kill(self) -> None:
        """Kill it, and read what it had acknowledged."""
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        with self._output:
            # Without its end a line may be a part of one.
            self.acknowledged += [line.decode() for line in self._output.read().split(b"\n")[:-1]]


def open_stores(home: Path) -> None:
    """Open what was left behind, which repairs it where that is needed."""
    ledger_of(home).close()
    index_of(home).close()


def test_nothing_acknowledged_is_lost_and_nothing_is_there_twice(tmp_path: Path) -> None:
    chance = random.Random(19)
    home = tmp_path / "home"
    open_stores(home)
    acknowledged: list[str] = []
    writers = [Writer(home, f"w{number}") for number in range(WRITERS)]
    try:
        for kill in range(KILLS):
            victim = chance.randrange(WRITERS)
            writers[victim].follow(chance.randint(1, 12))
            writers[victim].kill()
            acknowledged += writers[victim].acknowledged
            assert cost(lambda: open_stores(home)) < 1000
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
    backups_of(home).create()
    assert after(home)["copy"] is not None
