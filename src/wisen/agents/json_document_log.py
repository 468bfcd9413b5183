"""Reads a log that is a single JSON document: completely, whenever it changed, as it cannot be resumed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.json_recovery import replace_invalid_text
from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.model.source import Batch, ReadProblemKind
from wisen.safety.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wisen.agents.event_collector import EventCollector
    from wisen.model.source import SourceMark


def read_document(
    path: Path, mark: SourceMark | None, collector: EventCollector, parse: Callable[[bytes], None]
) -> Iterator[Batch]:
    """Yield the events of a document; nothing if it is unchanged since the mark.

    `parse` adds the events of the bytes to the collector; it may raise if they do not have the right shape.
    """
    cursor, data = mark.cursor if mark else "", b""
    try:
        if path.stat().st_size <= MAX_RECORD_BYTES:
            data = read_regular_file(path, MAX_RECORD_BYTES)
            cursor = hashlib.blake2b(data, digest_size=8).hexdigest()
            if mark is not None and mark.cursor == cursor:
                return
            _parse_document(data, parse)
        else:
            collector.add_problem(ReadProblemKind.OVERSIZED, 0)
    except OSError as error:
        collector.add_problem(ReadProblemKind.UNREADABLE, 0, error.strerror or "")
    except msgspec.ValidationError:
        collector.add_problem(ReadProblemKind.MISSHAPEN, 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        collector.add_problem(ReadProblemKind.GARBLED, 0)
    events, problems = collector.drain()
    yield Batch(events=events, problems=problems, cursor=cursor, read_bytes=len(data), from_start=True)


def _parse_document(data: bytes, parse: Callable[[bytes], None]) -> None:
    try:
        parse(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        parse(replace_invalid_text(data))  # a lone surrogate or an invalid byte must not cost the document
