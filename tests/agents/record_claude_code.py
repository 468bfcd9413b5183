"""Re-records the Claude Code fixtures from a real client, with a scripted model and without the vendor's prompts.

    python -m tests.agents.record_claude_code path/to/claude

The client is `npm install @anthropic-ai/claude-code` (Node 22 or newer on the path, or an old version is installed). It
works in a home of its own below a temporary folder, asks nobody but the scripted model on loopback, and what is kept
names no place of the machine it ran on.
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

FIXTURES = Path(__file__).parent / "fixtures" / "claude_code"
INJECTED = "The pears are ripe."
_ONE_IS_ENOUGH = frozenset(
    "api-request api-request-blob api-request-shape atis-latch cost-state last-prompt mode permission-mode"
    " file-history-snapshot tools-used system custom-title agent-name".split()
)
_KEPT_ATTACHMENTS = ("queued_command", "hook_additional_context", "instructions")
"""Attachments whose text is ours; of the others only the type is kept."""
_OWN = "note|output-file|usage|local-command-caveat|local-command-stdout|system-reminder"
_FRAMES = re.compile(rf"<({_OWN})>.*?</\1>", re.DOTALL)
_SUMMARY = re.compile(r"(This session is being continued from a previous conversation).*", re.DOTALL)
_ACCOUNTS = frozenset(
    "usage model stop_reason stop_details stop_sequence diagnostics promptId turnPosition toolUseResult requestRef"
    " requestedModel promptCacheRequested effort perTurnEffort madeBy session_id sourceToolAssistantUUID slug"
    " toolInputStreamMs apiBlockIndex userType gitBranch sandboxed renderedRole renderedBesideToolResult rendered"
    " compactMetadata logicalParentUuid".split()
)
"""Fields that nobody looks at and that would make the fixtures twice as long."""
_ESCAPE, _UP, _TAB, _ENTER, _CLEAR_LINE = "\x1b", "\x1b[A", "\t", "\r", "\x15"
_ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;c", b"\x1b[?u": b"\x1b[?0u"}
"""What a terminal answers to the questions that the client asks it."""


def _run(command: str) -> Use:
    return Use("Bash", {"command": command, "description": "Run it"})


SCRIPT: Script = {
    "install the package": [
        Turn("I will look first.", (_run("cat requirements.txt"),)),
        Turn("", (_run("ls"), _run("python3 -c 'import no_such_module' 2>&1 | tail -1"))),
        Turn("", (_run("touch installed.txt"),)),
        Turn("Done with pip."),
    ],
    "no, use uv": [Turn("Understood: uv, not pip.")],
    "ask a helper": [
        Turn("", (Use("Agent", {"description": "Look", "prompt": "explore everything"}),)),
        Turn("The helper looked."),
    ],
    "explore everything": [Turn("", (_run("ls nowhere"),)), Turn("Nothing there.")],
    "work for a program": [Turn("", (_run("sleep 5"),)), Turn("Worked.")],
    "greet": [Turn("Hello.", (_run("cat card.txt"),)), Turn("Greeted.")],
    "file the report": [Turn("", (_run("touch report.txt"),)), Turn("Understood.")],
    "order a pear": [Turn("", (Use("mcp__stock__find", {"sku": "pear"}),)), Turn("Ordered.")],
    "wait for me": [Turn("", (_run("python3 -c 'import time; time.sleep(60)'"),)), Turn("Waited.")],
    "think about it": [Turn("Let me see.", (_run("cat card.txt"),)), Turn("Thought.", after=20)],
    "never mind": [Turn("I will not wait.")],
    "work slowly": [Turn("", (_run("sleep 7"),)), Turn("Worked slowly.", after=7)],
    "and rest": [Turn("Rested.")],
    "start afresh": [Turn("A fresh start.")],
}


class Client:
    """A Claude Code in a world of its own."""

    def __init__(self, program: Path, world: Path, address: str, settings: dict[str, object] | None = None) -> None:
        self.home, self.project = world / "ada", world / "ada" / "shop"
        self._program = str(program)
        (self.project / ".claude" / "commands").mkdir(parents=True)
        (self.project / "CLAUDE.md").write_text("Always be kind to pears.\n")
        (self.project / ".claude" / "commands" / "tidy.md").write_text("Please greet and tidy $ARGUMENTS\n")
        (self.project / ".claude" / "settings.json").write_text(json.dumps(settings or _settings()))
        (self.home / ".claude.json").write_text(json.dumps(_state(self.project)))
        (self.home / "mcp.json").write_text(json.dumps({"mcpServers": {"stock": _stock()}}))
        self.environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def run(self, *words: str) -> None:
        """Run it without a terminal."""
        command = [self._program, "-p", *words]
        environment, nothing = self.environment, subprocess.DEVNULL
        subprocess.run(command, cwd=self.project, env=environment, stdin=nothing, check=True, timeout=120)

    def run_with_messages(self, *messages: str, pause: float) -> None:
        """Run it as a program does that sends messages while it works."""
        command = [self._program, "-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        with subprocess.Popen(command, cwd=self.project, env=self.environment, stdin=pipe, stdout=nothing) as running:
            assert running.stdin is not None
            for text in messages:
                message = {"type": "user", "message": {"role": "user", "content": text}}
                running.stdin.write(json.dumps(message).encode() + b"\n")
                running.stdin.flush()
                time.sleep(pause)
            running.stdin.close()

    def transcripts(self) -> list[Path]:
        """What it recorded of sessions, oldest first; without those of sub-agents."""
        return sorted((self.home / ".claude" / "projects").glob("*/*.jsonl"), key=lambda path: path.stat().st_ctime_ns)

    def sub_agents(self) -> list[Path]:
        """What it recorded of sub-agents."""
        return sorted((self.home / ".claude" / "projects").glob("*/*/subagents/agent-*.jsonl"))

    def in_terminal(self, *steps: tuple[tuple[str, ...], str]) -> None:
        """Run it as a person would: each step presses keys and waits until the transcripts hold a word once more."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            words = ["--permission-mode", "default", "--mcp-config", str(self.home / "mcp.json")]
            os.execve(self._program, [self._program, *words], self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
        before = set(self.transcripts())
        _attend(terminal, lambda: False, 7)
        for keys, word in steps:
            count = self._count(before, word)
            for key in keys:
                os.write(terminal, key.encode())
                _attend(terminal, lambda: False, 0.8)
            if not _attend(terminal, partial(self._has_more, before, word, count), 30):
                os.kill(child, signal.SIGKILL)
                raise SystemExit(f"waited in vain for {word!r} after {keys!r}")
            _attend(terminal, lambda: False, 1)
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)

    def _has_more(self, before: set[Path], word: str, count: int) -> bool:
        return self._count(before, word) > count

    def _count(self, before: set[Path], word: str) -> int:
        return sum(path.read_text().count(word) for path in self.transcripts() if path not in before)


def _attend(terminal: int, done: Callable[[], bool], seconds: float) -> bool:
    """Let the client draw, answer what it asks the terminal, until it is done or the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if done():
            return True
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        shown = os.read(terminal, 65536)
        for question, answer in _ANSWERS.items():
            os.write(terminal, answer * shown.count(question))
    return done()


def _settings() -> dict[str, object]:
    context = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": INJECTED}}
    hook = {"type": "command", "command": f"echo '{json.dumps(context)}'"}
    allowed = [f"Bash({name}:*)" for name in ("cat", "ls", "python3", "sleep", "tail", "echo")]
    return {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}, "permissions": {"allow": allowed}}


def _state(project: Path) -> dict[str, object]:
    """What the client remembers when its first questions were answered."""
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["scripted"], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }


def _stock() -> dict[str, object]:
    arguments = ["-m", "tests.agents.record_codex", "--mcp"]
    return {"command": sys.executable, "args": arguments, "env": {"PYTHONPATH": str(Path(__file__).parents[2])}}


def cleaned(transcript: Path, client: Client, seen: set[str]) -> bytes:
    """A transcript without prompts of the vendor, names of this machine and most of its accounts.

    What was seen in another transcript already and is one of a kind that nobody reads is left out.
    """
    text = transcript.read_text().replace(str(client.home), "/home/ada").replace(sys.executable, "python3")
    lines = []
    for line in text.splitlines():
        record = json.loads(line)
        kind = record["type"]
        what = record["attachment"]["type"] if kind == "attachment" else record.get("subtype") or kind
        if what in _KEPT_ATTACHMENTS:
            what = f"{what} {transcript.stem if what != 'queued_command' else record['uuid']}"
        if what in seen and (kind in _ONE_IS_ENOUGH or kind == "attachment"):
            continue
        seen.add(what)
        lines.append(json.dumps(_without_prompts(record), ensure_ascii=False, separators=(",", ":")))
    return ("\n".join(lines) + "\n").encode()


def _without_prompts(record: dict[str, Any]) -> dict[str, Any]:
    kind = record["type"]
    if kind.startswith("api-request"):
        return {name: record[name] for name in ("type", "sessionId", "agentId", "timestamp") if name in record}
    if kind == "cost-state":
        return {"type": kind, "sessionId": record["sessionId"]}
    if kind == "attachment" and record["attachment"]["type"] not in _KEPT_ATTACHMENTS:
        kept = {"parentUuid": record["parentUuid"], "attachment": {"type": record["attachment"]["type"]}}
        return {**kept, "type": kind, "sessionId": record["sessionId"]}
    message = record.get("message") or record
    if "content" in message:
        message["content"] = _cut(message["content"])
    return _short(record)


def _short(record: dict[str, Any]) -> dict[str, Any]:
    short = {name: value for name, value in record.items() if name not in _ACCOUNTS}
    return {name: _short(value) if name == "message" else value for name, value in short.items()}


def _cut(content: Any) -> Any:
    """The content of a message or result, without what the client says in its own words."""
    if isinstance(content, str):
        return _FRAMES.sub(r"<\1></\1>", _SUMMARY.sub(r"\1.", content))
    if not isinstance(content, list):
        return content
    for block in content:
        if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            block["content"] = [{"type": "text", "text": "Launched."}]
        elif block.get("type") == "tool_result":
            block["content"] = _cut(block["content"])
    return content


def _typed(text: str) -> tuple[str, ...]:
    return text, _ENTER


def _scene(client: Client) -> None:
    """What a person does at the terminal."""
    ended, asked, shell = "turn_duration", '"type":"tool_use"', ("!", "echo queued", _ENTER)
    client.in_terminal(
        (_typed("greet me"), ended),
        (_typed("/tidy the shelf"), ended),
        (_typed("file the report"), asked),
        ((_UP, _TAB, "no, never file it", _ENTER), ended),
        (_typed("file the report again"), asked),
        ((_TAB, "but only this once", _ENTER), ended),
        (_typed("order a pear"), asked),
        ((_UP, _TAB, "not without asking", _ENTER), ended),
        (_typed("file the report at last"), asked),
        ((_ESCAPE,), "[Request interrupted by user for tool use]"),
        (_typed("wait for me"), asked),
        ((_ESCAPE,), "[Request interrupted by user for tool use]"),
        (_typed("never mind"), ended),
        (_typed("think about it"), '"type":"tool_result"'),
        ((_ESCAPE,), "[Request interrupted by user]"),
        (_typed("work slowly"), asked),
        (_typed("also bump the version"), '"operation":"remove"'),
        (_typed("and rest"), '"operation":"enqueue"'),
        (shell, "<bash-input>echo queued"),
        (_typed("work slowly again"), asked),
        (_typed("on second thoughts"), '"operation":"enqueue"'),
        ((_UP,), '"operation":"popAll"'),
        ((_CLEAR_LINE,), ended),
        (_typed("/rename pear"), "custom-title"),
        (_typed("/compact"), "isCompactSummary"),
        (_typed("/clear"), "<command-name>/clear"),
        (_typed("start afresh"), ended),
    )


def record(program: Path) -> None:
    """Run every scenario and write the fixtures."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as world, serving(SCRIPT) as model:
        client = Client(program, Path(world), model.address)
        client.run("install the package")
        (first,) = client.transcripts()
        client.run("no, use uv, not pip", "--resume", first.stem)
        client.run("ask a helper", "--resume", first.stem, "--allowedTools", "Agent")
        (helper,) = client.sub_agents()
        client.run_with_messages("work for a program", "hurry up", "and rest", pause=4)
        (second,) = set(client.transcripts()) - {first}
        _scene(client)
        third, fourth = (path for path in client.transcripts() if path not in (first, second))
        if "<command-name>/clear" in third.read_text():
            third, fourth = fourth, third
        named = {"terminal": third, "cleared": fourth, "print": first, "sub_agent": helper, "program": second}
        seen: set[str] = set()
        for name, transcript in named.items():
            (FIXTURES / f"{name}.jsonl").write_bytes(cleaned(transcript, client, seen))


if __name__ == "__main__":
    record(Path(sys.argv[1]).resolve())
