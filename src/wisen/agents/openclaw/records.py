"""Types of OpenClaw's transcript records, with the fields that this reader uses.

Versions 1 to 3 are lines of a file, version 4 are rows of a database; the records are the same except for details, and
everything is optional. Fields not listed here (thinking, usage, images) are skipped by the decoder.
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
    """Where a user message came from, if it did not come from a person."""

    kind: str = ""


class Abort(msgspec.Struct):
    """How a run was stopped through the gateway."""

    origin: str = ""


class Meta(msgspec.Struct, rename={"sender_is_owner": "senderIsOwner"}):
    """OpenClaw's metadata of a message."""

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
    """What a tool reports about its outcome; every tool has its own format, so nothing is taken for granted."""

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
        """The tool's own status."""
        return self.status if isinstance(self.status, str) else ""

    @property
    def reason(self) -> str:
        """OpenClaw's reason for a failure."""
        return self.error if isinstance(self.error, str) else ""


RELEVANT_TYPES = frozenset({"session", "message", "reset"})
"""Record types from which something can be learned."""
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
"""Known record types from which nothing can be learned: settings, summaries, text injected by plug-ins."""
IGNORED_ROLES = frozenset({"custom", "hookMessage", "bashExecution", "branchSummary", "compactionSummary", "system"})
"""Other roles in a transcript: plug-ins, summaries, and commands that the user ran besides the conversation."""
CALLS = frozenset({"toolCall", "toolUse", "functionCall"})
"""The types of blocks that call a tool."""

record_decoder = msgspec.json.Decoder(Record)
_details = msgspec.json.Decoder(Details)
_source = msgspec.json.Decoder(MessageSource)
_abort = msgspec.json.Decoder(Abort)
_meta = msgspec.json.Decoder(Meta)
_time = msgspec.json.Decoder(float | str)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def blocks_of(content: str | list[Block] | None) -> list[Block]:
    """Return the blocks of a message's content, which is a string or a list."""
    return [Block(type="text", text=content)] if isinstance(content, str) else content or []


def text_of(blocks: list[Block]) -> str:
    """Return the text of blocks."""
    return "\n".join(block.text for block in blocks if block.text)


def time_of(raw: msgspec.Raw) -> float | str | None:
    """Return the time of a message: milliseconds, or an ISO time if a plug-in wrote it."""
    try:
        return _time.decode(raw) if bytes(raw) else None
    except _UNREADABLE:
        return None


def details_of(raw: msgspec.Raw) -> Details:
    """Return what a tool says about its outcome, as far as it has the usual form."""
    try:
        return _details.decode(raw) if bytes(raw) else Details()
    except _UNREADABLE:
        return Details()


def source_kind(raw: msgspec.Raw) -> str:
    """Return the kind of a message's source: `external_user`, `inter_session`, `internal_system`, or empty."""
    try:
        return _source.decode(raw).kind if bytes(raw) else ""
    except _UNREADABLE:
        return "?"


def is_from_owner(raw: msgspec.Raw) -> bool | None:
    """Whether the owner sent a message; None if OpenClaw did not record it."""
    try:
        return _meta.decode(raw).sender_is_owner if bytes(raw) else None
    except _UNREADABLE:
        return False  # the sender is unreadable, so the message counts as nobody's


def abort_origin(raw: msgspec.Raw) -> str:
    """Return who aborted a run through the gateway: `stop-command`, `rpc`, OpenClaw itself, or empty."""
    try:
        return _abort.decode(raw).origin if bytes(raw) else ""
    except _UNREADABLE:
        return ""
