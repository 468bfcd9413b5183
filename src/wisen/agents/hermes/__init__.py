"""Hermes Agent: reads its sessions from the database in its home and in that of each profile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.database_log import RowTable, read_rows
from wisen.agents.event_collector import EventCollector
from wisen.agents.hermes.hermes_session_table import SessionTable
from wisen.agents.hermes.read import AGENT, HermesConversation
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import files_below
from wisen.agents.sqlite_logs import database_source

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping

    from wisen.agents.session_segments import Segment
    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["Hermes"]

_DATABASE = "state.db"
_TABLE = RowTable(
    agent=AGENT,
    name="messages",
    id_column="timestamp",
    required_columns={
        "messages": frozenset({"id", "session_id", "role", "content", "tool_calls", "tool_call_id", "timestamp"}),
        "sessions": frozenset({"id", "source"}),
    },
    query=(
        "SELECT id, length(content), role, CASE WHEN length(content) <= :longest THEN content END, tool_calls,"
        " tool_call_id, timestamp FROM messages"
        " WHERE session_id = :session AND id >= :first AND id <= :last ORDER BY id"
    ),
)


class Hermes:
    """The sessions of Hermes on this machine."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        """`program_prompts`: whether prompts from programs through Hermes' API count as typed by the user."""
        moved = environment.get("HERMES_HOME")
        self._root = Path(moved).expanduser() if moved else home / ".hermes"
        self._program_prompts = program_prompts

    def roots(self) -> tuple[Path, ...]:
        """Return where Hermes stores its databases."""
        return (self._root,)

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return where Hermes loads skills from, by category: it has none for single projects."""
        skills = self._root / "skills"
        return (skills / "workflows", skills) if project is None else ()

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every database at its location, or every Hermes database below `under`, in a stable order."""
        if under is not None:
            for path in files_below(under, (".db", ".sqlite")):
                if detect_agent(path) == AGENT:
                    yield database_source(AGENT, path)
            return
        for path in (self._root / _DATABASE, *sorted(self._root.glob(f"profiles/*/{_DATABASE}"))):
            if path.is_file():
                yield database_source(AGENT, path)

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark."""
        return read_rows(source.path, mark, _TABLE, self._open_conversations)

    def _open_conversations(
        self, database: sqlite3.Connection
    ) -> Callable[[str, Mapping[str, Segment]], HermesConversation]:
        sessions = SessionTable(database)

        def conversation(session: str, segments: Mapping[str, Segment]) -> HermesConversation:
            info, sub_agent = sessions.session(session), sessions.is_sub_agent(session)
            native = f"{info.parent or 'delegated'}/{session}" if sub_agent else session
            typed = sessions.is_typed_by_user(session, program_prompts=self._program_prompts)
            excluded_rows = sessions.excluded_rows(session)
            collector, place = EventCollector(AGENT, segments), sessions.place(session)
            return HermesConversation(collector, native, place, excluded_rows, typed=typed, local=info.local)

        return conversation
