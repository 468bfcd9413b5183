"""Drives a real OpenClaw in a sandbox with a scripted model: the current version, or the last one that wrote files."""

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
CHAT = """
import { GatewayClient } from "openclaw/plugin-sdk/gateway-runtime";
const [url, message, decision] = process.argv.slice(2);
const asked = [];
const finish = () => { console.log(JSON.stringify(asked)); process.exit(0); };
const onEvent = async ({ event, payload }) => {
  if (event === "plugin.approval.requested") {
    asked.push(payload.request);
    await client.request("plugin.approval.resolve", { id: payload.id, decision });
  }
  if (event === "chat" && ["final", "error", "aborted"].includes(payload?.state)) finish();
};
const scopes = ["operator.read", "operator.write", "operator.approvals"];
const who = { clientName: "gateway-client", mode: "backend", caps: ["approvals"], scopes };
let client;
await new Promise((onHelloOk, onConnectError) => {
  client = new GatewayClient({ url, token: "t", ...who, onEvent, onHelloOk, onConnectError });
  client.start();
});
await client.request("chat.send", { sessionKey: "agent:main:main", message, idempotencyKey: message });
"""
"""Somebody in front of the chat, by OpenClaw's own client."""


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
        self.log = self.home / "gateway.log"
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
        auth = {"mode": "token", "token": "t"}
        config["gateway"] = {"mode": "local", "bind": "loopback", "port": port, "auth": auth}
        config["skills"] = {"workshop": {"autonomous": {"mode": "off"}}}
        self.settings.write_text(json.dumps(config, indent=2))
        with self.log.open("wb") as file:
            started = subprocess.Popen(
                [str(self.program), "gateway", "run"],
                cwd=self.project,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            self.wait_for("[gateway] ready")
            yield
        finally:
            started.terminate()
            try:
                started.wait(60)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()

    def wait_for(self, words: str) -> None:
        """Wait until the gateway has said something."""
        end = time.monotonic() + 120
        while words not in self.log.read_text():
            assert time.monotonic() < end, self.log.read_text()[-4000:]
            time.sleep(0.3)

    def chat(self, prompt: str, decision: str) -> list[dict[str, Any]]:
        """One turn as somebody in front of the gateway's chat, who decides so when asked; what he was asked."""
        script, modules = self.home / "chat.mjs", self.home / "node_modules"
        script.write_text(CHAT)
        if not modules.exists():
            modules.symlink_to(self.program.parents[1])
        port = json.loads(self.settings.read_bytes())["gateway"]["port"]
        command = ["node", str(script), f"ws://127.0.0.1:{port}", prompt, decision]
        done = subprocess.run(
            command, cwd=self.home, env=self.environment, check=True, capture_output=True, text=True, timeout=120
        )
        asked: list[dict[str, Any]] = json.loads(done.stdout)
        return asked

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
