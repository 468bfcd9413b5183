"""Learning, looking things up and hooks work with the network taken away, and try nothing with it."""

from __future__ import annotations

import functools
import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests import conftest
from tests.commands import WISEN
from tests.hooks import write_lesson_sessions
from tests.surfaces import network_watch
from wisen.model.hook import LAUNCHER, Caller

NO_NETWORK = ("unshare", "-rn")
"""A network of its own, which leads nowhere: not even to this machine."""
WATCH = Path(network_watch.__file__)


@functools.cache
def without_network() -> tuple[str, ...]:
    """The words before a command that take the network away, where the system allows it."""
    has_unshare, _ = conftest.COMPONENTS["unshare"]
    return NO_NETWORK if has_unshare() else ()


def watched_environment(folder: Path, record: Path) -> dict[str, str]:
    """Return an environment in which every interpreter that is not isolated is watched."""
    place = folder / "watch"
    place.mkdir()
    (place / "sitecustomize.py").write_text(network_watch.site_module(record))
    return {**os.environ, "PYTHONPATH": str(place)}


def have_hooks_watched(home: Path, record: Path) -> None:
    """Have the launcher start the interpreter, isolated as ever, with the watch before the client."""
    launcher = home / LAUNCHER
    (line,) = [each for each in launcher.read_text().splitlines() if each.startswith("python=")]
    stand_in = home / "python"
    real = shlex.quote(line.removeprefix("python=").strip("'"))
    words = shlex.join([str(WATCH), str(record)])
    stand_in.write_text(f'#!/bin/sh\n[ "$1 $2" = "-I -S" ] || exit 9\nshift 2\nexec {real} -I -S {words} "$@"\n')
    stand_in.chmod(0o755)
    launcher.write_text(launcher.read_text().replace(line, f"python={shlex.quote(str(stand_in))}"))


def run(words: Sequence[str], folder: Path, environment: Mapping[str, str], stdin: str = "") -> str:
    """Run a command without the network, and return what it prints."""
    done = subprocess.run(
        [*without_network(), *words],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr or done.stdout
    return done.stdout


@pytest.mark.requirement("X6")
def test_learning_recalling_and_hooks_work_without_a_network_and_try_none(home: Path, tmp_path: Path) -> None:
    record, project = tmp_path / "record", tmp_path / "shop"
    environment = watched_environment(tmp_path, record)
    write_lesson_sessions(home, project)
    wisen = functools.partial(run, folder=project, environment=environment)
    assert "Worth deciding now" in wisen([str(WISEN), "learn", "--sample"])
    assert "always use pnpm" in wisen([str(WISEN), "learn"])
    wisen([str(WISEN), "install", "claude-code", "--yes"])
    assert "snapshots" in wisen([str(WISEN), "cycle", "--quick"])
    assert "pnpm" in wisen([str(WISEN), "recall", "pnpm"])
    commands = record.read_text().count(network_watch.STARTED)
    assert commands >= 5

    have_hooks_watched(home / "wisen", record)
    caller = Caller(home=str(home / "wisen"))
    for event, fields in (
        ("session-start", {"hook_event_name": "SessionStart", "source": "startup"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "what did we say about pnpm earlier?"}),
    ):
        payload = json.dumps({"session_id": "s", "cwd": str(project), **fields})
        answer = run(["/bin/sh", "-c", caller.command(event, "claude-code")], project, environment, payload)
        assert "pnpm" in json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert record.read_text().split("\n") == [*[network_watch.STARTED] * (commands + 2), ""]


TRIES = {
    "connect": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "look a name up": "import socket; socket.getaddrinfo('localhost', 80)",
    "look an old name up": "import socket; socket.gethostbyname('localhost')",
    "send without a connection": "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "use the part in C": "import _socket; _socket.socket().connect(('127.0.0.1', 9))",
    "ask a server": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')",
    "listen": "import socket; socket.create_server(('127.0.0.1', 0))",
}


@pytest.mark.parametrize("how", TRIES)
def test_the_watch_sees_what_a_program_tries_even_if_the_program_hides_it(tmp_path: Path, how: str) -> None:
    record, program = tmp_path / "record", tmp_path / "program.py"
    program.write_text(f"try:\n    {TRIES[how]}\nexcept BaseException:\n    pass\n")
    environment = watched_environment(tmp_path, record)
    isolated = [sys.executable, "-I", "-S", str(WATCH), str(record), str(program)]
    for words in ([sys.executable, str(program)], isolated):
        record.unlink(missing_ok=True)
        subprocess.run(words, env=environment, check=True, timeout=30)
        started, tried, *_ = record.read_text().split("\n")
        assert started == network_watch.STARTED
        assert tried.startswith("socket.")


@pytest.mark.needs("unshare")
def test_where_the_network_is_taken_away_not_even_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)"
        with_network = subprocess.run([sys.executable, "-c", there], check=False, timeout=30)
        without = subprocess.run(
            [*NO_NETWORK, sys.executable, "-c", there], capture_output=True, text=True, check=False, timeout=30
        )
    assert with_network.returncode == 0
    assert (without.returncode, "unreachable" in without.stderr) == (1, True)
