"""Writes Gemini CLI chats in the format of the real client: a header, messages that are rewritten, patches."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from wisen.agents.gemini_cli import GeminiCli
from wisen.model.event import Event
from wisen.testing.agent_contract import read_all

Json = dict[str, Any]


class Chat:
    """One session. Each method appends what Gemini CLI would; ids and times follow from the session's number."""

    def __init__(self, number: int = 1, *, kind: str = "main", cwd: str = "/home/ada/orchard") -> None:
        self.session = str(UUID(int=number << 64))
        self.kind = kind
        self.cwd = cwd
        self.at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.messages: dict[str, Json] = {}
        self._number = number
        self._count = 0
        head = {"sessionId": self.session, "projectHash": "0" * 64, "startTime": self._stamp(), "kind": kind}
        self.lines: list[bytes] = [dumps(head)]

    def prompt(self, text: object, **fields: object) -> str:
        """A message in the user's place; returns its id."""
        parts = [{"text": text}] if isinstance(text, str) else text
        return self._new("user", parts, **fields)

    def say(self, text: str) -> str:
        """Prose of the model."""
        return self._new("gemini", text, thoughts=[], tokens={"total": 7}, model="gemini-x")

    def ask(self, tool: str = "run_shell_command", **arguments: object) -> str:
        """A call that goes on; returns its id."""
        message = self.say("")
        call = f"{tool}__call_{self._number:06d}{self._count:014d}"
        self._grow(message, {"id": call, "name": tool, "args": arguments, "status": "executing"})
        return call

    def end(self, call: str, status: str, response: Json, display: object = "") -> None:
        """The end of a call: its message once more, and the answer in the user's place."""
        answer = {"functionResponse": {"id": call, "name": call.partition("__")[0], "response": response}}
        (message,) = (key for key, each in self.messages.items() if call in json.dumps(each.get("toolCalls")))
        (known,) = (each for each in self.messages[message]["toolCalls"] if each["id"] == call)
        self._grow(message, {**known, "status": status, "result": [answer], "resultDisplay": display})
        self._new("user", [answer])

    def answer(self, call: str, output: str, exit_code: int = 0, hook: str = "") -> None:
        """The end of a shell command; its status is a success whatever its exit code."""
        result = f"Output: {output}\n" + (f"Exit Code: {exit_code}\n" if exit_code else "") + "Process Group PGID: 7"
        added = f"\n\n<hook_context>{hook}</hook_context>" if hook else ""
        self.end(call, "success", {"output": f"<untrusted_context>\n{result}\n</untrusted_context>{added}"}, output)

    def shell(self, command: str, output: str = "", exit_code: int = 0) -> str:
        """A shell command with its end; returns the call's id."""
        call = self.ask(command=command, description="run it")
        self.answer(call, output, exit_code)
        return call

    def cancel(self, call: str, reason: str = "User cancelled the operation.") -> None:
        """A call that the user stopped or refused."""
        self.end(call, "cancelled", {"error": f"[Operation Cancelled] Reason: {reason}"})

    def patch(self, **fields: object) -> None:
        """A change of the header, which may hold messages."""
        self.lines.append(dumps({"$set": fields}))

    def data(self) -> bytes:
        """The whole file."""
        return b"".join(line + b"\n" for line in self.lines)

    def document(self) -> bytes:
        """The same chat as it was kept until 2025."""
        chat = {"sessionId": self.session, "projectHash": "0" * 64, "messages": list(self.messages.values())}
        return json.dumps(chat, indent=2, ensure_ascii=False).encode()

    def write(self, home: Path, parent: str = "") -> Path:
        """The file that Gemini CLI would keep below a home."""
        project = home / ".gemini" / "tmp" / "orchard"
        folder = project / "chats" / parent
        folder.mkdir(parents=True, exist_ok=True)
        (project / ".project_root").write_text(self.cwd)
        name = f"{self.session}.jsonl" if parent else f"session-2026-03-02T09-00-{self.session[8:18]}.jsonl"
        (folder / name).write_bytes(self.data())
        return folder / name

    def _new(self, kind: str, content: object, **fields: object) -> str:
        self._count += 1
        identity = str(UUID(int=(self._number << 64) + self._count))
        record = {"id": identity, "timestamp": self._stamp(), "type": kind, "content": content, **fields}
        self.messages[identity] = record
        self.lines.append(dumps(record))
        self.patch(lastUpdated=self._stamp())
        return identity

    def _grow(self, message: str, call: Json) -> None:
        record = self.messages[message]
        others = [each for each in record.get("toolCalls", []) if each["id"] != call["id"]]
        self.messages[message] = record | {"toolCalls": [*others, {**call, "timestamp": self._stamp()}]}
        self.lines.append(dumps(self.messages[message]))

    def _stamp(self) -> str:
        self.at += timedelta(seconds=7)
        return self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def dumps(record: object) -> bytes:
    """JSON as Gemini CLI writes it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def read(chat: Chat, home: Path) -> tuple[list[Event], list[tuple[str, str]]]:
    """What is found in a chat."""
    chat.write(home)
    events, problems = read_all(GeminiCli(home, {}))
    return events, [(problem.kind.value, problem.detail) for problem in problems]
