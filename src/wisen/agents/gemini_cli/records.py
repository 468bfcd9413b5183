"""Types of Gemini CLI's chat records, with the fields that this reader uses.

A chat consists of a header, messages, patches of the header (`$set`) and rewinds. A message is written again whenever
something is added to it, so one id occurs on several lines. Until 2025 a chat was one JSON document.
"""

from __future__ import annotations

import msgspec

ABSENT = msgspec.Raw(b"")
_UNEXPECTED = (msgspec.ValidationError, UnicodeDecodeError)


class ToolCall(msgspec.Struct):
    """A tool call, with its result once it has ended."""

    id: str | None = None
    name: str | None = None
    args: msgspec.Raw = ABSENT
    status: str | None = None
    timestamp: str | None = None
    result: msgspec.Raw = ABSENT
    resultDisplay: msgspec.Raw = ABSENT  # noqa: N815 - the name in the file


class Header(msgspec.Struct):
    """The header of a chat, or a patch of it."""

    sessionId: str | None = None  # noqa: N815 - the name in the file
    kind: str | None = None


class Record(Header, rename={"patch": "$set", "rewind": "$rewindTo"}):
    """One line: a header, a message, a patch or a rewind."""

    projectHash: str | None = None  # noqa: N815 - the name in the file
    id: str | None = None
    timestamp: str | None = None
    type: str = ""
    content: msgspec.Raw = ABSENT
    displayContent: msgspec.Raw = ABSENT  # noqa: N815 - the name in the file
    toolCalls: list[ToolCall] | None = None  # noqa: N815 - the name in the file
    patch: Header | None = None
    rewind: str | None = None


class Document(Header):
    """A whole chat, as it was stored until 2025."""

    messages: list[msgspec.Raw] = []


class Response(msgspec.Struct):
    """What a tool returned to the model."""

    output: object = None
    error: object = None


class FunctionResponse(msgspec.Struct):
    """A tool's response in a part."""

    response: Response | None = None


class Part(msgspec.Struct):
    """One part of a content."""

    text: str | None = None
    thought: object = None
    functionResponse: FunctionResponse | None = None  # noqa: N815 - the name in the file


RELEVANT_TYPES = frozenset({"user", "gemini"})
"""Message types from which something can be learned."""
IGNORED_TYPES = frozenset({"info", "warning", "error"})
"""What Gemini CLI shows to the user besides the conversation."""

record_decoder = msgspec.json.Decoder(Record)
decode_document = msgspec.json.Decoder(Document).decode
_parts = msgspec.json.Decoder(str | Part | list[str | Part] | None)
_text = msgspec.json.Decoder(str)


def parts_of(raw: msgspec.Raw) -> list[Part]:
    """Return the parts of a content: a text, a part, or a list of both. Raises: msgspec.ValidationError."""
    content = _parts.decode(raw) if bytes(raw) else None
    each = content if isinstance(content, list) else [content]
    return [Part(text=part) if isinstance(part, str) else part for part in each if part is not None]


def display_text(raw: msgspec.Raw) -> str:
    """Return what was displayed of a result, if that is text."""
    try:
        return _text.decode(raw) if bytes(raw) else ""
    except _UNEXPECTED:
        return ""
