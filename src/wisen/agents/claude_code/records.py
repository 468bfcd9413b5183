"""The shapes of Claude Code's transcript records, as far as this reader looks at them.

Everything is optional: a field that is missing or null is an older or newer version, not an error. What is not named
here (thinking, usage, snapshots) is skipped by the decoder without being built.
"""

from __future__ import annotations

import msgspec

ABSENT = msgspec.Raw(b"")


class Block(msgspec.Struct):
    """One block of a message's content."""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = ABSENT
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: msgspec.Raw = ABSENT


class Payload(msgspec.Struct):
    """The message of a user or assistant record."""

    content: str | list[Block] | None = None


class Sender(msgspec.Struct):
    """Where a prompt came from; newer versions say it of every prompt that was not a program's."""

    kind: str = ""


class Attachment(msgspec.Struct):
    """Something given to the agent beside a message. Only a prompt that was handed over within a turn is looked at."""

    type: str = ""
    prompt: msgspec.Raw = ABSENT
    origin: Sender | str | None = None
    commandMode: str | None = None  # noqa: N815 - the name in the file


class Record(msgspec.Struct):
    """One line of a transcript."""

    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None  # noqa: N815 - the name in the file
    timestamp: str | None = None
    sessionId: str | None = None  # noqa: N815 - the name in the file
    agentId: str | None = None  # noqa: N815 - the name in the file
    cwd: str | None = None
    isSidechain: bool | None = None  # noqa: N815 - the name in the file
    isMeta: bool | None = None  # noqa: N815 - the name in the file
    isCompactSummary: bool | None = None  # noqa: N815 - the name in the file
    planContent: msgspec.Raw = ABSENT  # noqa: N815 - the name in the file
    promptSource: str | None = None  # noqa: N815 - the name in the file
    origin: Sender | str | None = None
    toolDenialKind: str | None = None  # noqa: N815 - the name in the file
    holdsPersonsWords: bool | None = None  # noqa: N815 - the name in the file
    interruptedMessageId: str | None = None  # noqa: N815 - the name in the file
    operation: str | None = None
    mode: str | None = None
    commandMode: str | None = None  # noqa: N815 - the name in the file
    reason: str | None = None
    content: msgspec.Raw = ABSENT
    message: Payload | None = None
    attachment: Attachment | None = None


RELEVANT_TYPES = frozenset({"user", "assistant", "queue-operation"})
"""Record types that can teach."""
IGNORED_TYPES = frozenset(
    {
        "progress",
        "system",
        "summary",
        "attachment",
        "file-history-snapshot",
        "pr-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "custom-title",
        "agent-name",
        "tools-used",
        "cost-state",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
    }
)
"""Record types that were looked at and hold nothing that may teach: injected text, bookkeeping, echoes.

An attachment is one of them, but for the prompt that was handed to the agent within its turn."""

_text = msgspec.json.Decoder(str | list[Block] | None)
record_decoder = msgspec.json.Decoder(Record)


def text_of(raw: msgspec.Raw) -> str:
    """The text of a result, which is a string or a list of blocks; of anything else the JSON itself."""
    if not bytes(raw):
        return ""
    try:
        content = _text.decode(raw)
    except msgspec.ValidationError:
        return bytes(raw).decode("utf-8", "replace")
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content or () if block.text)
