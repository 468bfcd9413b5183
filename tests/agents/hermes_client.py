"""Drives a real Hermes in a sandbox, with a scripted model on loopback."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

_CONFIG = """model:
  default: scripted-1
  provider: custom
  base_url: {address}/v1
  api_key: dummy
  context_length: {length}
{more}"""


_DRAWN = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""What stands between letters on a screen."""


class Client:
    """A Hermes of one person, who works in one project."""

    def __init__(self, program: Path, world: Path, address: str, *, more: str = "", length: int = 200_000) -> None:
        """`more`: what else its config.yaml says; `length`: how many tokens it believes the model to hold."""
        self.home, self.project, self.program = world / "ada", world / "ada" / "shop", program
        self.folder = self.home / ".hermes"
        self.project.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir()
        self.config = self.folder / "config.yaml"
        self.config.write_text(_CONFIG.format(address=address, length=length, more=more))
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
        }

    def run(self, *words: str) -> str:
        """Run it without a terminal; what it printed."""
        command: list[str | Path] = [self.program, *words]
        return subprocess.run(
            command,
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            check=True,
            text=True,
            capture_output=True,
            timeout=180,
        ).stdout

    def ask(self, prompt: str) -> str:
        """A session of one turn, in which nothing is asked about; what it answered."""
        return self.run("-z", prompt)

    def go_on(self, prompt: str) -> str:
        """One more turn of the newest session, or the first of all."""
        goes_on = ("--continue",) if self.database.exists() else ()
        return self.run("chat", "--yolo", "-Q", *goes_on, "-q", prompt)

    def enable(self) -> None:
        """Let the person enable our plug-in."""
        self.run("plugins", "enable", "wisen", "--no-allow-tool-override")

    @property
    def database(self) -> Path:
        """Where it keeps its sessions."""
        return self.folder / "state.db"

    def in_terminal(self, *steps: tuple[str, str]) -> str:
        """Run it as a person would: each step waits until a word is on the screen, and types something then."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            os.execve(self.program, [str(self.program), "chat"], {**self.environment, "TERM": "xterm-256color"})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        screen = ""
        try:
            for word, typed in steps:
                seen = self._until(terminal, word)
                screen += seen
                os.write(terminal, typed.encode())
        finally:
            if not _ended(child, terminal, 15):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            os.close(terminal)
        return screen

    def _until(self, terminal: int, word: str) -> str:
        """What is drawn until a word is there; then it rests for a moment, because keys are lost while it draws."""
        drawn, end = b"", time.monotonic() + 60
        while word not in _DRAWN.sub(b"", drawn).decode("utf-8", "replace"):
            assert time.monotonic() < end, f"{word!r} is not on the screen: {drawn[-2000:]!r}"
            drawn += _read(terminal)
        rest = time.monotonic() + 1
        while time.monotonic() < rest:
            _read(terminal)
        return _DRAWN.sub(b"", drawn).decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], 0.2)
    try:
        return os.read(terminal, 65536) if ready else b""
    except OSError:
        return b""


def _ended(child: int, terminal: int, seconds: float) -> bool:
    """Whether the program ends within so many seconds, while somebody looks at what it draws."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        _read(terminal)
    return False
