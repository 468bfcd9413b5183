"""Detects which agent wrote a log file, so that a file found anywhere is read by one agent only.

It does one small read of the beginning and decodes only the lines in it.
"""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from wisen.safety.regular_files import open_regular_file, read_at_most
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from pathlib import Path

_HEAD_BYTES = 64 << 10
_MAX_LINES = 20
_SQLITE = b"SQLite format 3\0"
_CODEX = frozenset("session_meta turn_context response_item event_msg compacted world_state token_usage_record".split())
_CLAUDE = frozenset(
    "user assistant system summary progress attachment queue-operation file-history-snapshot pr-link last-prompt mode"
    " tools-used cost-state api-request api-request-blob api-request-shape atis-latch custom-title".split()
)
_CLAUDE_NAMES = frozenset({"sessionId", "parentUuid", "leafUuid", "messageId", "uuid"})
_SOURCES = ("agent", "user", "environment", "hook")
_ROLES = frozenset({"user", "assistant", "system", "developer", "tool", "function"})
_BEGINNING_PATTERNS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("codex", lazy_regex(rb'\{[^{}]*"type":\s*"(?:session_meta|response_item|event_msg)",\s*"payload":')),
    ("gemini-cli", lazy_regex(rb'\s*\{\s*"sessionId":\s*"[^"]*",\s*"projectHash":')),
    ("claude-code", lazy_regex(rb'\{[^{}]*"(?:parentUuid|sessionId|leafUuid|messageId)":')),
    ("generic", lazy_regex(rb'\s*(?:\[\s*)?\{[^\[\]]{0,2000}?(?:"messages":\s*\[|"role":\s*"[a-z]+")')),
)
"""How a record begins that is longer than the read."""
_TABLES = (
    ("openclaw", {"transcript_events"}),
    ("opencode", {"session", "message", "part"}),
    ("hermes", {"sessions", "messages", "schema_version", "state_meta"}),
)
_ROLLOUT = lazy_regex(r"rollout-.+\.jsonl\Z")
_AIDER = lazy_regex(rb"\s*# aider chat started at \d{4}-\d\d-\d\d ")


def detect_agent(path: Path) -> str | None:
    """Return the agent that wrote a log file (`claude-code`, `codex`, `gemini-cli`, ...); None if unknown."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return _detect_cached(path, status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


@lru_cache(maxsize=1 << 14)
def _detect_cached(path: Path, _size: int, _modified_ns: int) -> str | None:
    """Detect with a cache: every agent asks about every file; the result holds while size and mtime do."""
    try:
        with open_regular_file(path) as file:
            head = read_at_most(file, _HEAD_BYTES)
    except OSError:
        return None
    if head.startswith(_SQLITE):
        return _detect_in_database(path)
    if _AIDER.match(head):
        return "aider"
    agent = _detect_in_text(head.removeprefix(b"\xef\xbb\xbf"), is_document=path.suffix == ".json")
    return agent or ("codex" if _ROLLOUT.match(path.name) else None)


def _detect_in_text(head: bytes, *, is_document: bool) -> str | None:
    if is_document:
        whole = _decode(head)
        return _detect_in_value(whole) if whole is not None else _detect_by_beginning(head)
    lines = [line for line in head.split(b"\n")[:_MAX_LINES] if line.strip(b" \t\r\0")]
    for line in lines:
        value = _decode(line.strip(b"\0"))
        agent = _detect_in_value(value) if value is not None else None
        if agent:
            return agent
    is_cut = len(head) == _HEAD_BYTES and len(lines) == 1
    return _detect_by_beginning(head) if is_cut else None


def _decode(line: bytes) -> object:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _detect_in_value(value: object) -> str | None:
    if isinstance(value, list):
        return "generic" if any(isinstance(each, dict) and _is_generic(each) for each in value) else None
    if not isinstance(value, dict):
        return None
    return next((agent for agent, matches in _DETECTORS if matches(value)), None)


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


_DETECTORS: tuple[tuple[str, Callable[[dict[str, object]], bool]], ...] = (
    ("codex", _is_codex),
    ("openclaw", _is_openclaw),
    ("gemini-cli", _is_gemini),
    ("claude-code", _is_claude),
    ("openhands", _is_openhands),
    ("generic", _is_generic),
)


def _detect_by_beginning(head: bytes) -> str | None:
    return next((agent for agent, pattern in _BEGINNING_PATTERNS if pattern.match(head)), None)


def _detect_in_database(path: Path) -> str | None:
    """Detect the agent by a database's tables; opened without a lock, so its owner is never disturbed."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            query = "SELECT name FROM sqlite_master WHERE type = 'table'"
            tables = {str(name) for (name,) in database.execute(query)}
    except (sqlite3.Error, ValueError):
        return None
    return next((agent for agent, required in _TABLES if required <= tables), None)
