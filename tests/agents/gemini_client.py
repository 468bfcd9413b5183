"""Drives a real Gemini CLI in a world of its own: a home, a project, and a scripted model on loopback."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

MODEL = "gemini-2.5-flash"
"""Named at each start: the model that is taken by default first asks a router, and does so again and again."""
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
        """Note that the person trusts a folder, as Gemini CLI does when he answers its question."""
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

    def chats(self) -> list[Path]:
        """What it recorded, oldest first."""
        found = (self.home / ".gemini" / "tmp").glob("*/chats/*.jsonl")
        return sorted(found, key=lambda path: path.stat().st_mtime_ns)
