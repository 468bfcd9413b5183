"""Reads from the Hermes database who wrote the user messages of a session, and which of its rows are copies."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents.local_models import is_local_model
from wisen.agents.sqlite_logs import cell_text, column_names

if TYPE_CHECKING:
    import sqlite3

_MACHINE_SOURCES = frozenset(
    "batch cron email homeassistant kanban msgraph_webhook subagent system tool webhook wecom_callback".split()
)
"""Sources where no person types, or anybody may: schedules, other programs, mail."""
_PROGRAM_SOURCES = frozenset({"api_server", "api"})
_PRIVATE_CHATS = frozenset({"", "dm", "private", "direct"})
_CONTINUATION_REASONS = frozenset({"compression", "branched"})
_MAX_DEPTH = 20
"""How many sessions a conversation may span; more means a cycle."""


class HermesSession(NamedTuple):
    """What the database records about a session."""

    source: str = "cli"
    place: str = ""
    parent: str = ""
    end: str = ""
    """Why it ended: `compression` and `branched` mean that it continues under another id."""
    delegated: bool = False
    branched: bool = False
    chat: str = ""
    local: bool = False
    """Whether a model on the user's machine is known to answer in it."""


class ExcludedRows(NamedTuple):
    """Rows of a session that are not part of its conversation."""

    observed: frozenset[int]
    """What others wrote in a room, not to Hermes."""
    copies: dict[bytes, int]
    """First rows of messages that Hermes may write again when it compresses or branches a conversation, by digest."""


class _Config(msgspec.Struct, rename={"delegate_from": "_delegate_from", "branched_from": "_branched_from"}):
    delegate_from: object = None
    branched_from: object = None


_config = msgspec.json.Decoder(_Config)


class SessionTable:
    """The sessions of one database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._sessions = dict(_load_sessions(database))
        self._columns = column_names(database, "messages")

    def session(self, session: str) -> HermesSession:
        """Return what is known about a session."""
        return self._sessions.get(session, HermesSession())

    def place(self, session: str) -> str:
        """Return the directory of a session; a sub-agent has none and gets that of the session that started it."""
        seen = {session}
        while not (info := self.session(session)).place and info.parent and len(seen) < _MAX_DEPTH:
            session = info.parent
            if session in seen:
                break
            seen.add(session)
        return self.session(session).place

    def is_continuation(self, session: str) -> bool:
        """Whether a session continues its parent's conversation under another id."""
        info = self.session(session)
        return info.branched or self.session(info.parent).end in _CONTINUATION_REASONS

    def is_sub_agent(self, session: str) -> bool:
        """Whether another agent writes the user messages."""
        info = self.session(session)
        return info.delegated or info.source == "subagent" or bool(info.parent and not self.is_continuation(session))

    def is_typed_by_user(self, session: str, *, program_prompts: bool) -> bool:
        """Whether the user typed the user messages of a session; in a room anybody may have written."""
        info = self.session(session)
        if info.source in _MACHINE_SOURCES or session.startswith("cron_") or self.is_sub_agent(session):
            return False
        return info.chat in _PRIVATE_CHATS and (program_prompts or info.source not in _PROGRAM_SOURCES)

    def excluded_rows(self, session: str) -> ExcludedRows:
        """Return the rows of a session that are not part of its conversation."""
        observed: set[int] = set()
        if "observed" in self._columns:
            query = "SELECT id FROM messages WHERE session_id = ? AND observed = 1"
            observed = {row for (row,) in self._database.execute(query, (session,))}
        return ExcludedRows(frozenset(observed), self._find_copies(session))

    def _find_copies(self, session: str) -> dict[bytes, int]:
        copies: dict[bytes, int] = {}
        flags = [name for name in ("compacted = 1", "active = 0") if name.split()[0] in self._columns]
        if flags:
            self._add_digests(copies, session, f" AND ({' OR '.join(flags)})")
        seen = {session}
        while self.is_continuation(session) and len(seen) < _MAX_DEPTH:
            session = self.session(session).parent
            if not session or session in seen:
                break
            seen.add(session)
            self._add_digests(copies, session, "")
        return copies

    def _add_digests(self, copies: dict[bytes, int], session: str, condition: str) -> None:
        cells = "role, content, tool_calls"
        query = f"SELECT id, {cells} FROM messages WHERE session_id = ? AND role <> 'tool'{condition}"  # noqa: S608 - constants of this file
        for row, *message in self._database.execute(query, (session,)):
            key = row_digest(*message)
            copies[key] = min(row, copies.get(key, row))


def row_digest(role: object, content: object, calls: object) -> bytes:
    """Return a digest that identifies copies: same role, text and calls, ignoring surrounding whitespace."""
    parts = (each if isinstance(each, bytes) else str(each or "").encode() for each in (role, content, calls))
    return hashlib.blake2b(b"\0".join(part.strip() for part in parts), digest_size=16).digest()


def _is_local(model: bytes | None, provider: bytes | None, address: bytes | None) -> bool:
    return is_local_model(cell_text(provider or b""), cell_text(model or b""), cell_text(address or b""))


def _load_sessions(database: sqlite3.Connection) -> list[tuple[str, HermesSession]]:
    columns = column_names(database, "sessions")
    session_columns = "id source cwd parent_session_id end_reason model_config chat_type"
    names = f"{session_columns} model billing_provider billing_base_url".split()
    cells = ", ".join(name if name in columns else "NULL" for name in names)
    sessions = []
    rows = database.execute(f"SELECT {cells} FROM sessions")  # noqa: S608 - constants of this file
    for session, source, cwd, parent, end, config, chat, *model_cells in rows:
        try:
            settings = _config.decode(config or b"{}")
        except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
            settings = _Config()
        info = HermesSession(
            source=cell_text(source or b"cli").lower(),
            place=cell_text(cwd or b""),
            parent=cell_text(parent or b""),
            end=cell_text(end or b""),
            delegated=settings.delegate_from is not None,
            branched=settings.branched_from is not None,
            chat=cell_text(chat or b"").lower(),
            local=_is_local(*model_cells),
        )
        sessions.append((cell_text(session), info))
    return sessions
