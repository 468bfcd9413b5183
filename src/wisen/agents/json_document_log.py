"""Reads a log that is one JSON value: whole, whenever it has changed, because nothing in it can be gone on from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.json_recovery import replace_invalid_text
from wisen.agents.jsonl import LONGEST
from wisen.model.source import Batch, TroubleKind
from wisen.safety.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wisen.agents.event_collector import Notebook
    from wisen.model.source import Mark


def read_whole(path: Path, mark: Mark | None, notebook: Notebook, take: Callable[[bytes], None]) -> Iterator[Batch]:
    """The events of a document; nothing when it is still the one that the mark tells of.

    `take` puts what the bytes mean into the notebook; that they do not have the right shape, it may raise.
    """
    cursor, data = mark.cursor if mark else "", b""
    try:
        if path.stat().st_size <= LONGEST:
            data = read_regular_file(path, LONGEST)
            cursor = hashlib.blake2b(data, digest_size=8).hexdigest()
            if mark is not None and mark.cursor == cursor:
                return
            _take(data, take)
        else:
            notebook.trouble(TroubleKind.OVERSIZED, 0)
    except OSError as error:
        notebook.trouble(TroubleKind.UNREADABLE, 0, error.strerror or "")
    except msgspec.ValidationError:
        notebook.trouble(TroubleKind.MISSHAPEN, 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        notebook.trouble(TroubleKind.GARBLED, 0)
    events, troubles = notebook.take()
    yield Batch(events=events, troubles=troubles, cursor=cursor, read_bytes=len(data), afresh=True)


def _take(data: bytes, take: Callable[[bytes], None]) -> None:
    try:
        take(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        take(replace_invalid_text(data))  # half an emoji, or a byte that is no text, costs itself and not the document
