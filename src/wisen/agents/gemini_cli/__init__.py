"""Gemini CLI: reads its chats, which are JSONL files in one folder per project, and until 2025 were JSON documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.gemini_cli.gemini_cli_paths import CHATS, folder_of, place_of
from wisen.agents.gemini_cli.read import AGENT, GeminiParser
from wisen.agents.json_document_log import read_document
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below
from wisen.agents.log_follower import Cursor, follow_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["GeminiCli"]

_SUFFIXES = (".json", ".jsonl")


class GeminiCli:
    """The chats of Gemini CLI on this machine. They do not record whether a prompt came from a person or a program."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        moved = environment.get("GEMINI_CLI_HOME")
        base = Path(moved).expanduser() if moved else home
        self._root = base / ".gemini" / "tmp"
        self._skills = (base / ".agents" / "skills", base / ".gemini" / "skills")

    def roots(self) -> tuple[Path, ...]:
        """Return where Gemini CLI stores its chats: a folder of projects."""
        return (self._root,)

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return where Gemini CLI loads skills from, by its manual."""
        if project is None:
            return self._skills
        return (project / ".agents" / "skills", project / ".gemini" / "skills")

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every chat below the root, or every file below `under` that is one, in a stable order."""
        if under is not None:
            for path in files_below(under, _SUFFIXES):
                if path.suffix in _SUFFIXES and detect_agent(path) == AGENT:
                    yield file_source(AGENT, path)
            return
        for chats in sorted(self._root.glob(f"*/{CHATS}")):
            for path in files_below(chats, _SUFFIXES):
                yield file_source(AGENT, path)

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark; a document is read completely when it changed."""
        path = source.path
        # A sub-agent's chat is in a folder named after the session that started it.
        is_sub_agent = folder_of(path) is not None and path.parent.name != CHATS
        parent, place = path.parent.name if is_sub_agent else "", place_of(path)

        def parser_for(cursor: Cursor) -> GeminiParser:
            return GeminiParser(cursor, name=path.stem, parent=parent, place=place)

        if path.suffix == ".jsonl":
            return follow_records(path, mark, parser_for)
        parser = parser_for(Cursor())
        return read_document(path, mark, parser.collector, parser.parse_document)
