"""Writes Claude Code transcripts record by record, in the shapes of the real client, for tests and examples."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from pathlib import Path

REJECTED_TEXT = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file)."
)


class ClaudeTranscript:
    """One session. Each method appends what Claude Code would; ids and times follow from the session's number."""

    def __init__(self, number: int = 1, *, cwd: str = "/home/ada/orchard", start: datetime | None = None) -> None:
        self.session = str(UUID(int=number << 64))
        self.cwd = cwd
        self.at = start or datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.lines: list[bytes] = []
        self._number = number
        self._count = 0
        self._last: str | None = None

    def prompt(self, text: str | list[dict[str, object]], **fields: object) -> str:
        """Append a typed prompt; returns the record's uuid."""
        return self.add_record({"type": "user", "message": {"role": "user", "content": text}, **fields})

    def say(self, text: str) -> str:
        """Append prose of the assistant."""
        return self.add_assistant_block({"type": "text", "text": text})

    def call(self, tool: str, **arguments: object) -> str:
        """Append a tool call; returns its id."""
        call = f"toolu_{self._number:06d}{self._count:018d}"
        self.add_assistant_block({"type": "tool_use", "id": call, "name": tool, "input": arguments})
        return call

    def ok(self, call: str, output: str = "done") -> str:
        """Append a successful result."""
        return self.result(call, output, toolUseResult={"stdout": output, "stderr": "", "interrupted": False})

    def fail(self, call: str, text: str) -> str:
        """Append a failed result."""
        return self.result(call, text, is_error=True, toolUseResult=f"Error: {text}")

    def bash(self, command: str, output: str = "", *, exit_code: int = 0) -> str:
        """Append a shell command with its result; returns the call's id."""
        call = self.call("Bash", command=command, description="run it")
        if exit_code:
            self.fail(call, f"Exit code {exit_code}\n{output}")
        else:
            self.ok(call, output)
        return call

    def reject(self, call: str, reason: str | None = None) -> str:
        """Append a rejection of a call; without a reason Claude Code also records an interrupt."""
        if reason is not None:
            return self.fail(call, f"{REJECTED_TEXT} To tell you how to proceed, the user said:\n{reason}")
        wait = "STOP what you are doing and wait for the user to tell you how to proceed."
        self.result(call, f"{REJECTED_TEXT} {wait}", is_error=True, toolUseResult="User rejected tool use")
        return self.prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}])

    def interrupt(self) -> str:
        """Append an interrupt."""
        return self.prompt([{"type": "text", "text": "[Request interrupted by user]"}])

    def queue(self, operation: str, content: str | None = None) -> None:
        """Append an operation on the queue of prompts typed while the agent works."""
        record: dict[str, object] = {"type": "queue-operation", "operation": operation, "sessionId": self.session}
        record["timestamp"] = self._stamp()
        if content is not None:
            record["content"] = content
        self.raw(record)

    def result(self, call: str, content: object, *, is_error: bool = False, **fields: object) -> str:
        """Append a tool result in full generality."""
        block: dict[str, object] = {"tool_use_id": call, "type": "tool_result", "content": content}
        if is_error:
            block["is_error"] = True
        return self.prompt([block], **fields)

    def raw(self, record: dict[str, object] | bytes) -> None:
        """Append a line as it is."""
        compact = json.dumps(record, ensure_ascii=False, separators=(",", ":")) if isinstance(record, dict) else None
        self.lines.append(record if isinstance(record, bytes) else (compact or "").encode())

    def wait(self, **time: float) -> None:
        """Advance the time."""
        self.at += timedelta(**time)

    def data(self) -> bytes:
        """Return the bytes of the file."""
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, folder: Path) -> Path:
        """Write the file under the session's name."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        path.write_bytes(self.data())
        return path

    def add_assistant_block(self, block: dict[str, object]) -> str:
        """Append a message of the assistant that holds one block; returns its id."""
        message = {"id": f"msg_{self._count:024d}", "type": "message", "role": "assistant", "content": [block]}
        return self.add_record({"type": "assistant", "message": message, "requestId": f"req_{self._count:024d}"})

    def add_record(self, record: dict[str, object]) -> str:
        """Append a record with what every record of the session has; returns its id."""
        uuid = str(UUID(int=(self._number << 64) + self._count + 1))
        self._count += 1
        head = {
            "parentUuid": self._last,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.50",
            "gitBranch": "main",
        }
        own: dict[str, object] = {name: record[name] for name in ("type", "message") if name in record}
        others = {name: value for name, value in record.items() if name not in own}
        first = {name: others.pop(name) for name in head if name in others}
        self.raw({**head, **first, **own, "uuid": uuid, "timestamp": self._stamp(), **others})
        self._last = uuid
        return uuid

    def _stamp(self) -> str:
        self.at += timedelta(seconds=7)
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
