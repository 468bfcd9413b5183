"""The shapes of OpenAI-style messages, alone or as a conversation, as far as this reader looks at them."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from wisen.agents.event_collector import parse_time, plausible_time
from wisen.agents.json_recovery import replace_invalid_text

ABSENT = msgspec.Raw(b"")
_SAID = frozenset({"text", "output_text"})
_TYPED = frozenset({"", "text", "input_text"})
_MILLISECONDS = 100_000_000_000
"""A number of seconds this large would lie in the year 5138: it counts milliseconds."""


class Function(msgspec.Struct):
    """What was called."""

    name: str = ""
    arguments: msgspec.Raw = ABSENT


class ToolCall(msgspec.Struct):
    """A call the model asked for."""

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
        """The conversation that it names."""
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


def _content(raw: msgspec.Raw) -> str | list[Part] | None:
    content: str | list[Part] | None
    try:
        content = _decode_text(raw)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        content = _decode_text(replace_invalid_text(bytes(raw)))  # half an emoji, or a byte that is no text
    return content


def text_of(raw: msgspec.Raw) -> str:
    """A content, which is a text or a list of parts; anything else as the JSON it is."""
    if not bytes(raw):
        return ""
    try:
        content = _content(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return bytes(raw).decode("utf-8", "replace")
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content or () if part.text)


def typed_text_of(raw: msgspec.Raw) -> str:
    """What of a content in the user's place is text: not results of tools, not files, not what has another shape."""
    try:
        content = _decode_text(raw) if bytes(raw) else None
    except msgspec.ValidationError:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content or () if part.text and part.type in _TYPED)


def first_text_of(raw: msgspec.Raw) -> str:
    """The first text of a content; of anything else nothing."""
    try:
        content = _content(raw) if bytes(raw) else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    if isinstance(content, str):
        return content
    return next((part.text or "" for part in content or () if part.type in _SAID), "")


def time_of(turn: Turn) -> datetime | None:
    """When it was said, where it tells: ISO, or seconds or milliseconds since 1970."""
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
                at = plausible_time(datetime.fromtimestamp(stamp / 1000 if stamp > _MILLISECONDS else stamp, tz=UTC))
            except (ValueError, OverflowError, OSError):
                continue
            if at is not None:
                return at
    return None
