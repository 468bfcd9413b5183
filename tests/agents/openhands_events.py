"""Writes OpenHands conversations as its SDK does: one numbered file per event, in a folder per conversation."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID


class Conversation:
    """One conversation. Ids and times follow from its number."""

    def __init__(self, number: int, folder: Path, *, place: str = "/home/ada/orchard") -> None:
        """`folder`: where conversations are kept."""
        self.name = UUID(int=number << 64).hex
        self.folder = folder / self.name
        self.place = place
        self.at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC) + timedelta(minutes=number)
        self.files: dict[str, bytes] = {}
        self._number = number
        self._calls: dict[str, tuple[str, str]] = {}

    def event(self, kind: str, source: str, **fields: object) -> str:
        """Any event; returns its id."""
        self.at += timedelta(seconds=1)
        identity = str(UUID(int=(self._number << 64) + len(self.files) + 1))
        stamp = self.at.astimezone().replace(tzinfo=None).isoformat()
        self.put({"id": identity, "timestamp": stamp, "source": source, **fields, "kind": kind}, identity)
        return identity

    def put(self, record: object, identity: str = "00000000-0000-4000-8000-000000000000") -> None:
        data = record if isinstance(record, bytes) else json.dumps(record).encode()
        self.files[f"event-{len(self.files):05d}-{identity}.json"] = data

    def begin(self) -> None:
        """What stands before everything."""
        self.event("SystemPromptEvent", "agent", system_prompt={"type": "text", "text": "x" * 9000}, tools=[])

    def message(self, text: str, *, source: str = "user", added: str = "", **fields: object) -> str:
        role = "user" if source in ("user", "environment") else "assistant"
        content = [{"cache_prompt": False, "type": "text", "text": text}]
        extended = [{"cache_prompt": False, "type": "text", "text": added}] if added else []
        message = {"role": role, "content": content, "thinking_blocks": []}
        return self.event("MessageEvent", source, llm_message=message, extended_content=extended, **fields)

    def prompt(self, text: str) -> None:
        self.message(text)

    def say(self, text: str) -> None:
        self.message(text, source="agent")

    def call(self, tool: str, *, thought: str = "", call: str = "", **arguments: object) -> str:
        """A call; returns its id."""
        call = call or f"call_{self._number:08x}{len(self.files):016x}"
        action = self.event(
            "ActionEvent",
            "agent",
            thought=[{"type": "text", "text": thought}],
            action={**arguments, "kind": "SomeAction"},
            tool_name=tool,
            tool_call_id=call,
            tool_call={"id": call, "name": tool, "arguments": json.dumps(arguments), "origin": "completion"},
            security_risk="LOW",
        )
        self._calls[call] = tool, action
        return call

    def observe(self, call: str, text: str = "", *, place: str = "", **fields: object) -> None:
        """What came of a call."""
        tool, action = self._calls[call]
        about = {
            "exit_code": fields.get("exit_code", -1),
            "working_dir": place or self.place,
            "suffix": "\n[It ended.]",
        }
        seen = {"content": [{"type": "text", "text": text}], "is_error": False, "metadata": about, **fields}
        self.event(
            "ObservationEvent",
            "environment",
            tool_name=tool,
            tool_call_id=call,
            action_id=action,
            observation={**seen, "kind": "SomeObservation"},
            extended_content=[],
        )

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self.observe(self.call("terminal", command=command), output, exit_code=exit_code, timeout=False)

    def refuse(self, call: str, reason: str, source: str = "user") -> None:
        tool, action = self._calls[call]
        self.event(
            "UserRejectObservation",
            "environment",
            tool_name=tool,
            tool_call_id=call,
            action_id=action,
            rejection_reason=reason,
            rejection_source=source,
        )

    def save(self) -> None:
        events = self.folder / "events"
        events.mkdir(parents=True, exist_ok=True)
        state = {"id": self.name, "agent": {"llm": {"model": "m"}}, "workspace": {"working_dir": self.place}}
        (self.folder / "base_state.json").write_text(json.dumps(state))
        for name, data in self.files.items():
            (events / name).write_bytes(data)
