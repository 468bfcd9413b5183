"""Writes Codex rollouts, record by record in the shapes that versions of the real client write, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from wisen.agents.codex import Codex
from wisen.model.event import Event, Outcome, Status
from wisen.model.source import Batch, ReadProblem, SourceMark

PATCH = "*** Begin Patch\n*** Add File: a.py\n+SOURCE\n*** Update File: b.py\n@@\n-x\n+SOURCE\n*** End Patch\n"


class Rollout:
    """One thread as version 0.166 records it: each fact as the model's item and as the client's event."""

    def __init__(
        self, number: int = 1, *, cwd: str = "/home/ada/orchard", meta: Mapping[str, object] | None = None
    ) -> None:
        self.thread = str(UUID(int=number << 64))
        self.at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.lines: list[bytes] = []
        self.cwd = cwd
        self._number = number
        self._count = 0
        self._turn = ""
        self.begin(meta or {})

    def begin(self, meta: Mapping[str, object]) -> None:
        head: dict[str, object] = {"id": self.thread, "session_id": self.thread, "cwd": self.cwd}
        head |= {"originator": "codex-tui", "cli_version": "0.166.0", "source": "vscode", "thread_source": "user"}
        self.line("session_meta", {**head, "base_instructions": {"text": ""}, **meta})

    def turn(self, trigger: str | None = "user", **attribution: object) -> None:
        """A turn begins."""
        self._turn = self.id("turn")
        about = {"turn_id": self._turn, "turn_trigger": trigger, "parent_turn_id": None, **attribution}
        self.event("task_started", turn_id=self._turn, turn_attribution=about)
        self.line("turn_context", {"turn_id": self._turn, "cwd": self.cwd})

    def prompt(self, text: str) -> None:
        """The user typed this, and a turn began."""
        self.turn()
        self.user_text(text)

    def user_text(self, text: str, *kinds: str) -> None:
        """Text in the user's place, in both copies."""
        self.user_text_to_model(text, *kinds)
        self.user_text_to_client(text)

    def user_text_to_model(self, text: str, *kinds: str, role: str = "user") -> str:
        """The copy that the model is sent; returns its id."""
        identity = f"msg_{self.id('m')}"
        marks = {"turn_id": self._turn, "content_item_kinds": list(kinds or ("user.text",))}
        content = [{"type": "input_text", "text": text} for _ in kinds or ("user.text",)]
        message = {"type": "message", "id": identity, "role": role, "content": content}
        self.line("response_item", {**message, "internal_chat_message_metadata_passthrough": marks})
        return identity

    def user_text_to_client(self, text: str) -> None:
        """The client's own copy."""
        self.item({"type": "UserMessage", "id": self.id("u"), "content": [{"type": "text", "text": text}]})

    def say(self, text: str) -> str:
        """Prose of the assistant, in both copies; returns the id that the model gave it."""
        identity = f"msg_{self.id('m')}"
        content = [{"type": "output_text", "text": text, "annotations": []}]
        self.line("response_item", {"type": "message", "id": identity, "role": "assistant", "content": content})
        self.item({"type": "AgentMessage", "id": identity, "content": [{"type": "Text", "text": text}]})
        return identity

    def call(self, tool: str, namespace: str | None = None, **arguments: object) -> str:
        """A function call; returns its id."""
        call = self.id("call")
        item: dict[str, object] = {"type": "function_call", "name": tool, "arguments": json.dumps(arguments)}
        if namespace:
            item["namespace"] = namespace
        self.line("response_item", {**item, "call_id": call})
        return call

    def custom(self, tool: str, text: str) -> str:
        """A call with free text; returns its id."""
        call = self.id("call")
        self.line("response_item", {"type": "custom_tool_call", "name": tool, "input": text, "call_id": call})
        return call

    def output(self, call: str, output: object, kind: str = "function_call_output") -> None:
        """What the model was sent back."""
        self.line("response_item", {"type": kind, "call_id": call, "output": output})

    def ask(self, command: str) -> str:
        """A shell command; returns the call's id."""
        return self.call("exec_command", cmd=command)

    def executed(self, call: str, command: str, printed: str, exit_code: int = 0, **fields: object) -> None:
        """The client's word on a command that ended."""
        item: dict[str, object] = {"type": "CommandExecution", "id": call, "command": ["/bin/bash", "-lc", command]}
        item |= {"source": "unified_exec_startup", "status": "failed" if exit_code else "completed"}
        self.item({**item, "aggregated_output": printed, "exit_code": exit_code, **fields})

    def answer(self, call: str, printed: str, exit_code: int = 0) -> None:
        """Both copies of a command's end."""
        self.executed(call, "?", printed, exit_code)
        self.output(call, unified(printed, exit_code))

    def shell(self, command: str, printed: str = "", exit_code: int = 0) -> str:
        """A shell command with its end; returns the call's id."""
        call = self.ask(command)
        self.answer(call, printed, exit_code)
        return call

    def interrupt(self) -> None:
        """The user stopped the turn; commands that were under way are told of afterwards."""
        note = "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>"
        self.user_text_to_model(note, "generic.turn_aborted")
        self.event("turn_aborted", turn_id=self._turn, reason="interrupted")

    def inject(self, text: str) -> None:
        """What is put where the user's text stands, without being it."""
        self.user_text_to_model(text, "hooks.additional_context", role="developer")
        self.user_text_to_model(text, "agents_md.instructions", "environments.environment_context")
        self.line("compacted", {"message": text, "replacement_history": []})

    def item(self, item: Mapping[str, object]) -> None:
        """A completed item."""
        self.event("item_completed", thread_id=self.thread, turn_id=self._turn, item=item)

    def event(self, name: str, /, **fields: object) -> None:
        """An event of the client."""
        self.line("event_msg", {"type": name, **fields})

    def line(self, kind: str, payload: Mapping[str, object], **fields: object) -> None:
        """A record."""
        record = {"timestamp": self._stamp(), "ordinal": len(self.lines), "type": kind, "payload": payload, **fields}
        self.raw(record)

    def raw(self, record: Mapping[str, object] | bytes) -> None:
        """A line as it is."""
        compact = (",", ":")
        line = (
            record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False, separators=compact).encode()
        )
        self.lines.append(line)

    def data(self) -> bytes:
        """The file's bytes."""
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, home: Path) -> Path:
        """Write it where Codex would."""
        path = home / ".codex" / "sessions" / "2026" / "03" / "02" / f"rollout-2026-03-02T09-00-00-{self.thread}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data())
        return path

    def id(self, kind: str) -> str:
        """A new id."""
        self._count += 1
        return f"{kind}_{self._number:08d}{self._count:016d}"

    def _stamp(self) -> str:
        self.at += timedelta(seconds=7)
        return self.at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class OldRollout(Rollout):
    """One thread as versions of late 2025 recorded it: no ordinals, no kinds, a command as a list, JSON outputs."""

    def begin(self, meta: Mapping[str, object]) -> None:
        head: dict[str, object] = {"id": self.thread, "cwd": self.cwd, "originator": "codex_cli_rs", "source": "cli"}
        self.line("session_meta", {**head, "cli_version": "0.46.0", "instructions": None, **meta})
        self._to_model("<environment_context>\n  <cwd>/home/ada</cwd>\n</environment_context>")

    def prompt(self, text: str) -> None:
        self._to_model(text)
        self.event("user_message", message=text, kind="plain")
        self.line("turn_context", {"cwd": self.cwd, "model": "gpt-5-codex"})

    def say(self, text: str) -> str:
        content = [{"type": "output_text", "text": text}]
        self.event("agent_message", message=text)
        self.line("response_item", {"type": "message", "role": "assistant", "content": content})
        return ""

    def ask(self, command: str) -> str:
        return self.call("shell", command=["bash", "-lc", command], workdir=self.cwd)

    def answer(self, call: str, printed: str, exit_code: int = 0) -> None:
        self.output(
            call, json.dumps({"output": printed, "metadata": {"exit_code": exit_code, "duration_seconds": 0.1}})
        )

    def interrupt(self) -> None:
        self.event("turn_aborted", reason="interrupted")

    def inject(self, text: str) -> None:
        self._to_model(f"<user_instructions>\n\n{text}\n\n</user_instructions>")
        self.event("user_message", message=f"<user_instructions>{text}</user_instructions>", kind="user_instructions")

    def line(self, kind: str, payload: Mapping[str, object], **fields: object) -> None:
        self.raw({"timestamp": self._stamp(), "type": kind, "payload": payload, **fields})

    def _to_model(self, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        self.line("response_item", {"type": "message", "role": "user", "content": content})


def unified(printed: str, exit_code: int) -> str:
    """What the model is sent of a command that ended."""
    head = f"Chunk ID: a1b2c3\nWall time: 0.1000 seconds\nProcess exited with code {exit_code}\n"
    return f"{head}Original token count: 9\nOutput:\n{printed}"


def batches(path: Path, mark: SourceMark | None = None, *, program_prompts: bool = False) -> list[Batch]:
    """What the reader makes of a file behind a mark."""
    agent = Codex(Path("/nowhere"), {}, program_prompts=program_prompts)
    (source,) = agent.sources(path)
    return list(agent.read(source, mark))


def read(
    rollout: Rollout | bytes, folder: Path, *, program_prompts: bool = False
) -> tuple[list[Event], list[ReadProblem]]:
    """All that the reader makes of a rollout."""
    path = folder / "rollout-2026-03-02T09-00-00-x.jsonl"
    path.write_bytes(rollout if isinstance(rollout, bytes) else rollout.data())
    found = batches(path, program_prompts=program_prompts)
    return [e for batch in found for e in batch.events], [t for batch in found for t in batch.problems]


def ends(events: list[Event]) -> list[Status]:
    """How the calls ended, in order."""
    return [e.status for e in events if isinstance(e, Outcome)]
