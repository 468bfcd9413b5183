"""Normalises the outcomes of tool calls from the different forms in which Codex records them.

Shells and the patch tool put a header before their output; text without one comes from the client and is a rejection,
an interruption or an error. Output of other tools counts as success, unless the client's own item says it failed.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents.codex.codex_calls import PATCH, SCRIPTS, SHELLS, STDIN
from wisen.agents.codex.records import parts_of, value_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.agents.codex.records import Item


class CodexOutcomeKind(Enum):
    """How a call can end."""

    SUCCEEDED = auto()
    FAILED = auto()
    REJECTED = auto()
    """The user rejected it."""
    STOPPED = auto()
    """The user stopped it."""
    KILLED = auto()
    """The client ended the process when the turn or the session was over."""
    CANCELLED = auto()
    """A hook stopped it before it ran."""
    RUNNING = auto()
    """It continues in the background."""


class CodexOutcome(NamedTuple):
    """How a call ended, and its output or error."""

    kind: CodexOutcomeKind
    text: str = ""
    process: str = ""
    """The process that continues or that ended."""


_HEADER = lazy_regex(
    r"(?:(?:Chunk ID|Wall time|Total output lines|Original token count|Warning)\b[^\n]*\n)*"
    r"(?:Process exited with code (?P<exit>-?\d+)|Process running with session ID (?P<process>\S+)"
    r"|Exit code: (?P<code>-?\d+)|(?P<stopped>aborted by user))[^\n]*(?:\n|\Z)"
)
_OUTPUT = lazy_regex(r"(?:[A-Z][^\n:]*: [^\n]*\n)*Output:\n?")
_REJECTED = lazy_regex(r"(?:exec command|patch|[\w.]+ failed\b.*)\W*rejected by user(?! approval settings)", re.DOTALL)
_REJECTED_MCP = ("user rejected MCP tool call", "user cancelled MCP tool call")
_STOPPED = lazy_regex(r"aborted(?: by user)?(?: after [\d.]+s)?\s*\Z")
_BLOCKED = lazy_regex(r"(?:Command|Tool call) blocked by PreToolUse hook: ")
_CLIENT_ERROR = lazy_regex(
    r"unsupported (?:custom tool )?call: |failed to parse function arguments: |tool call error: |err: "
    r"|execution error: |[\w.]+ (?:verification )?failed: |Fatal error: "
)
_SCRIPT = lazy_regex(r"Script (?:(?P<failed>failed)|\w+)\b[^\n]*\n(?:Wall time [^\n]*\n)?(?:Output:\n+)?")
_PATCHED = "Success. Updated the following files"
_DONE = frozenset({"completed", "success"})


def outcome_of_output(tool: str, output: msgspec.Raw) -> CodexOutcome:
    """Return the outcome of a call by the output sent to the model. Raises: msgspec.ValidationError."""
    text = _output_text(output)
    if _BLOCKED.match(text):
        return CodexOutcome(CodexOutcomeKind.CANCELLED)
    if tool.startswith("mcp__"):
        return _outcome_of_mcp_output(text)
    has_header = tool in SHELLS or tool in (PATCH, STDIN)
    header = _HEADER.match(text)
    if _STOPPED.match(text) or (header and header["stopped"]):
        return CodexOutcome(CodexOutcomeKind.STOPPED)
    if header and (has_header or not tool):
        rest = text[header.end() :]
        label = _OUTPUT.match(rest)
        return _outcome_of_exit(
            header["exit"] or header["code"], header["process"], rest[label.end() :] if label else rest
        )
    result = _parse_json_exit(text)
    if result is not None:
        return _outcome_of_exit(str(result[0]), None, result[1])
    return _outcome_of_client_text(tool, text) if has_header else _outcome_of_plain_text(tool, text)


def _outcome_of_client_text(tool: str, text: str) -> CodexOutcome:
    """Classify client text in place of a header: no command ran."""
    if _REJECTED.match(text):
        return CodexOutcome(CodexOutcomeKind.REJECTED)
    return (
        CodexOutcome(CodexOutcomeKind.SUCCEEDED)
        if tool == PATCH and text.startswith(_PATCHED)
        else CodexOutcome(CodexOutcomeKind.FAILED, text)
    )


def _outcome_of_plain_text(tool: str, text: str) -> CodexOutcome:
    script = _SCRIPT.match(text) if tool in SCRIPTS else None
    if script:
        return (
            CodexOutcome(CodexOutcomeKind.FAILED, text[script.end() :])
            if script["failed"]
            else CodexOutcome(CodexOutcomeKind.SUCCEEDED)
        )
    return (
        CodexOutcome(CodexOutcomeKind.FAILED, text)
        if _CLIENT_ERROR.match(text)
        else CodexOutcome(CodexOutcomeKind.SUCCEEDED, text)
    )


def outcome_of_item(kind: str, item: Item) -> CodexOutcome | None:
    """Return the outcome of a call by the client's own item; None while it runs. Raises: msgspec.ValidationError."""
    status = (item.status or "").lower()
    if status in ("in_progress", "inprogress"):
        return None
    if status == "declined":
        return CodexOutcome(CodexOutcomeKind.REJECTED)
    if kind == "McpToolCall":
        return _outcome_of_mcp_item(item, failed=status == "failed")
    printed = item.aggregated_output or "\n".join(filter(None, (item.stdout, item.stderr)))
    if kind == "CommandExecution" and item.exit_code is not None:
        return _outcome_of_exit(str(item.exit_code), None, printed)
    if kind == "DynamicToolCall":
        printed = _error_message(value_of(item.error)) or "\n".join(parts_of(item.content_items))
    failed = status not in _DONE if status else item.success is False
    if failed and _REJECTED.match(printed):
        return CodexOutcome(CodexOutcomeKind.REJECTED)
    return CodexOutcome(CodexOutcomeKind.FAILED if failed else CodexOutcomeKind.SUCCEEDED, printed)


def _outcome_of_exit(code: str | None, process: str | None, printed: str) -> CodexOutcome:
    if code is None:
        return CodexOutcome(CodexOutcomeKind.RUNNING, "", process or "")
    number = int(code)
    if number < 0:
        return CodexOutcome(CodexOutcomeKind.KILLED)
    return (
        CodexOutcome(CodexOutcomeKind.FAILED, f"Exit code {number}\n{printed}")
        if number
        else CodexOutcome(CodexOutcomeKind.SUCCEEDED, printed)
    )


def _output_text(output: msgspec.Raw) -> str:
    """Return the text of an output: a text, a list of parts, or in some versions an object around them."""
    if bytes(output)[:1] == b"{":
        wrapped = value_of(output)
        content = wrapped.get("content") if isinstance(wrapped, dict) else None
        text = content if isinstance(content, str) else ""
        failed = isinstance(wrapped, dict) and wrapped.get("success") is False
        return f"tool call error: {text}" if failed and not _HEADER.match(text) else text
    return "\n".join(parts_of(output))


def _parse_json_exit(text: str) -> tuple[int, str] | None:
    if not text.startswith('{"'):
        return None
    try:
        result = msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return None
    metadata, printed = result.get("metadata"), result.get("output")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    return (code, printed if isinstance(printed, str) else "") if isinstance(code, int) else None


def _outcome_of_mcp_output(text: str) -> CodexOutcome:
    if text.strip() in _REJECTED_MCP:
        return CodexOutcome(CodexOutcomeKind.REJECTED)
    if _STOPPED.match(text):
        return CodexOutcome(CodexOutcomeKind.STOPPED)
    failed = _CLIENT_ERROR.match(text) is not None
    if not failed and text.startswith("{") and '"isError":true' in text.replace(" ", ""):
        result = _decode_object(text)
        failed = result.get("isError") is True
    return CodexOutcome(CodexOutcomeKind.FAILED if failed else CodexOutcomeKind.SUCCEEDED, text)


def _outcome_of_mcp_item(item: Item, *, failed: bool) -> CodexOutcome:
    result, error = value_of(item.result), value_of(item.error)
    if isinstance(result, dict):
        error = result.get("Err", error)
        result = result.get("Ok", result)
    message = _error_message(error)
    if message.strip() in _REJECTED_MCP:
        return CodexOutcome(CodexOutcomeKind.REJECTED)
    wrong = isinstance(result, dict) and (result.get("isError") is True or result.get("is_error") is True)
    if not (failed or message or wrong):
        return CodexOutcome(CodexOutcomeKind.SUCCEEDED)
    content = result.get("content") if isinstance(result, dict) else None
    texts = [part.get("text") for part in content or () if isinstance(part, dict)] if isinstance(content, list) else []
    return CodexOutcome(CodexOutcomeKind.FAILED, message or "\n".join(text for text in texts if isinstance(text, str)))


def _error_message(error: object) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else ""


def _decode_object(text: str) -> dict[str, object]:
    try:
        return msgspec.json.decode(text, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return {}
