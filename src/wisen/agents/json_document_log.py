"""Reads a log that is one JSON value: whole, whenever it has changed, because nothing in it can be gone on from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.json_recovery import replace_invalid_text
from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.model.source import Batch, TroubleKind
from wisen.safety.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wisen.agents.event_collector import EventCollector
    from wisen.model.source import Mark


def read_document(
    path: Path, mark: Mark | None, collector: EventCollector, take: Callable[[bytes], None]
) -> Iterator[Batch]:
    """The events of a document; nothing when it is still the one that the mark tells of.

    `take` puts what the bytes mean into the collector; that they do not have the right shape, it may raise.
    """
    cursor, data = mark.cursor if mark else "", b""
    try:
        if path.stat().st_size <= MAX_RECORD_BYTES:
            data = read_regular_file(path, MAX_RECORD_BYTES)
            cursor = hashlib.blake2b(data, digest_size=8).hexdigest()
            if mark is not None and mark.cursor == cursor:
                return
            _parse_document(data, take)
        else:
            collector.add_problem(TroubleKind.OVERSIZED, 0)
    except OSError as error:
        collector.add_problem(TroubleKind.UNREADABLE, 0, error.strerror or "")
    except msgspec.ValidationError:
        collector.add_problem(TroubleKind.MISSHAPEN, 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        collector.add_problem(TroubleKind.GARBLED, 0)
    events, problems = collector.drain()
    yield Batch(events=events, troubles=problems, cursor=cursor, read_bytes=len(data), afresh=True)


def _parse_document(data: bytes, take: Callable[[bytes], None]) -> None:
    try:
        take(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        take(replace_invalid_text(data))  # half an emoji, or a byte that is no text, costs itself and not the document
