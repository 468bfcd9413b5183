"""Any agent that writes OpenAI-style messages: reads JSON or JSONL files that the user names.

Such files have no standard location, so nothing is found unless a file or folder is named, and files of the other
agents are excluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.agents.generic.read import AGENT, GenericParser
from wisen.agents.generic.records import decode_document
from wisen.agents.json_document_log import read_document
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below
from wisen.agents.log_follower import Cursor, follow_records
from wisen.model.plausible_time import nearest_time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["Generic"]

_SUFFIXES = (".json", ".jsonl")
_UNINFORMATIVE_NAMES = frozenset(
    "chat conversation conversations history log messages session trajectory transcript".split()
)
"""File names that say nothing: they are prefixed with the folder's name."""


class Generic:
    """Conversations in OpenAI's message format."""

    name = AGENT

    def roots(self) -> tuple[Path, ...]:
        """Return nothing: such files have no standard location."""
        return ()

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every conversation below `under`, in a stable order; nothing without it."""
        if under is None:
            return
        for path in files_below(under, _SUFFIXES):
            if path.suffix in _SUFFIXES and detect_agent(path) == AGENT:
                yield file_source(AGENT, path)

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark; a single JSON document is read completely when it changed."""

        def parser_for(cursor: Cursor) -> GenericParser:
            modified = nearest_time(source.modified_ns / 1e9)
            return GenericParser(cursor, name=_conversation_name(source.path), modified=modified)

        if source.path.suffix == ".jsonl":
            return follow_records(source.path, mark, parser_for)
        parser = parser_for(Cursor())
        return read_document(
            source.path, mark, parser.collector, lambda data: parser.parse_document(decode_document(data))
        )


def _conversation_name(path: Path) -> str:
    return (
        f"{path.parent.name}-{path.stem}"
        if path.stem.lower() in _UNINFORMATIVE_NAMES and path.parent.name
        else path.stem
    )
