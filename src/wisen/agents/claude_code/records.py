"""Types of Claude Code's transcript records, with the fields that this reader uses.

Everything is optional: a missing or null field means an older or newer version, not an error. Fields not listed here
(thinking, usage, snapshots) are skipped by the decoder.
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
    """Where a prompt came from; newer versions record it for every prompt that did not come from a program."""

    kind: str = ""


class Attachment(msgspec.Struct):
    """Something given to the agent besides a message. Only a prompt that was passed on during a turn is used."""

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
"""Record types from which something can be learned."""
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
"""Known record types from which nothing can be learned: injected text, bookkeeping, echoes.

Attachments are among them, except for a prompt that was passed to the agent during its turn."""

_text = msgspec.json.Decoder(str | list[Block] | None)
record_decoder = msgspec.json.Decoder(Record)


def text_of(raw: msgspec.Raw) -> str:
    """Return the text of a result, which is a string or a list of blocks; for anything else, the JSON itself."""
    if not bytes(raw):
        return ""
    try:
        content = _text.decode(raw)
    except msgspec.ValidationError:
        return bytes(raw).decode("utf-8", "replace")
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content or () if block.text)
