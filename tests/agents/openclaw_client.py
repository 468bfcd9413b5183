"""A real OpenClaw in a world of its own, with a scripted model: the current one, or the last kind that wrote files."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.agents.clients import program

MODEL = "scripted/scripted-1"


class Client:
    """An OpenClaw that runs one turn at a time, without its gateway."""

    def __init__(self, name: str, world: Path, address: str) -> None:
        """`name`: `openclaw` or `openclaw-old`."""
        self.home, self.project = world / "ada", world / "ada" / "shop"
        self.program = program(name)
        self.project.mkdir(parents=True, exist_ok=True)
        self.state = self.home / ".openclaw"
        self.settings = self.state / "openclaw.json"
        self.state.mkdir(exist_ok=True)
        self.settings.write_text(json.dumps(self.config(address), indent=2))
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}",
        }

    def config(self, address: str) -> dict[str, Any]:
        """What it needs to work in the project and to ask nobody but the scripted model."""
        model = {"id": "scripted-1", "name": "Scripted", "contextWindow": 200_000, "maxTokens": 8192}
        provider = {"baseUrl": f"{address}/v1", "apiKey": "x", "api": "openai-completions", "models": [model]}
        defaults = {
            "workspace": str(self.project),
            "model": {"primary": MODEL},
            "models": {MODEL: {}},
            "skipBootstrap": True,
        }
        return {"agents": {"defaults": defaults}, "models": {"providers": {"scripted": provider}}}

    def run(self, session: str, prompt: str) -> str:
        """One turn of a session; what it printed."""
        words = ("--local", "--agent", "main", "--session-id", session, "--message", prompt, "--json")
        return self.command("agent", *words)

    @contextmanager
    def gateway(self) -> Iterator[None]:
        """Its gateway, until the block ends."""
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = json.loads(self.settings.read_bytes())
        config["gateway"] = {"mode": "local", "port": port, "auth": {"mode": "token", "token": "t"}}
        config["skills"] = {"workshop": {"autonomous": {"mode": "off"}}}
        self.settings.write_text(json.dumps(config, indent=2))
        log = self.home / "gateway.log"
        with log.open("wb") as file:
            started = subprocess.Popen(
                [str(self.program), "gateway", "run"],
                cwd=self.project,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            end = time.monotonic() + 120
            while "[gateway] ready" not in log.read_text():
                assert started.poll() is None, log.read_text()[-4000:]
                assert time.monotonic() < end, log.read_text()[-4000:]
                time.sleep(0.3)
            yield
        finally:
            started.terminate()
            try:
                started.wait(60)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()

    def say(self, session: str, prompt: str) -> str:
        """One turn of a session through the gateway; what it printed."""
        return self.command("agent", "--agent", "main", "--session-id", session, "--message", prompt, "--json")

    def command(self, *words: str) -> str:
        """Any of its commands; what it printed."""
        done = subprocess.run(
            [str(self.program), *words],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr[-4000:]
        return done.stdout + done.stderr
