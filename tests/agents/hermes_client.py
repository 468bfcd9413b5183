"""A real Hermes in a world of its own, with a model on loopback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_CONFIG = """model:
  default: scripted-1
  provider: custom
  base_url: {address}/v1
  api_key: dummy
  context_length: {length}
{more}"""


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
        """A session of one turn; what it answered."""
        return self.run("-z", prompt)

    @property
    def database(self) -> Path:
        """Where it keeps its sessions."""
        return self.folder / "state.db"
