"""Codex: reads its sessions, which are JSONL files (rollouts) below its configuration directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.codex.read import AGENT, CodexParser
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below, find_json_value
from wisen.agents.log_follower import follow_records
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.agents.log_follower import Cursor
    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["Codex"]

_ID = lazy_regex(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


class Codex:
    """The rollouts of Codex on this machine."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        """`program_prompts`: whether prompts from programs (`codex exec`) count as typed by the user."""
        configured = environment.get("CODEX_HOME")
        base = Path(configured).expanduser() if configured else home / ".codex"
        self._skills = (home / ".agents" / "skills", base / "skills")
        self._roots = (base / "sessions", base / "archived_sessions")
        self._program_prompts = program_prompts

    def roots(self) -> tuple[Path, ...]:
        """Return where Codex stores its sessions, and its archived ones."""
        return self._roots

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return where Codex loads skills from (0.166.0 lists those of a project; the user's follow its manual)."""
        if project is None:
            return self._skills
        return (project / ".agents" / "skills", project / ".codex" / "skills")

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every rollout below the roots, or every file below `under` that is one, in a stable order."""
        for base in self._roots if under is None else (under,):
            for path in files_below(base, ".jsonl"):
                if under is None or detect_agent(path) == AGENT:
                    yield file_source(AGENT, path)

    def version(self, source: Source) -> str | None:
        """Return the version of Codex that began the session."""
        return find_json_value(source.path, b'"cli_version":"')

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark."""
        stem = source.path.name.removesuffix(".jsonl")
        match = _ID.search(stem)
        name = match[0] if match else stem

        def parser_for(cursor: Cursor) -> CodexParser:
            return CodexParser(cursor, name=name, program_prompts=self._program_prompts)

        return follow_records(source.path, mark, parser_for)
