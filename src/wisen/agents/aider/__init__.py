"""aider: chats as Markdown, all those of a project in one file that lies at the top of the project."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.aider.input_history import InputHistory
from wisen.agents.aider.read import AGENT, AiderParser
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below, read_ends
from wisen.agents.log_follower import Cursor, LineHandlers, follow_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["Aider"]

_CHAT_FILE = ".aider.chat.history.md"
_HISTORY_FILE = ".aider.input.history"
_VERSION = re.compile(rb"^> Aider v([\w.+-]{1,40}) {2}\r?$", re.MULTILINE)


class Aider:
    """The chats of aider on this machine. It keeps them in projects, so that whoever asks must know where those are."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        """`program_prompts`: whether what a program asked (`aider --message`) counts as typed by the user."""
        chosen = environment.get("AIDER_CHAT_HISTORY_FILE")
        # A relative one lies in whatever directory aider runs in: a name, not a place.
        self._name = chosen if chosen and not Path(chosen).expanduser().is_absolute() else _CHAT_FILE
        self._roots = (Path(chosen).expanduser(),) if chosen and self._name != chosen else (home / self._name,)
        self._history_file = environment.get("AIDER_INPUT_HISTORY_FILE") or _HISTORY_FILE
        self._program_prompts = program_prompts

    def roots(self) -> tuple[Path, ...]:
        """The file of chats that were held outside of any project, or the one that the user chose for all."""
        return self._roots

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """The file in its place, or every one below `under`, in a stable order."""
        if under is None:
            yield from (file_source(AGENT, path) for path in self._roots if path.is_file())
            return
        for path in files_below(under, (_CHAT_FILE, self._name)):
            if detect_agent(path) == AGENT:
                yield file_source(AGENT, path)

    def project_sources(self, projects: Iterable[Path]) -> Iterator[Source]:
        """The file of each project that has one."""
        for path in dict.fromkeys(project / self._name for project in projects):
            if path not in self._roots and path.is_file():
                yield file_source(AGENT, path)

    def files_of(self, source: Source) -> tuple[Path, ...]:
        """The chats, and what was typed, where that lies beside them and is there."""
        place = source.path.absolute().parent
        typed = place / Path(self._history_file).expanduser()
        beside = typed.is_relative_to(place) and os.path.lexists(typed)
        return (source.path.absolute(), *((typed,) if beside else ()))

    def version(self, source: Source) -> str | None:
        """The version of aider that began the newest chat."""
        found = next((every[-1] for part in read_ends(source.path) if (every := _VERSION.findall(part))), None)
        return found.decode("ascii") if found else None

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """The events behind the mark."""
        place = source.path.absolute().parent
        history = InputHistory(place / Path(self._history_file).expanduser())

        def handlers_for(cursor: Cursor) -> LineHandlers:
            parser = AiderParser(cursor, place=str(place), history=history, program_prompts=self._program_prompts)
            return LineHandlers(parser, parser.parse_lines, parser.handle_unfinished, parser.flush)

        return follow_lines(source.path, mark, handlers_for)
