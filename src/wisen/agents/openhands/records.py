"""Types of OpenHands' events, with the fields that this reader uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.safety.regular_files import read_regular_file

if TYPE_CHECKING:
    from pathlib import Path


class Part(msgspec.Struct):
    """One part of a content."""

    type: str = ""
    text: str | None = None


class LlmMessage(msgspec.Struct):
    """A message as the model sees it; additions of hooks and skills are stored elsewhere."""

    role: str = ""
    content: list[Part] = []


class ToolCall(msgspec.Struct):
    """A tool call as the model wrote it."""

    arguments: str = ""


class ShellMetadata(msgspec.Struct):
    """What the shell reported besides the output."""

    working_dir: str | None = None
    suffix: str | None = None


class Observation(msgspec.Struct):
    """The result of a call. Other fields are defined by the tool."""

    content: list[Part] | str = []
    is_error: bool = False
    exit_code: int | None = None
    timeout: bool = False
    metadata: ShellMetadata | None = None

    @property
    def text(self) -> str:
        """What was printed."""
        return self.content if isinstance(self.content, str) else text_of(self.content)


class Event(msgspec.Struct):
    """One event."""

    kind: str
    id: str = ""
    timestamp: str = ""
    source: str = ""
    llm_message: LlmMessage | None = None
    sender: str | None = None
    thought: list[Part] = []
    tool_name: str = ""
    tool_call_id: str = ""
    tool_call: ToolCall | None = None
    observation: Observation | None = None
    error: str = ""
    rejection_reason: str = ""
    rejection_source: str = "user"


RELEVANT_TYPES = frozenset(
    "MessageEvent ActionEvent ObservationEvent AgentErrorEvent UserRejectObservation PauseEvent InterruptEvent".split()
)
"""Event kinds from which something can be learned."""
IGNORED_TYPES = frozenset(
    "SystemPromptEvent HookExecutionEvent Condensation CondensationRequest CondensationSummaryEvent TokenEvent"
    " ConversationStateUpdateEvent ConversationErrorEvent LLMCompletionLogEvent SecurityAnalysisEvent"
    " StreamingDeltaEvent ACPToolCallEvent".split()
)
"""Known event kinds from which nothing can be learned, or that do not record how a call ended."""


class _Kind(msgspec.Struct):
    kind: str = ""


class _Workspace(msgspec.Struct):
    working_dir: str = ""


class _State(msgspec.Struct):
    workspace: _Workspace = msgspec.field(default_factory=_Workspace)


decode_event = msgspec.json.Decoder(Event).decode
_kind = msgspec.json.Decoder(_Kind)
_state = msgspec.json.Decoder(_State)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def kind_of_data(data: bytes) -> tuple[str, bool | None]:
    """Return the kind of an unexpectedly shaped event, and whether it is relevant; None if the kind is unknown."""
    try:
        kind = _kind.decode(data).kind
    except _UNREADABLE:
        return "", None
    return kind, True if kind in RELEVANT_TYPES else False if kind in IGNORED_TYPES else None


def text_of(parts: list[Part]) -> str:
    """Return the text of a content."""
    return "\n".join(part.text for part in parts if part.text)


def working_directory(path: Path) -> str:
    """Return the workspace directory of a conversation; empty if it is not recorded."""
    try:
        return _state.decode(read_regular_file(path, MAX_RECORD_BYTES)).workspace.working_dir
    except (OSError, *_UNREADABLE):
        return ""
