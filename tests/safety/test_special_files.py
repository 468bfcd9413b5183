"""Pipes, devices, folders, loops and huge files in place of every input: nothing blocks, and memory stays bounded.

Each kind is in all places at once, next to intact sessions, and what those teach is still learned.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import typer.main

from tests.cost import cost
from tests.hooks import fire, write_lesson_sessions
from wisen.errors import FileError, UnfitFile
from wisen.safety.regular_files import is_regular_file, open_regular_file, read_regular_file, reject_unfit_database
from wisen.surfaces.hook.hook_outcomes import failure_in

pytestmark = pytest.mark.requirement("X7")

HUGE = 3 << 30
LARGE_LOG = 40 << 20
"""A log may have any size: it is read in chunks, and a line that is longer than memory is skipped."""
SECONDS = 60
MEMORY = 1 << 30
"""Bytes that a run may use in addition to what the tests use already."""

LOGS = (
    *(".claude/projects/shop/special.jsonl", ".codex/sessions/2026/03/01/rollout-special.jsonl"),
    *(".gemini/tmp/special/chats/session-1.jsonl", ".gemini/tmp/special/chats/session-2.json"),
    *(".openclaw/agents/main/sessions/special.jsonl", ".openclaw/agents/other/agent/openclaw-agent.sqlite"),
    *(".hermes/state.db", ".local/share/opencode/opencode.db", "other/.aider.chat.history.md"),
    *(".openhands/conversations/b/events/event-00000-a.json", ".openclaw/agents/main/sessions/cold/x.jsonl.zst"),
)
SIDES = (
    *(".openclaw/agents/main/sessions/sessions.json", ".gemini/projects.json", ".gemini/tmp/one/.project_root"),
    *(".openhands/conversations/a/base_state.json", "shop/.aider.input.history"),
    *(
        ".hermes/profiles/one/state.db-wal",
        ".hermes/profiles/two/state.db-shm",
        ".hermes/profiles/two/state.db-journal",
    ),
    *(".claude/projects/shop/memory/MEMORY.md", ".hermes/memories/a.md", ".openclaw/workspace/MEMORY.md"),
    *(".openclaw/workspace/memory/2026-03-01.md", ".openclaw/workspace/USER.md"),
)
INSTRUCTIONS = (
    *("shop/README.md", "shop/package.json", "shop/Makefile", "shop/GEMINI.md", "shop/.git"),
    *(".codex/AGENTS.md", "shop/.claude/skills/x/SKILL.md", "shop/.cursor/rules/x.mdc", ".claude/skills/y/SKILL.md"),
    *("other/.git/config", "other/.git/HEAD", "other/.git/index", ".gitconfig", ".config/git/config"),
)
SETTINGS = (
    *(".claude/settings.json", ".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json"),
    *(".gemini/trustedFolders.json", ".hermes/config.yaml", ".openclaw/openclaw.json"),
    *(".config/opencode/opencode.json", "shop/.claude/settings.json", "shop/.claude/settings.local.json"),
)
PLACES = (*LOGS, *SIDES, *INSTRUCTIONS, *SETTINGS)
EDITED = (
    *("shop/CLAUDE.md", "shop/AGENTS.md", ".claude/CLAUDE.md", "shop/.learnings/LEARNINGS.md"),
    *(".openclaw/workspace/TOOLS.md", ".openclaw/workspace/AGENTS.md"),
)
"""Return the files that we would write ourselves."""


def _socket(path: Path) -> None:
    # The name of a socket is limited in length, and a test's folder is too long.
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def _linked_pipe(path: Path) -> None:
    os.mkfifo(f"{path}.pipe")
    path.symlink_to(f"{path}.pipe")


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "link to a pipe": _linked_pipe,
    "socket": _socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "made up by the kernel": lambda path: path.symlink_to("/proc/self/environ"),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "folder": Path.mkdir,
    "huge": _huge,
}

ALIKE = ("link to a pipe", "terminal")
"""Kinds that are rejected for the same reason as another one; whole runs take seconds."""

COMMANDS = (
    ["cycle"],
    ["doctor"],
    ["blame", "{home}/shop/GEMINI.md"],
    ["agents"],
    *(["install", agent, "--dry-run"] for agent in ("claude-code", "codex", "gemini-cli", "hermes", "openclaw")),
    ["install", "opencode", "--dry-run"],
)


def whole_sessions(home: Path) -> None:
    """Intact sessions, next to which side files are read."""
    write_lesson_sessions(home, home / "shop")
    at = "2026-03-01T10:00:00.000Z"
    _lines(
        home / ".openclaw/agents/main/sessions/one.jsonl",
        {"type": "session", "version": 3, "id": "one", "timestamp": at, "cwd": str(home / "shop")},
        {"type": "message", "id": "m", "timestamp": at, "message": {"role": "user", "content": "use tabs"}},
    )
    _lines(
        home / ".gemini/tmp/one/chats/session-9.jsonl",
        {"sessionId": "g", "projectHash": "x", "startTime": at, "kind": "main"},
        {"id": "1", "timestamp": at, "type": "user", "content": "use tabs"},
    )
    _lines(
        home / ".openhands/conversations/a/events/event-00000-a.json",
        {"kind": "MessageEvent", "id": "e", "timestamp": at, "source": "user", "llm_message": {"role": "user"}},
    )
    (home / "shop/.aider.chat.history.md").write_text("# aider chat started at 2026-03-01 10:00:00\n\n#### use tabs\n")
    (home / "other/.git").mkdir(parents=True)
    (home / "other/CLAUDE.md").write_text("- use tabs\n")
    _lines(
        home / ".claude/projects/other/o.jsonl",
        {"type": "user", "uuid": "u", "sessionId": "o", "timestamp": at, "cwd": str(home / "other"),
         "message": {"role": "user", "content": "use tabs"}},
    )  # fmt: skip
    for profile in ("one", "two"):
        folder = home / ".hermes/profiles" / profile
        folder.mkdir(parents=True)
        import sqlite3

        with sqlite3.connect(folder / "state.db") as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE sessions (id TEXT)")
        database.close()


def _lines(path: Path, *records: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in records))


def in_child(work: Callable[[], None], seconds: float, output: Path) -> int:
    """Run work in its own process with limits on memory and time; returns its exit code, -9 if it had to be killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            handle = os.open(output, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
            os.setsid()
            work()
            code = 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)  # a bounded wait for another process
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


def place(home: Path, kind: str, places: tuple[str, ...]) -> None:
    for each in places:
        path = home / each
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "huge" and each in LOGS:
            with path.open("wb") as file:
                file.truncate(LARGE_LOG)
        else:
            KINDS[kind](path)


def output_of(commands: Iterable[list[str]], home: Path, output: Path) -> str:
    """Return what commands print, within the limits of time and memory."""

    from wisen.surfaces.cli import app, main

    typer.main.get_command(app)  # built once here, and not in each child

    def work() -> None:
        for command in commands:
            sys.argv = ["wisen", *(each.format(home=home) for each in command)]
            print(f"\n$ {sys.argv}", flush=True)
            try:
                main()
            except SystemExit as ended:
                print(f"exit {ended.code}")

    code = in_child(work, SECONDS, output)
    printed = output.read_text(errors="replace")
    assert code == 0, f"{code}\n{printed[-3000:]}"
    assert "Traceback" not in printed
    assert "MemoryError" not in printed
    return printed


@pytest.mark.skipif(sys.platform != "linux", reason="bounds on memory are told from /proc")
@pytest.mark.parametrize("kind", [each for each in KINDS if each not in ALIKE])
def test_nothing_waits_grows_or_breaks_whatever_stands_in_the_place_of_a_file(
    home: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_sessions(home)
    place(home, kind, PLACES)
    monkeypatch.chdir(home / "shop")
    output_of(COMMANDS, home, tmp_path / "output")
    began = fire(home / "wisen", "session-start", {"session_id": "s", "cwd": str(home / "shop"), "source": "startup"})
    assert "pnpm instead of npm" in began


@pytest.mark.skipif(sys.platform != "linux", reason="bounds on memory are told from /proc")
@pytest.mark.parametrize("kind", ["pipe", "device", "dangling", "loop", "folder", "huge"])
def test_nor_does_it_where_we_would_write_ourselves(
    home: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_sessions(home)
    place(home, kind, EDITED)
    monkeypatch.chdir(home / "shop")
    before = {path: path.lstat() for path in map(home.joinpath, EDITED)}
    output_of((["cycle"], ["learn"], ["proposals"]), home, tmp_path / "output")
    assert all(path.lstat().st_mode == status.st_mode for path, status in before.items())
    began = fire(home / "wisen", "session-start", {"session_id": "s", "cwd": str(home / "shop"), "source": "startup"})
    assert "pnpm instead of npm" in began


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_does_not_wait_for_what_stands_in_the_place_of_a_log(home: Path, kind: str) -> None:
    path = home / "rollout.jsonl"
    KINDS[kind](path)
    assert cost(lambda: failure_in({"transcript_path": str(path), "tool_use_id": "call"})) < 2000
    assert failure_in({"transcript_path": str(path), "tool_use_id": "call"}) is None


@pytest.mark.parametrize("kind", KINDS)
def test_only_regular_files_of_a_size_are_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    KINDS[kind](path)
    with pytest.raises(OSError):  # noqa: PT011 - also the system's own error for a loop
        read_regular_file(path, 1 << 20)
    if kind != "huge":
        assert not is_regular_file(path)
        with pytest.raises(OSError):  # noqa: PT011
            open_regular_file(path)
        database = tmp_path / "a.db"
        database.write_bytes(b"")
        KINDS[kind](tmp_path / "a.db-wal")
        with pytest.raises(OSError):  # noqa: PT011
            reject_unfit_database(database)


def test_what_is_refused_says_what_it_is_and_what_to_do(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    with pytest.raises(UnfitFile, match=r"x is a pipe, socket or device, not a file, and was left alone. Look at it"):
        read_regular_file(tmp_path / "x", 10)
    (tmp_path / "y").write_bytes(b"12345")
    with pytest.raises(FileError, match=r"y has 5 bytes, but the limit for such a file is 4"):
        read_regular_file(tmp_path / "y", 4)
    assert read_regular_file(tmp_path / "y", 5) == b"12345"


def test_a_tree_without_bottom_a_circle_and_many_names_are_walked_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wisen.agents import log_files

    base = tmp_path / "tree"
    base.mkdir()
    (base / "a.jsonl").write_text("")
    (base / "circle").symlink_to(base)
    here = os.open(base, os.O_RDONLY)
    try:
        for _ in range(1500):  # deeper than one path can name
            os.mkdir("d", dir_fd=here)
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
    finally:
        os.close(here)
    assert list(log_files.files_below(base, ".jsonl")) == [base / "a.jsonl"]
    many = tmp_path / "many"
    many.mkdir()
    for number in range(50):
        (many / f"{number:02}.jsonl").write_text("")
    monkeypatch.setattr(log_files, "_MAX_ENTRIES", 10)
    assert len(list(log_files.files_below(many, ".jsonl"))) == 10
    import shutil
    import subprocess

    rm = shutil.which("rm")
    assert rm
    subprocess.run([rm, "-rf", str(base)], check=True)  # pytest's own cleanup cannot go that deep
