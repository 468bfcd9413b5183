"""aider: reads its chats, which are stored as Markdown in one file at the top of each project."""

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
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["Aider"]

_CHAT_FILE = ".aider.chat.history.md"
_HISTORY_FILE = ".aider.input.history"
_VERSION = lazy_regex(rb"^> Aider v([\w.+-]{1,40}) {2}\r?$", re.MULTILINE)


class Aider:
    """The chats of aider on this machine. They are stored inside projects, so callers must know where those are."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        """`program_prompts`: whether prompts from programs (`aider --message`) count as typed by the user."""
        configured = environment.get("AIDER_CHAT_HISTORY_FILE")
        # A relative path is resolved in whatever directory aider runs in: a name, not a location.
        self._name = configured if configured and not Path(configured).expanduser().is_absolute() else _CHAT_FILE
        self._roots = (
            (Path(configured).expanduser(),) if configured and self._name != configured else (home / self._name,)
        )
        self._history_file = environment.get("AIDER_INPUT_HISTORY_FILE") or _HISTORY_FILE
        self._program_prompts = program_prompts

    def roots(self) -> tuple[Path, ...]:
        """Return the file of chats outside of any project, or the one that the user configured for all."""
        return self._roots

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield the file at its location, or every chat file below `under`, in a stable order."""
        if under is None:
            yield from (file_source(AGENT, path) for path in self._roots if path.is_file())
            return
        for path in files_below(under, (_CHAT_FILE, self._name)):
            if detect_agent(path) == AGENT:
                yield file_source(AGENT, path)

    def project_sources(self, projects: Iterable[Path]) -> Iterator[Source]:
        """Yield the chat file of each project that has one."""
        for path in dict.fromkeys(project / self._name for project in projects):
            if path not in self._roots and path.is_file():
                yield file_source(AGENT, path)

    def files_of(self, source: Source) -> tuple[Path, ...]:
        """Return the chat file, and the input history if it exists below the same directory."""
        place = source.path.absolute().parent
        history = place / Path(self._history_file).expanduser()
        is_in_project = history.is_relative_to(place) and os.path.lexists(history)
        return (source.path.absolute(), *((history,) if is_in_project else ()))

    def version(self, source: Source) -> str | None:
        """Return the version of aider that began the newest chat."""
        version = next((every[-1] for part in read_ends(source.path) if (every := _VERSION.findall(part))), None)
        return version.decode("ascii") if version else None

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark."""
        place = source.path.absolute().parent
        history = InputHistory(place / Path(self._history_file).expanduser())

        def handlers_for(cursor: Cursor) -> LineHandlers:
            parser = AiderParser(cursor, place=str(place), history=history, program_prompts=self._program_prompts)
            return LineHandlers(parser, parser.parse_lines, parser.handle_unfinished, parser.flush)

        return follow_lines(source.path, mark, handlers_for)
