"""A first learn gives the same index and ledger with one process and with several, and however often it is killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import wisen
from tests.logs.learned_content import index_content, ledger_content, share_machine, write_sessions
from wisen.feedback import session_analysis

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_LEARN = """
import os, signal, sys
from pathlib import Path
import wisen
from wisen.feedback import session_analysis
from wisen.logs import log_reader
from wisen.store.sqlite import SqliteDatabase
log_reader.TRANSACTION_BYTES = 1
session_analysis.BATCH_SIZE = session_analysis.WORKER_SIZE = 2
left, write = int(sys.argv[3]), SqliteDatabase.run_many
def write_or_die(*args):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(*args)
SqliteDatabase.run_many = write_or_die
with wisen.open_learner(Path(sys.argv[1])) as learner:
    learner.learn(jobs=int(sys.argv[2]))
"""


def learn(home: Path, jobs: int) -> int:
    with wisen.open_learner(home) as learner:
        return learner.learn(jobs=jobs).read_bytes


def test_reading_and_analyzing_in_other_processes_changes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_analysis, "WORKER_SIZE", 3)
    write_sessions(home / ".claude" / "projects" / "-work")
    alone, together = home / "alone", home / "together"
    learn(alone, 1)
    share_machine(alone, together)
    learn(together, 2)
    assert index_content(together) == index_content(alone)
    assert index_content(alone)["signals"]
    assert index_content(alone)["fixes"]
    assert index_content(alone)["memories"]
    assert ledger_content(together) == ledger_content(alone)


def test_a_learn_that_is_killed_again_and_again_ends_like_one_that_was_left_alone(home: Path) -> None:
    write_sessions(home / ".claude" / "projects" / "-work", 40)
    alone, killed = home / "alone", home / "killed"
    learn(alone, 1)
    share_machine(alone, killed)
    chance, strikes = random.Random(7), 0
    for jobs in (1, 2, 1, 2, 1, 2):
        arguments = [str(killed), str(jobs), str(chance.randint(40, 160))]
        ran = subprocess.run([sys.executable, "-c", _LEARN, *arguments], cwd=home, check=False, timeout=120)
        strikes += ran.returncode == -signal.SIGKILL
    assert strikes > 2
    last = learn(killed, 1)
    assert index_content(killed) == index_content(alone)
    assert ledger_content(killed) == ledger_content(alone)
    assert last < sum(file.stat().st_size for file in (home / ".claude").rglob("*.jsonl"))
    assert learn(killed, 1) == 0
