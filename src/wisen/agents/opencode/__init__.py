"""opencode: reads its sessions from databases in the user's data directory, one per release channel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.database_log import RowTable, read_rows
from wisen.agents.event_collector import EventCollector
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import files_below
from wisen.agents.opencode.read import AGENT, OpencodeConversation, OpencodeSession
from wisen.agents.sqlite_logs import cell_text, column_names, database_source
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Mapping

    from wisen.agents.session_segments import Segment
    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["OpenCode"]

_NAME = lazy_regex(r"opencode(?:-[\w.-]+)?\.db\Z")
_TABLE = RowTable(
    agent=AGENT,
    name="part",
    id_column="id",
    required_columns={
        "part": frozenset({"id", "message_id", "session_id", "data"}),
        "message": frozenset({"id", "data"}),
        "session": frozenset({"id", "directory"}),
    },
    query=(
        "SELECT part.rowid, length(part.data), CASE WHEN length(part.data) <= :longest THEN part.data END, part.id,"
        " part.message_id, message.data FROM part LEFT JOIN message ON message.id = part.message_id"
        " WHERE part.session_id = :session AND part.rowid >= :first AND part.rowid <= :last ORDER BY part.rowid"
    ),
)
_QUESTION_TOOLS = frozenset({"question", "plan_enter", "plan_exit"})
"""Tools that `opencode run` forbids in its sessions, because nobody is there to answer."""


class _Rule(msgspec.Struct):
    permission: str = ""
    pattern: str = ""
    action: str = ""


_rules = msgspec.json.Decoder(list[_Rule])


class OpenCode:
    """The sessions of opencode on this machine."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        """`program_prompts`: whether prompts from programs (`opencode run`) count as typed by the user."""
        data = environment.get("XDG_DATA_HOME")
        self._root = (Path(data).expanduser() if data else home / ".local" / "share") / "opencode"
        settings = environment.get("XDG_CONFIG_HOME")
        own = (Path(settings).expanduser() if settings else home / ".config") / "opencode" / "skills"
        self._skills = (home / ".agents" / "skills", own, home / ".claude" / "skills")
        configured = environment.get("OPENCODE_DB", "")
        self._configured = self._root / configured if configured and configured != ":memory:" else None
        self._program_prompts = program_prompts

    def roots(self) -> tuple[Path, ...]:
        """Return where opencode stores its databases."""
        return (self._root,) if self._configured is None else (self._root, self._configured)

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return where opencode loads skills from, by its manual: those of other agents too."""
        if project is None:
            return self._skills
        return tuple(project / name / "skills" for name in (".agents", ".opencode", ".claude"))

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every database at its location, or every opencode database below `under`, in a stable order."""
        if under is not None:
            for path in files_below(under, (".db", ".sqlite")):
                if detect_agent(path) == AGENT:
                    yield database_source(AGENT, path)
            return
        databases = {path for path in self._root.glob("*.db") if _NAME.match(path.name) and path.is_file()}
        if self._configured is not None and self._configured.is_file():
            databases.add(self._configured)
        for path in sorted(databases):
            yield database_source(AGENT, path)

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark."""
        return read_rows(source.path, mark, _TABLE, self._open_conversations)

    def _open_conversations(
        self, database: sqlite3.Connection
    ) -> Callable[[str, Mapping[str, Segment]], OpencodeConversation]:
        sessions = _load_sessions(database)

        def conversation(session: str, segments: Mapping[str, Segment]) -> OpencodeConversation:
            info, collector = sessions.get(session, OpencodeSession()), EventCollector(AGENT, segments)
            return OpencodeConversation(session, info, collector, program_prompts=self._program_prompts)

        return conversation


def _load_sessions(database: sqlite3.Connection) -> dict[str, OpencodeSession]:
    """Load what is known about the sessions; columns that this version does not have count as empty."""
    columns = column_names(database, "session")
    names = ("id", "directory", "parent_id", "time_created", "permission")
    cells = ", ".join(name if name in columns else "NULL" for name in names)
    sessions: dict[str, OpencodeSession] = {}
    for session, place, parent, created, rules in database.execute(f"SELECT {cells} FROM session"):  # noqa: S608 - constants of this file
        sessions[cell_text(session)] = OpencodeSession(
            place=cell_text(place or b""),
            parent=cell_text(parent or b""),
            created=created if isinstance(created, int | float) else 0,
            by_program=_forbids_questions(rules),
        )
    return sessions


def _forbids_questions(rules: bytes | None) -> bool:
    try:
        decoded = _rules.decode(rules or b"[]")
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
        return False
    return {rule.permission for rule in decoded if (rule.pattern, rule.action) == ("*", "deny")} >= _QUESTION_TOOLS
