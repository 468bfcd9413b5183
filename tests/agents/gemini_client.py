"""Drives a real Gemini CLI in a sandbox: its own home, a project, and a scripted model on loopback."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from pathlib import Path

MODEL = "gemini-2.5-flash"
"""Named at each start: the model that is taken by default first asks a router, and does so again and again."""
_ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;c", b"\x1b[?u": b"\x1b[?0u"}
"""What a terminal answers to the questions that the client asks it."""
SETTINGS: dict[str, object] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
}
"""What the person has in his settings: how he logs in, and that nobody is told anything."""


class Client:
    """A Gemini CLI in a world of its own."""

    def __init__(self, program: Path, world: Path, address: str) -> None:
        self.home, self.project = world / "ada", world / "ada" / "shop"
        self.program = str(program)
        self.project.mkdir(parents=True, exist_ok=True)
        self.settings.parent.mkdir()
        self.settings.write_text(json.dumps(SETTINGS, indent=4) + "\n")
        self.environment = {
            "HOME": str(self.home),
            # The Node that lies beside the client comes first.
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "TERM": "xterm-256color",
            "GEMINI_API_KEY": "x",
            "GOOGLE_GEMINI_BASE_URL": address,
        }

    @property
    def settings(self) -> Path:
        """The user's settings."""
        return self.home / ".gemini" / "settings.json"

    def trust(self, folder: Path) -> None:
        """Note that the person trusts a folder, as Gemini CLI does when they answer its question."""
        path = self.home / ".gemini" / "trustedFolders.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**known, str(folder): "TRUST_FOLDER"}, indent=2))

    def run(self, *words: str) -> str:
        """Run it without a terminal; the last word is the prompt. Returns what it told beside its answer."""
        *options, prompt = words
        done = subprocess.run(
            [self.program, "-m", MODEL, "--yolo", *options, "-p", prompt],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    def in_terminal(self, *steps: tuple[str, Callable[[], object]]) -> None:
        """Run it as a person does: each step types a line, if there is one, and waits until something is so."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            os.execve(self.program, [self.program, "-m", MODEL], self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        try:
            for line, done in steps:
                for piece in (*line, "\r") if line else ():
                    _attend(terminal, lambda: False, 0.8 if piece == "\r" else 0.05)
                    os.write(terminal, piece.encode())
                assert _attend(terminal, done, 40), f"waited in vain after {line!r}"
                _attend(terminal, lambda: False, 2)
        finally:
            # Its own child does the work: both end when the terminal goes, unless the line was heard.
            _attend(terminal, lambda: False, 0.5)
            os.write(terminal, b"\x03")
            _attend(terminal, lambda: False, 0.5)
            os.write(terminal, b"\x03")
            gone = _attend(terminal, lambda: os.waitpid(child, os.WNOHANG)[0], 10)
            os.close(terminal)
            if not gone:
                os.kill(child, signal.SIGTERM)
                os.waitpid(child, 0)

    def chats(self) -> list[Path]:
        """What it recorded, oldest first by when it began: it writes into older ones later, to sum them up."""
        found = (self.home / ".gemini" / "tmp").glob("*/chats/*.jsonl")
        return sorted(found, key=lambda path: str(json.loads(path.read_text().partition("\n")[0])["startTime"]))


def _attend(terminal: int, done: Callable[[], object], seconds: float) -> bool:
    """Let the client draw, and answer what it asks the terminal, until it is done or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            shown = os.read(terminal, 65536)
        except OSError:  # it is gone
            time.sleep(0.05)
            continue
        for question, answer in _ANSWERS.items():
            os.write(terminal, answer * shown.count(question))
    return bool(done())
