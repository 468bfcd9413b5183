"""Types of OpenAI-style messages and conversations, with the fields that this reader uses."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from wisen.agents.event_collector import parse_time
from wisen.agents.json_recovery import replace_invalid_text
from wisen.model.plausible_time import plausible_time

ABSENT = msgspec.Raw(b"")
_ASSISTANT_TYPES = frozenset({"text", "output_text"})
_USER_TYPES = frozenset({"", "text", "input_text"})
_MAX_SECONDS = 100_000_000_000
"""A number of seconds this large would be in the year 5138, so larger numbers are milliseconds."""


class Function(msgspec.Struct):
    """What was called."""

    name: str = ""
    arguments: msgspec.Raw = ABSENT


class ToolCall(msgspec.Struct):
    """A call that the model requested."""

    id: str | None = None
    function: Function | None = None


class Turn(msgspec.Struct):
    """One message."""

    role: str | None = None
    content: msgspec.Raw = ABSENT
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    function_call: Function | None = None
    is_error: bool | None = None
    id: str | None = None
    timestamp: msgspec.Raw = ABSENT
    created_at: msgspec.Raw = ABSENT
    cwd: str | None = None
    conversation_id: str | None = None
    session_id: str | None = None
    thread_id: str | None = None

    @property
    def conversation(self) -> str | None:
        """The id of the conversation that it names."""
        return self.conversation_id or self.session_id or self.thread_id


class Line(Turn):
    """One line: a message, or a whole conversation."""

    messages: list[msgspec.Raw] | None = None


class Part(msgspec.Struct):
    """One part of a content."""

    type: str = ""
    text: str | None = None


line_decoder = msgspec.json.Decoder(Line)
decode_turn = msgspec.json.Decoder(Turn).decode
decode_document = msgspec.json.Decoder(list[msgspec.Raw] | Line).decode
decode_line = line_decoder.decode
_decode_text = msgspec.json.Decoder(str | list[Part] | None).decode
_decode_stamp = msgspec.json.Decoder(str | float | None).decode


def _decode_content(raw: msgspec.Raw) -> str | list[Part] | None:
    content: str | list[Part] | None
    try:
        content = _decode_text(raw)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        content = _decode_text(replace_invalid_text(bytes(raw)))  # a lone surrogate or an invalid byte
    return content


def text_of(raw: msgspec.Raw) -> str:
    """Return the text of a content, which is a text or a list of parts; for anything else, the JSON itself."""
    if not bytes(raw):
        return ""
    try:
        content = _decode_content(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return bytes(raw).decode("utf-8", "replace")
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content or () if part.text)


def typed_text_of(raw: msgspec.Raw) -> str:
    """Return the typed text of a user content: no tool results, no files, nothing of another shape."""
    try:
        content = _decode_text(raw) if bytes(raw) else None
    except msgspec.ValidationError:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content or () if part.text and part.type in _USER_TYPES)


def first_text_of(raw: msgspec.Raw) -> str:
    """Return the first text of a content; empty for anything else."""
    try:
        content = _decode_content(raw) if bytes(raw) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    if isinstance(content, str):
        return content
    return next((part.text or "" for part in content or () if part.type in _ASSISTANT_TYPES), "")


def time_of(turn: Turn) -> datetime | None:
    """Return the time of a message, if it has one: ISO, or seconds or milliseconds since 1970."""
    for raw in (turn.timestamp, turn.created_at):
        try:
            stamp = _decode_stamp(raw) if bytes(raw) else None
        except msgspec.DecodeError:
            continue
        if isinstance(stamp, str):
            at = parse_time(stamp)
            if at is not None:
                return at
        elif stamp is not None:
            try:
                at = plausible_time(datetime.fromtimestamp(stamp / 1000 if stamp > _MAX_SECONDS else stamp, tz=UTC))
            except (ValueError, OverflowError, OSError):
                continue
            if at is not None:
                return at
    return None
