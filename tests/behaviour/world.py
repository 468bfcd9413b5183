"""The environment of a recording: a user's home, projects, and the program under test, always at the same paths.

Paths are stored, sealed and printed, so that two recordings are made at the same place, one after the other.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.behaviour.sessions import Session, common_places, instruction_versions, lay_out

ROOT = Path("/tmp/wisen-behaviour")
PRIVATE = "WISEN_BEHAVIOUR_PRIVATE"
"""A variable that says that nobody else sees what lies there."""
_SERVER = Path(__file__).with_name("child_server.py")
_RULES = "# Notes for agents\n\n- Run the tests before you say that it is done.\n- Never commit to main.\n"
_DAY, _MINUTE = 86_400, 60
_PHASE, _LAST_PHASE = 6 * 3600, 12
_EARLY = 1_600_000_000.0


@contextmanager
def sole_recording() -> Iterator[None]:
    """Have the fixed paths alone: wait until no other recording uses them, where they are not private."""
    if os.environ.get(PRIVATE):
        empty(ROOT)
        yield
        empty(ROOT)
        return
    with ROOT.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another recording is made on this machine; waiting for its end …", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(ROOT, ignore_errors=True)
        ROOT.mkdir(mode=0o755)
        try:
            yield
        finally:
            shutil.rmtree(ROOT, ignore_errors=True)


def empty(folder: Path) -> None:
    """Take away all that is in a folder."""
    for each in folder.iterdir():
        shutil.rmtree(each)


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a command or hook ended."""

    code: int
    stdout: str
    stderr: str
    woken: str = ""
    """The cycle that it would have started."""


@dataclass(kw_only=True)
class World:
    """A user with sessions and projects, and a clock that goes on by a minute with each command."""

    name: str
    start: float
    """When its sessions were over."""
    now: float = 0
    since: float = field(default_factory=time.time)
    number: int = 0
    preload: bool = False
    """Whether commands find the program's modules loaded; quicker, and blind for modules that import in a circle."""
    ran: set[tuple[str, ...]] = field(default_factory=set)
    """The commands that were run, each by its first words."""
    spent: list[tuple[float, str]] = field(default_factory=list)
    """Seconds of work of each command and hook."""
    projects: list[Path] = field(default_factory=list)
    _servers: dict[tuple[str, str], subprocess.Popen[str]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where this world lies."""
        return ROOT / self.name

    @property
    def user_home(self) -> Path:
        """The folder of its user."""
        return self.folder / "user"

    @property
    def home(self) -> Path:
        """Where the program keeps what it learns."""
        return self.user_home / ".local" / "share" / "wisen"

    def wisen(
        self, source: str, *words: str, folder: Path | None = None, typed: str | None = None, **variables: str
    ) -> Done:
        """Run a command of the program; `typed`: what a person types at a terminal, who then decides."""
        self.now += _MINUTE
        if "--help" not in words:
            self.ran |= {words[:1], words[:2]}
        program = ROOT / source / "venv" / "bin" / "wisen"
        order: dict[str, Any] = {"arguments": [str(program), *words], "typed": typed, "stdin": os.devnull}
        return self._run("command", source, order, folder or self.projects[0], variables)

    def converse(self, source: str, words: tuple[str, ...], lines: list[str]) -> Done:
        """Run a command that answers lines on its input."""
        self.now += _MINUTE
        self.ran |= {words[:1]}
        (self.folder / "scratch" / "out").unlink(missing_ok=True)
        (self.folder / "scratch" / "out").touch()
        program = ROOT / source / "venv" / "bin" / "wisen"
        order: dict[str, Any] = {"arguments": [str(program), *words], "lines": lines}
        return self._run("command", source, order, self.projects[0], {})

    def hook(self, source: str, agent: str, event: str, payload: object, folder: Path | None = None) -> Done:
        """Have an agent call the hook client."""
        self.now += 1
        sent = self.folder / "scratch" / "payload.json"
        sent.write_text(payload if isinstance(payload, str) else json.dumps(payload), "utf-8")
        client = ROOT / source / "src" / "wisen" / "surfaces" / "hook" / "client.py"
        arguments = [str(client), "--home", str(self.home), "--agent", agent, event]
        order: dict[str, Any] = {"arguments": arguments, "stdin": str(sent)}
        return self._run("hook", source, order, folder or self.projects[0], {})

    def begin_phase(self, number: int) -> None:
        """Set the clock and the count of commands, so that what is run in one phase changes no date of the next."""
        self.now, self.number = self.start + number * _PHASE, number * 10_000

    def close(self) -> None:
        """End what runs commands."""
        for server in self._servers.values():
            if server.stdin:
                server.stdin.close()
            if server.stdout:
                server.stdout.close()
            server.wait(10)
        self._servers.clear()

    def _run(self, kind: str, source: str, order: dict[str, Any], folder: Path, variables: dict[str, str]) -> Done:
        self.number += 1
        scratch = self.folder / "scratch"
        out, err, woken = (scratch / name for name in ("out", "err", "woken"))
        woken.unlink(missing_ok=True)
        settled = [self.home] if kind == "hook" else [self.user_home]
        order |= {
            "stdout": str(out),
            "stderr": str(err),
            "woken": str(woken),
            "modules": str(scratch / "modules"),
            "preload": self.preload,
            "folder": str(folder),
            "environment": {**environment(source, self.user_home), **variables},
            "now": self.now,
            "number": self.number,
            "settle": [str(each) for each in settled],
            "since": self.since,
        }
        server = self._server(kind, source)
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(order) + "\n")
        server.stdin.flush()
        reply = json.loads(server.stdout.readline())
        self.spent.append((reply["seconds"], " ".join(order["arguments"][1:4])))
        started = woken.read_text("utf-8") if woken.exists() else ""
        return Done(code=reply["code"], stdout=_text(out), stderr=_text(err), woken=started)

    def _server(self, kind: str, source: str) -> subprocess.Popen[str]:
        if (kind, source) not in self._servers:
            flags = ["-S", "-s", "-P"] if kind == "hook" else ["-s", "-P"]
            self._servers[kind, source] = subprocess.Popen(
                [str(ROOT / source / "venv" / "bin" / "python"), *flags, str(_SERVER), kind],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment(source, self.user_home),
            )
        return self._servers[kind, source]


def put_source(name: str, checkout: Path) -> None:
    """Copy the program of a checkout to its place, with an interpreter beside it that has a path of its own."""
    source = checkout.resolve() / "src"
    if not (source / "wisen" / "surfaces" / "cli").exists():
        raise SystemExit(f"{checkout} is no checkout: it has no src/wisen/surfaces/cli.")
    target = ROOT / name
    shutil.copytree(source, target / "src")
    venv, here = target / "venv", Path(sys.prefix)
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    (venv / "bin" / "wisen").write_text("#!/bin/sh\nexit 1\n")
    (venv / "lib").symlink_to(here / "lib")
    if (here / "pyvenv.cfg").exists():
        shutil.copy(here / "pyvenv.cfg", venv / "pyvenv.cfg")


def make_world(name: str, sessions: Sequence[Session], folders: list[Path]) -> World:
    """A user whose agents worked in all these sessions."""
    chosen = list(sessions)
    world = World(name=name, start=max(each.ended for each in chosen) + _DAY)
    world.begin_phase(0)
    if world.start + _LAST_PHASE * _PHASE > world.since:
        raise SystemExit("The newest session is of the last days or of the future: record older ones.")
    (world.folder / "scratch").mkdir(parents=True)
    (world.user_home / "elsewhere").mkdir(parents=True)
    (world.user_home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    moved: dict[str, Path] = {}
    for place in common_places(chosen):
        here = world.user_home / "work" / f"{Path(place).name}-{len(moved) + 1}"
        moved[place] = here
        _make_project(here, instruction_versions(folders, chosen, place), with_remote=len(moved) == 1)
    world.projects = list(moved.values())
    lay_out(chosen, world.user_home, moved)
    _set_times(world.user_home)
    return world


def environment(source: str, user_home: Path) -> dict[str, str]:
    """All that a command finds in its environment."""
    return {
        "HOME": str(user_home),
        "USER": "ada",
        "LOGNAME": "ada",
        "PATH": f"{ROOT / source / 'venv' / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT / source / "src"),
        "PYTHONHASHSEED": "0",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
        "COLUMNS": "80",
        "LINES": "24",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "EDITOR": "true",
        "PAGER": "cat",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def _make_project(folder: Path, versions: list[tuple[str, str]], *, with_remote: bool) -> None:
    folder.mkdir(parents=True)
    _git(folder, "2026-01-01T00:00:00Z", "init", "-q", "-b", "main")
    if with_remote:
        _git(folder, "2026-01-01T00:00:00Z", "remote", "add", "origin", f"https://example.com/ada/{folder.name}.git")
    for date, text in versions or [("2026-01-02T00:00:00Z", _RULES)]:
        (folder / "CLAUDE.md").write_text(text, "utf-8")
        _git(folder, date, "add", "-A")
        _git(folder, date, "commit", "-q", "--allow-empty", "-m", "instructions")


def _git(folder: Path, date: str, *words: str) -> None:
    home = folder.parents[1]
    variables = {**environment("source", home), "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run(["git", *words], cwd=folder, env=variables, check=True, capture_output=True)


def _set_times(top: Path) -> None:
    """Give what was made just now a date before all sessions, but for the sessions themselves."""
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            if not name.endswith(".jsonl"):
                os.utime(Path(folder, name), (_EARLY, _EARLY), follow_symlinks=False)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")
