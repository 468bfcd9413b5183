"""Re-records the Codex fixtures from a real client, with a scripted model and without the vendor's prompt text.

    python -m tests.agents.record_codex path/to/codex

The client is `npm install @openai/codex`. It works in a home of its own below a temporary folder, asks nobody but the
scripted model on loopback, and what is kept names no place of the machine it ran on.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.agents.scripted_model import Script, Turn, Use, serving

FIXTURES = Path(__file__).parent / "fixtures" / "codex"
UNKNOWN, KNOWN = "scripted-1", "gpt-6-sol"
"""A model that the client knows runs scripts and patches; an unknown one is offered each tool by itself."""
KEY = "SCRIPTED_MODEL_KEY"
PATCH = "*** Begin Patch\n*** Add File: greeting.txt\n+hello\n*** End Patch\n"
MISFIT = "*** Begin Patch\n*** Update File: missing.txt\n@@\n-x\n+y\n*** End Patch\n"
_COUNTS = ("token_usage_record", "token_count", "thread_settings_applied", "world_state")
"""Records of which one of a kind is enough."""
_ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;c", b"\x1b[?u": b"\x1b[?0u"}
"""What a terminal answers to the questions that the client asks it."""
_DRAWN = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\s")
"""What stands between letters on a screen."""


def _run(command: str, **more: object) -> Use:
    return Use("exec_command", {"cmd": command, **more})


SCRIPT: Script = {
    "install the package": [
        Turn("I will look first.", (_run("cat requirements.txt"),)),
        Turn("", (_run("ls"), _run("python3 -c 'import no_such_module' 2>&1 | tail -1"))),
        Turn("", (Use("find", {"sku": "pear"}, "mcp__stock"), Use("find", {"sku": "none"}, "mcp__stock"))),
        Turn("Done with pip."),
    ],
    "no, use uv": [Turn("Understood: uv, not pip.")],
    "ask a helper": [
        Turn("", (Use("spawn_agent", {"message": "explore everything"}, "multi_agent_v1"),)),
        Turn("", (_run("sleep 3"),)),
        Turn("The helper looked."),
    ],
    "explore everything": [Turn("", (_run("ls nowhere"),)), Turn("Nothing there.")],
    "greet": [
        Turn("", (Use("exec", "const r = await tools.exec_command({cmd: 'cat card.txt'}); text(r.output);"),)),
        Turn("", (Use("exec", "throw new Error('the ink is spilt');"),)),
        Turn("", (Use("apply_patch", PATCH),)),
        Turn("", (Use("apply_patch", MISFIT),)),
        Turn("", (_run("sleep 2; exit 3", yield_time_ms=300),)),
        Turn("", (_run("sleep 3"),)),
        Turn("Greeted."),
    ],
    "wait for me": [Turn("", (_run("sleep 60", yield_time_ms=30_000),)), Turn("Waited.")],
    "never mind": [Turn("I will not wait.")],
}


class Client:
    """A Codex in a world of its own."""

    def __init__(self, program: Path, world: Path, address: str, *, stock: bool = True) -> None:
        """`stock`: whether it has the MCP server of this file."""
        self.home, self.project = world / "ada", world / "ada" / "shop"
        self.program = str(program)
        self.project.mkdir(parents=True, exist_ok=True)
        (self.home / ".codex").mkdir()
        (self.home / ".codex" / "config.toml").write_text(_config(self.project, address) + (_stock() if stock else ""))
        self.environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], KEY: "x", "TERM": "xterm-256color"}

    def run(self, *words: str) -> None:
        """Run it without a terminal."""
        command = [self.program, "exec", "--skip-git-repo-check", *words]
        subprocess.run(
            command, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, check=True, timeout=120
        )

    def rollouts(self) -> list[Path]:
        """What it recorded, oldest first."""
        return sorted((self.home / ".codex" / "sessions").rglob("rollout-*.jsonl"))

    def in_terminal(self, *steps: tuple[str, str]) -> None:
        """Run it as a person would: each step types something and waits until the rollout holds a word once more."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            os.execve(self.program, [self.program, "-m", KNOWN], self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        before = len(self.rollouts())
        _attend(terminal, lambda: False, 6)
        for typed, word in steps:
            count = self._count(before, word)
            for piece in (typed, "\r") if typed != "\x1b" else (typed,):
                os.write(terminal, piece.encode())
                _attend(terminal, lambda: False, 0.7)
            if not _attend(terminal, partial(self._has_more, before, word, count), 30):
                os.kill(child, signal.SIGKILL)
                raise SystemExit(f"waited in vain for {word!r} after {typed!r}")
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)

    def trust_hooks(self) -> None:
        """Let the person trust all hooks that are new, when Codex asks for it at its start."""
        config = self.home / ".codex" / "config.toml"
        held = config.read_text()
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            os.execve(self.program, [self.program], self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        screen = bytearray()

        def is_kept() -> bool:
            return config.read_text().count("trusted_hash") > held.count("trusted_hash")

        try:
            if not _attend(terminal, lambda: b"Trustall" in _DRAWN.sub(b"", screen), 30, screen):
                raise AssertionError("Codex did not ask whether to trust hooks")
            _attend(terminal, lambda: False, 0.3)
            for key in (b"2", b"\r"):
                if not is_kept():
                    os.write(terminal, key)
                    _attend(terminal, is_kept, 2)
            if not _attend(terminal, is_kept, 10):
                raise AssertionError("Codex did not keep that hooks are trusted")
        finally:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
            os.close(terminal)
            end_daemons(self.home)

    def _has_more(self, before: int, word: str, count: int) -> bool:
        return self._count(before, word) > count

    def _count(self, before: int, word: str) -> int:
        return sum(path.read_text().count(word) for path in self.rollouts()[before:])


def _attend(terminal: int, done: Callable[[], bool], seconds: float, screen: bytearray | None = None) -> bool:
    """Let the client draw, on a screen, answer what it asks the terminal, until it is done or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        shown = os.read(terminal, 65536)
        if screen is not None:
            screen += shown
        for question, answer in _ANSWERS.items():
            os.write(terminal, answer * shown.count(question))
    return done()


def _config(project: Path, address: str) -> str:
    return f"""
model = "{UNKNOWN}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "Scripted"
base_url = "{address}/v1"
env_key = "{KEY}"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[projects."{project}"]
trust_level = "trusted"
"""


def _stock() -> str:
    return f"""
[mcp_servers.stock]
command = "{sys.executable}"
args = ["-m", "tests.agents.record_codex", "--mcp"]
env = {{ PYTHONPATH = "{Path(__file__).parents[2]}" }}
"""


def cleaned(rollout: Path, client: Client) -> bytes:
    """A rollout without prompts of the vendor, names of this machine and most of its accounts."""
    text = rollout.read_text().replace(str(client.home), "/home/ada").replace(sys.executable, "python3")
    lines, counted = [], set()
    for line in text.splitlines():
        record = json.loads(line)
        payload = record["payload"]
        kind = payload.get("type") or record["type"]
        if kind in _COUNTS and kind in counted:
            continue
        counted.add(kind)
        if kind == "world_state":
            payload = {"full": payload.get("full"), "state": {}}
        elif kind == "additional_tools":
            payload["tools"] = []
        record["payload"] = _without_prompts(payload)
        lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    return ("\n".join(lines) + "\n").encode()


def _without_prompts(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_prompts(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "message" and value.get("role") != "assistant":
        kinds = (value.get("internal_chat_message_metadata_passthrough") or {}).get("content_item_kinds") or []
        for part, kind in zip(value["content"], kinds, strict=True):
            part["text"] = part["text"] if kind == "user.text" else ""
    return {name: "" if name.endswith("instructions") else _without_prompts(each) for name, each in value.items()}


def record(program: Path) -> None:
    """Run every scenario and write the fixtures."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as world, serving(SCRIPT) as model:
        client = Client(program, Path(world), model.address)
        client.run("install the package")
        (first,) = client.rollouts()
        client.run("resume", "--last", "no, use uv, not pip")
        client.in_terminal(
            ("greet", "task_complete"),
            ("wait for me", '"name":"exec_command","arguments":"{\\"cmd\\": \\"sleep 60'),
            ("\x1b", '"reason":"interrupted"'),
            ("never mind", "task_complete"),
        )
        second = client.rollouts()[-1]
        before = set(client.rollouts())
        client.run("ask a helper")
        _, child = (path for path in client.rollouts() if path not in before)
        for name, rollout in (("exec", first), ("terminal", second), ("sub_agent", child)):
            (FIXTURES / f"{name}.jsonl").write_bytes(cleaned(rollout, client))
        end_daemons(Path(world))


def end_daemons(home: Path) -> None:
    """The client leaves a daemon behind that outlives it; those of this recording's own home are ended."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(home).encode() in command and int(process.name) != os.getpid():
            os.kill(int(process.name), signal.SIGTERM)


def serve_mcp() -> None:
    """A stock of one pear, over MCP on standard input and output."""
    tool = {"name": "find", "inputSchema": {"type": "object", "properties": {"sku": {"type": "string"}}}}
    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, object] = {"error": {"code": -32601, "message": "unknown method"}}
        if asked.get("method") == "initialize":
            server = {"name": "stock", "version": "1"}
            version = asked["params"]["protocolVersion"]
            answer = {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}}
        elif asked.get("method") == "tools/list":
            answer = {"result": {"tools": [tool]}}
        elif asked.get("method") == "tools/call":
            known = asked["params"].get("arguments", {}).get("sku") == "pear"
            content = [{"type": "text", "text": "one pear" if known else "no such sku"}]
            answer = {"result": {"content": content, "isError": not known}}
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--mcp"]:
        serve_mcp()
    else:
        record(Path(sys.argv[1]).resolve())
