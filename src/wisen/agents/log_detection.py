"""Tells from the beginning of a file which agent wrote it, so that a file found anywhere is read by one agent only.

One small read, and no more is decoded than the lines in it. What cannot be told is None.
"""

from __future__ import annotations

import re
import sqlite3
import stat
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from wisen.safety.regular_files import open_regular_file, read_at_most

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_HEAD = 64 << 10
_LINES = 20
_SQLITE = b"SQLite format 3\0"
_CODEX = frozenset("session_meta turn_context response_item event_msg compacted world_state token_usage_record".split())
_CLAUDE = frozenset(
    "user assistant system summary progress attachment queue-operation file-history-snapshot pr-link last-prompt mode"
    " tools-used cost-state api-request api-request-blob api-request-shape atis-latch custom-title".split()
)
_CLAUDE_NAMES = frozenset({"sessionId", "parentUuid", "leafUuid", "messageId", "uuid"})
_SOURCES = ("agent", "user", "environment", "hook")
_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
_BEGINNINGS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("codex", re.compile(rb'\{[^{}]*"type":\s*"(?:session_meta|response_item|event_msg)",\s*"payload":')),
    ("gemini-cli", re.compile(rb'\s*\{\s*"sessionId":\s*"[^"]*",\s*"projectHash":')),
    ("claude-code", re.compile(rb'\{[^{}]*"(?:parentUuid|sessionId|leafUuid|messageId)":')),
    ("generic", re.compile(rb'\s*(?:\[\s*)?\{[^\[\]]{0,2000}?(?:"messages":\s*\[|"role":\s*"[a-z]+")')),
)
"""How a record begins whose end the read did not reach."""
_TABLES = (
    ("openclaw", {"transcript_events"}),
    ("opencode", {"session", "message", "part"}),
    ("hermes", {"sessions", "messages", "schema_version", "state_meta"}),
)
_ROLLOUT = re.compile(r"rollout-.+\.jsonl\Z")
_AIDER = re.compile(rb"\s*# aider chat started at \d{4}-\d\d-\d\d ")


def detect_agent(path: Path) -> str | None:
    """The agent whose log a file is: `claude-code`, `codex`, `gemini-cli`, and so on; None when it cannot be told."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return _kind(path, status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


@lru_cache(maxsize=1 << 14)
def _kind(path: Path, _size: int, _modified_ns: int) -> str | None:
    """Every agent asks about every file; as long as size and date stay, the answer does."""
    try:
        with open_regular_file(path) as file:
            head = read_at_most(file, _HEAD)
    except OSError:
        return None
    if head.startswith(_SQLITE):
        return _of_database(path)
    if _AIDER.match(head):
        return "aider"
    found = _of_text(head.removeprefix(b"\xef\xbb\xbf"), is_document=path.suffix == ".json")
    return found or ("codex" if _ROLLOUT.match(path.name) else None)


def _of_text(head: bytes, *, is_document: bool) -> str | None:
    if is_document:
        whole = _decoded(head)
        return _of_value(whole) if whole is not None else _of_beginning(head)
    lines = [line for line in head.split(b"\n")[:_LINES] if line.strip(b" \t\r\0")]
    for line in lines:
        value = _decoded(line.strip(b"\0"))
        kind = _of_value(value) if value is not None else None
        if kind:
            return kind
    cut = len(head) == _HEAD and len(lines) == 1
    return _of_beginning(head) if cut else None


def _decoded(line: bytes) -> object:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _of_value(value: object) -> str | None:
    if isinstance(value, list):
        return "generic" if any(isinstance(each, dict) and _is_generic(each) for each in value) else None
    if not isinstance(value, dict):
        return None
    return next((kind for kind, fits in _TESTS if fits(value)), None)


def _is_codex(value: dict[str, object]) -> bool:
    if "payload" in value:
        return str(value.get("type")) in _CODEX
    return "type" not in value and {"id", "timestamp"} <= value.keys() and bool({"instructions", "git"} & value.keys())


def _is_openclaw(value: dict[str, object]) -> bool:
    return value.get("type") == "session" and "id" in value and bool({"version", "cwd"} & value.keys())


def _is_claude(value: dict[str, object]) -> bool:
    return str(value.get("type")) in _CLAUDE and bool(_CLAUDE_NAMES & value.keys())


def _is_gemini(value: dict[str, object]) -> bool:
    return {"sessionId", "projectHash"} <= value.keys()


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or str(value.get("role")) not in _ROLES:
        return False
    return bool({"content", "tool_calls", "function_call"} & value.keys())


def _is_generic(value: dict[str, object]) -> bool:
    messages = value.get("messages")
    return _is_message(value) or (isinstance(messages, list) and (not messages or any(map(_is_message, messages))))


def _is_openhands(value: dict[str, object]) -> bool:
    return {"kind", "id", "timestamp", "source"} <= value.keys() and value["source"] in _SOURCES


_TESTS: tuple[tuple[str, Callable[[dict[str, object]], bool]], ...] = (
    ("codex", _is_codex),
    ("openclaw", _is_openclaw),
    ("gemini-cli", _is_gemini),
    ("claude-code", _is_claude),
    ("openhands", _is_openhands),
    ("generic", _is_generic),
)


def _of_beginning(head: bytes) -> str | None:
    return next((kind for kind, pattern in _BEGINNINGS if pattern.match(head)), None)


def _of_database(path: Path) -> str | None:
    """Whose a database is, by its tables; it is opened without a lock, so that its owner is never disturbed."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            question = "SELECT name FROM sqlite_master WHERE type = 'table'"
            tables = {str(name) for (name,) in database.execute(question)}
    except (sqlite3.Error, ValueError):
        return None
    return next((kind for kind, needed in _TABLES if needed <= tables), None)
