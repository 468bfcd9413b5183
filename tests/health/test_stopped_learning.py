"""A session is warned that learning has stopped, once and with the right advice, even where nothing is writable."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from time import time

import pytest

from tests.commands import run
from tests.hooks import fire
from wisen import app
from wisen.health.stop_note import write_stop_note
from wisen.system.clock import SystemClock
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = [pytest.mark.requirement("X10"), pytest.mark.requirement("S19")]

CLIENT = Path(app.__file__).parent / "surfaces" / "hook" / "client.py"
_ON_A_MOUNT = """
import json, subprocess, sys
home, client, *how = sys.argv[1:]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", home], check=True)
if how == ["full"]:
    try:
        with open(home + "/filler", "wb", 0) as filler:
            while True:
                filler.write(bytes(4096))
    except OSError:
        pass
else:
    subprocess.run(["mount", "-o", "remount,ro", home], check=True)
told = []
for session, source in (("a", "startup"), ("a", "resume"), ("a", "compact"), ("b", "startup")):
    payload = json.dumps({"session_id": session, "cwd": "/", "source": source})
    done = subprocess.run([sys.executable, "-I", "-S", client, "--home", home, "session-start"],
                          input=payload, capture_output=True, text=True, timeout=20)
    told.append([done.returncode, done.stdout, done.stderr])
print(json.dumps(told))
"""


def start_session(home: Path, session: str = "s") -> str:
    """Return what is delivered at the start of a session."""
    return fire(home, "session-start", {"session_id": session, "cwd": "/home/ada/orchard", "source": "startup"})


def starts_on_a_mount(home: Path, how: str) -> list[tuple[int, str, str]]:
    """Start sessions where the home is on a disk that is `full` or `read-only`; how each start ended."""
    command = ["unshare", "-rm", sys.executable, "-c", _ON_A_MOUNT, str(home), str(CLIENT), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [(code, out, error) for code, out, error in json.loads(done.stdout)]


@pytest.mark.needs("unshare")
@pytest.mark.parametrize(
    ("how", "advice"), [("full", "is full. Make room there"), ("read-only", "cannot be written. Make it writable")]
)
def test_where_nothing_can_be_written_each_session_is_warned_once(tmp_path: Path, how: str, advice: str) -> None:
    starts = starts_on_a_mount(tmp_path, how)
    assert [each[0] for each in starts] == [0, 0, 0, 0]
    assert [each[2] for each in starts] == [""] * 4
    assert [bool(each[1]) for each in starts] == [True, False, False, True], (
        "nothing can be noted: only at a first start"
    )
    delivered = json.loads(starts[0][1])["hookSpecificOutput"]["additionalContext"]
    assert "Tell the user once" in delivered
    assert "wisen has stopped learning" in delivered
    assert str(tmp_path) in delivered
    assert advice in delivered


def test_a_damaged_ledger_is_reported_by_the_session_after_the_cycle_that_found_it(home: Path) -> None:
    place = home / "wisen"
    log = ClaudeTranscript(1)
    log.prompt("No, never use npm here, always use pnpm instead.")
    log.write(home / ".claude" / "projects" / "-home-ada-orchard")
    run("cycle")
    assert "stopped" not in start_session(place, "before")
    connection = sqlite3.connect(place / "ledger.db")
    connection.execute("UPDATE entries SET name = 'LRN-other'")
    connection.commit()
    connection.close()
    assert "doctor --repair" in run("cycle", expect=1).stderr
    delivered = start_session(place, "first")
    assert "wisen has stopped learning since" in delivered
    assert "ledger is damaged. `wisen doctor --repair` repairs it" in delivered
    assert "stopped learning" not in start_session(place, "second"), "once a day is enough"
    os.utime(place / "spool" / "alarmed", (1, 1))
    note_ = json.loads((place / "spool" / "alarmed").read_text())
    (place / "spool" / "alarmed").write_text(json.dumps({**note_, "at": time() - 90_000}))
    assert "ledger is damaged" in start_session(place, "next day")
    run("doctor", "--repair", expect=0)
    assert not (place / "spool" / "stopped").exists()
    assert "stopped learning" not in start_session(place, "after")
    run("cycle")


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("damaged", "`wisen doctor --repair` repairs it"),
        ("newer", "pip install --upgrade wisen"),
        ("read-only", "cannot be written. Make it writable"),
        ("failed", "every run fails. `wisen doctor` tells why"),
        ("something of a later version", "every run fails. `wisen doctor` tells why"),
    ],
)
def test_each_problem_has_its_advice(tmp_path: Path, kind: str, advice: str) -> None:
    write_stop_note(tmp_path, kind, SystemClock())
    assert advice in start_session(tmp_path)


def test_how_long_it_is_so_is_counted_from_the_first_failure(tmp_path: Path) -> None:
    write_stop_note(tmp_path, "failed", SystemClock())
    file = tmp_path / "spool" / "stopped"
    first = json.loads(file.read_text())
    file.write_text(json.dumps({**first, "since": time() - 5 * 86_400 - 60}))
    write_stop_note(tmp_path, "failed", SystemClock())
    assert "stopped learning 5 days ago" in start_session(tmp_path)
    write_stop_note(tmp_path, "damaged", SystemClock())
    assert json.loads(file.read_text())["since"] == pytest.approx(time(), abs=60), "another problem starts again"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"kind": 5, "since": "x"}', b"x" * 100_000])
def test_a_broken_note_is_reported_as_a_failure_and_breaks_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "spool" / "stopped").write_bytes(content)
    assert "wisen has stopped learning: every run fails" in start_session(tmp_path)


def test_a_pipe_in_place_of_the_note_keeps_nobody_waiting(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    os.mkfifo(tmp_path / "spool" / "stopped")
    assert "every run fails" in start_session(tmp_path)


def test_a_run_that_ends_well_takes_the_note_away(home: Path) -> None:
    (home / "wisen").mkdir(exist_ok=True)
    write_stop_note(home / "wisen", "failed", SystemClock())
    run("cycle")
    assert not (home / "wisen" / "spool" / "stopped").exists()
