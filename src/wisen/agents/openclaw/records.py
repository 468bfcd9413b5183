"""The shapes of OpenClaw's transcript records, as far as this reader looks at them.

Versions 1 to 3 are lines of a file, version 4 are rows of a database; the records are the same but for details, and
everything is optional. What is not named here (thinking, usage, images) is skipped without being built.
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
    arguments: msgspec.Raw = ABSENT


class MessageSource(msgspec.Struct):
    """Where a message in the user's place came from, when it did not come from a person."""

    kind: str = ""


class Abort(msgspec.Struct):
    """How a run was stopped through the gateway."""

    origin: str = ""


class Meta(msgspec.Struct, rename={"sender_is_owner": "senderIsOwner"}):
    """What OpenClaw notes about a message."""

    sender_is_owner: bool | None = None


class StoredMessage(msgspec.Struct, rename={"meta": "__openclaw"}):
    """The message of a record."""

    role: str = ""
    content: str | list[Block] | None = None
    timestamp: msgspec.Raw = ABSENT
    stopReason: str | None = None  # noqa: N815 - the name in the file
    toolCallId: str | None = None  # noqa: N815 - the name in the file
    toolName: str | None = None  # noqa: N815 - the name in the file
    isError: bool | None = None  # noqa: N815 - the name in the file
    details: msgspec.Raw = ABSENT
    provenance: msgspec.Raw = ABSENT
    openclawAbort: msgspec.Raw = ABSENT  # noqa: N815 - the name in the file
    meta: msgspec.Raw = ABSENT


class Record(msgspec.Struct):
    """One entry of a transcript."""

    type: str = ""
    id: str | None = None
    version: int | None = None
    timestamp: str | None = None
    cwd: str | None = None
    provider: str | None = None
    modelId: str | None = None  # noqa: N815 - the name in the file
    message: StoredMessage | None = None


class Details(msgspec.Struct):
    """What a tool says about its own end; every tool has its own way, so nothing is relied on."""

    exitCode: object = None  # noqa: N815 - the name in the file
    status: object = None
    timedOut: object = None  # noqa: N815 - the name in the file
    error: object = None
    openclawSyntheticMissingToolResult: object = None  # noqa: N815 - the name in the file

    @property
    def exit_code(self) -> int | None:
        """The exit code of a command that ran."""
        return self.exitCode if type(self.exitCode) is int else None

    @property
    def state(self) -> str:
        """The tool's word for how it went."""
        return self.status if isinstance(self.status, str) else ""

    @property
    def reason(self) -> str:
        """Why it did not work, in OpenClaw's words."""
        return self.error if isinstance(self.error, str) else ""


RELEVANT_TYPES = frozenset({"session", "message", "reset"})
"""Record types that can teach."""
IGNORED_TYPES = frozenset(
    {
        "model_change",
        "thinking_level_change",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "session_info",
        "leaf",
    }
)
"""Record types that were looked at and hold nothing that may teach: settings, summaries, what plugins inject."""
IGNORED_ROLES = frozenset({"custom", "hookMessage", "bashExecution", "branchSummary", "compactionSummary", "system"})
"""Who else speaks in a transcript: plugins, summaries, and commands that the user ran beside the conversation."""
CALLS = frozenset({"toolCall", "toolUse", "functionCall"})
"""The types of blocks that call a tool."""

record_decoder = msgspec.json.Decoder(Record)
_details = msgspec.json.Decoder(Details)
_handed = msgspec.json.Decoder(MessageSource)
_abort = msgspec.json.Decoder(Abort)
_meta = msgspec.json.Decoder(Meta)
_time = msgspec.json.Decoder(float | str)
_ODD = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def blocks_of(content: str | list[Block] | None) -> list[Block]:
    """The content of a message, which is a string or a list of blocks."""
    return [Block(type="text", text=content)] if isinstance(content, str) else content or []


def text_of(blocks: list[Block]) -> str:
    """The text of blocks."""
    return "\n".join(block.text for block in blocks if block.text)


def time_of(raw: msgspec.Raw) -> float | str | None:
    """When a message was made: milliseconds, or an ISO time where a plug-in wrote it."""
    try:
        return _time.decode(raw) if bytes(raw) else None
    except _ODD:
        return None


def details_of(raw: msgspec.Raw) -> Details:
    """Return what a tool says about its outcome, as far as it has the usual form."""
    try:
        return _details.decode(raw) if bytes(raw) else Details()
    except _ODD:
        return Details()


def source_kind(raw: msgspec.Raw) -> str:
    """The kind of a message's origin: `external_user`, `inter_session`, `internal_system`, or nothing."""
    try:
        return _handed.decode(raw).kind if bytes(raw) else ""
    except _ODD:
        return "?"


def is_from_owner(raw: msgspec.Raw) -> bool | None:
    """Whether the owner sent a message; None where OpenClaw did not note it."""
    try:
        return _meta.decode(raw).sender_is_owner if bytes(raw) else None
    except _ODD:
        return False  # whose it is cannot be read, so it is nobody's word


def abort_origin(raw: msgspec.Raw) -> str:
    """Who stopped a run through the gateway: `stop-command`, `rpc`, something of OpenClaw itself, or nobody."""
    try:
        return _abort.decode(raw).origin if bytes(raw) else ""
    except _ODD:
        return ""
