"""Edits of a user's file that are killed or fail half-way: the file is the old one or the new one, complete."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wisen
from tests.hooks import write_lesson_sessions
from wisen.edits.user_files import UserFiles
from wisen.errors import FileError
from wisen.model.entry import Answer, ProposalType

pytestmark = pytest.mark.requirement("S19")

KILLS = 48
WRITERS = 3
BOUND = 60.0
"""Timeout in seconds for slow machines."""
WRITER = """
import hashlib, os, random, sys
from wisen.edits.user_files import UserFiles
from wisen.errors import FileChanged
files, chance = UserFiles(), random.Random(os.getpid())
print("ready", flush=True)
while True:
    body = chance.randbytes(chance.choice([0, 10, 5_000, 3_000_000]))
    try:
        files.write(files.read(sys.argv[1]), hashlib.sha256(body).digest() + body)
    except FileChanged:
        pass
"""


def whole(content: bytes) -> bool:
    return hashlib.sha256(content[32:]).digest() == content[:32]


def version(body: bytes) -> bytes:
    return hashlib.sha256(body).digest() + body


class Writer:
    """A process that rewrites one file forever."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)

    def wait(self) -> None:
        """Wait until it is about to write."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def kill(self) -> None:
        """Kill it in the middle of its work; it must not have ended by itself."""
        ended = self._process.poll()
        self._process.kill()
        self._process.communicate()
        assert ended is None


def test_a_file_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    chance = random.Random(19)
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(version(b"first"))
    path.chmod(0o640)
    seen: set[bytes] = set()
    end = time.monotonic() + BOUND
    writers = [Writer(path) for _ in range(WRITERS)]
    try:
        kills = 0
        while kills < KILLS or len([*tmp_path.iterdir()]) == 1:  # until one has struck in the midst of a write
            assert time.monotonic() < end, "too slow, or no kill struck in the midst of a write"
            kills += 1
            victim = writers.pop(0)
            victim.wait()
            time.sleep(chance.uniform(0, 0.03))
            victim.kill()
            content = path.read_bytes()
            assert whole(content)
            assert path.stat().st_mode & 0o777 == 0o640
            seen.add(content[:32])
            writers.append(Writer(path))
    finally:
        for writer in writers:
            writer.kill()
    parts = [part for part in tmp_path.iterdir() if part != path]
    assert len(seen) > 3, "the writers hardly wrote"
    assert parts
    assert all(part.name.startswith(".wisen-") for part in parts)
    for part in parts:
        os.utime(part, (0, 0))
    files = UserFiles()
    files.write(files.read(str(path)), version(b"last"))
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == version(b"last")


class Failing:
    """Make a system call fail once, at its nth use; closing fails after its work is done."""

    def __init__(self, real: Callable[..., Any], nth: int, code: int, *, after: bool) -> None:
        self._real, self._nth, self._code, self._after = real, nth, code, after
        self.uses = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.uses += 1
        if self.uses != self._nth:
            return self._real(*arguments, **named)
        if self._after:
            self._real(*arguments, **named)
        raise OSError(self._code, os.strerror(self._code))


CALLS = [
    "open",
    "read",
    "write",
    "fsync",
    "replace",
    "fchmod",
    "fstat",
    "close",
    "stat",
    "lstat",
    "scandir",
    "unlink",
    "mkdir",
    "access",
]


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("old", "new"),
    [(b"old" * 500_000, b"new" * 900_000), (None, b"new"), (b"old", None)],
    ids=["edit", "make", "delete"],
)
def test_an_error_at_any_step_leaves_the_old_or_the_new_and_nothing_beside(
    tmp_path: Path, call: str, code: int, old: bytes | None, new: bytes | None
) -> None:
    files = UserFiles()
    failed = 0
    for nth in range(1, 400):
        path = tmp_path / str(nth) / "deep" / "CLAUDE.md"
        path.parent.parent.mkdir()
        if old is not None:
            path.parent.mkdir()
            path.write_bytes(old)
        seen = files.read(str(path))
        error = None
        with pytest.MonkeyPatch.context() as patch:
            failing = Failing(getattr(os, call), nth, code, after=call == "close")
            patch.setattr(os, call, failing)
            try:
                files.write(seen, new)
            except FileError as caught:
                error = caught
        now = path.read_bytes() if path.exists() else None
        assert now in (old, new)
        assert [part.name for part in path.parent.parent.rglob(".wisen-*")] == []
        if error is None:
            assert now == new
        else:
            failed += 1
            assert str(path) in str(error)
            assert ("outlast a power failure" in str(error)) == (now == new)
        if failing.uses < nth:
            break
    else:
        pytest.fail("it never ran through")
    needed = {"open", "fsync", "close"} | ({"write", "replace"} if new is not None else {"unlink"})
    assert failed or call not in needed


@pytest.mark.parametrize("most", [1, 7, 4096])
def test_a_write_that_takes_only_a_part_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"old")
    files, write, content = UserFiles(), os.write, bytes(range(256)) * 20
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:most]))
    files.write(files.read(str(path)), content)
    assert path.read_bytes() == content


def test_a_cycle_removes_what_a_killed_writer_left_beside_a_file_and_nothing_of_others(home: Path) -> None:
    project = home / "shop"
    write_lesson_sessions(home, project)
    (project / "CLAUDE.md").write_text("# Shop\n")
    with wisen.open_learner() as learner:
        learner.cycle()
        rule = next(each.proposal for each in learner.proposals.all() if each.proposal.type is ProposalType.PROMOTION)
        learner.proposals.answer(rule.id, Answer.APPROVED)
        abandoned, recent = project / ".wisen-12-0.part", project / ".wisen-13-0.part"
        others = [project / "report.part", project / ".wisen-12-0.part.txt"]
        folder, link = project / ".wisen-14-0.part", project / ".wisen-15-0.part"
        for file in (abandoned, recent, *others):
            file.write_text("half")
        folder.mkdir()
        link.symlink_to(others[0])
        for file in (abandoned, *others, folder):
            os.utime(file, (0, 0))
        learner.cycle()
    assert not abandoned.exists()
    assert all(file.exists() for file in (recent, *others, folder, link))
