"""Any agent that writes OpenAI-style messages: files a user points at, as JSON or JSONL.

There is no place where such files are kept, so nothing is found unless a file or folder is named, and only what no
other agent wrote is taken.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wisen.agents.generic.read import AGENT, GenericParser
from wisen.agents.generic.records import decode_document
from wisen.agents.json_document_log import read_document
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below
from wisen.agents.log_follower import Cursor, follow_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.model.source import Batch, Mark, Source

__all__ = ["Generic"]

_SUFFIXES = (".json", ".jsonl")
_NAMELESS = frozenset("chat conversation conversations history log messages session trajectory transcript".split())
"""File names that say nothing: the folder's stands before them."""


class Generic:
    """Conversations in OpenAI's style."""

    name = AGENT

    def roots(self) -> tuple[Path, ...]:
        """Nowhere: such files have no place of their own."""
        return ()

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Every conversation below `under`, in a stable order; nothing without it."""
        if under is None:
            return
        for path in files_below(under, _SUFFIXES):
            if path.suffix in _SUFFIXES and detect_agent(path) == AGENT:
                yield file_source(AGENT, path)

    def read(self, source: Source, mark: Mark | None = None) -> Iterator[Batch]:
        """The events behind the mark; a file that is one JSON value is read whole when it has changed."""

        def parser_for(cursor: Cursor) -> GenericParser:
            modified = datetime.fromtimestamp(source.modified_ns / 1e9, tz=UTC)
            return GenericParser(cursor, name=_name(source.path), modified=modified)

        if source.path.suffix == ".jsonl":
            return follow_records(source.path, mark, parser_for)
        parser = parser_for(Cursor())
        return read_document(
            source.path, mark, parser.collector, lambda data: parser.parse_document(decode_document(data))
        )


def _name(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}" if path.stem.lower() in _NAMELESS and path.parent.name else path.stem
