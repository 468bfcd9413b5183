"""Drives a real opencode in a sandbox: its own home, a project, and a scripted model on loopback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

MODEL = "scripted/scripted-1"


class Client:
    """An opencode in a world of its own."""

    def __init__(self, program: Path, world: Path, address: str) -> None:
        self.home, self.project = world / "ada", world / "ada" / "shop"
        self.program = str(program)
        self.project.mkdir(parents=True, exist_ok=True)
        self.settings.parent.mkdir(parents=True)
        self.settings.write_text(json.dumps(_settings(address), indent=4) + "\n")
        self.environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            # Nothing is to be fetched: no list of models, no server for a language, no newer version.
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            # Nor the package for people who write plug-ins: where it is asked for, there is none.
            "NPM_CONFIG_REGISTRY": address,
        }

    @property
    def settings(self) -> Path:
        """The user's settings."""
        return self.home / ".config" / "opencode" / "opencode.json"

    @property
    def database(self) -> Path:
        """What it recorded."""
        return self.home / ".local" / "share" / "opencode" / "opencode.db"

    def run(self, *words: str) -> str:
        """Run it without a terminal; returns what it said."""
        # It leaves the lock of an installation behind that did not end before it, and would wait a minute for it.
        shutil.rmtree(self.home / ".local" / "state" / "opencode" / "locks", ignore_errors=True)
        done = subprocess.run(
            [self.program, "run", *words],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr


def _settings(address: str) -> dict[str, object]:
    """The user's settings: a model behind a provider that opencode ships."""
    models = {"scripted-1": {"name": "Scripted", "limit": {"context": 200_000, "output": 8192}}}
    options = {"baseURL": f"{address}/v1", "apiKey": "x"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options, "models": models}
    return {
        "$schema": "https://opencode.ai/config.json",
        "model": MODEL,
        "small_model": MODEL,
        "share": "disabled",
        "permission": {"bash": "allow", "edit": "allow"},
        "provider": {"scripted": provider},
    }
