"""Sources of events: log files and databases, how far they were read, and what could not be read."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from wisen.model.event import Event


class Source(Struct, frozen=True, kw_only=True):
    """A file (or database) in which an agent records sessions."""

    agent: str
    file: str
    """Its path as text: of many thousands that are looked at in a run, few are opened."""
    size: int
    modified_ns: int

    @property
    def path(self) -> Path:
        """Its path."""
        return Path(self.file)


class SourceMark(Struct, frozen=True, kw_only=True):
    """How far a source was read, and its size and date at that time."""

    size: int
    modified_ns: int
    cursor: str
    """The reader's private state; nothing else interprets it."""
    is_suspect: bool = False
    """Whether the reader should compare every byte with what it read then, instead of trusting size and date."""


class ReadProblemKind(StrEnum):
    """Why a part of a source was skipped."""

    GARBLED = "garbled"
    """Not valid JSON."""
    UNFINISHED = "unfinished"
    """The last line is incomplete; it is read again next time."""
    OVERSIZED = "oversized"
    """Longer than the limit; skipped without being loaded."""
    NULS = "nuls"
    """Zero bytes, as a crash leaves them; the data in between is read."""
    UNKNOWN = "unknown"
    """An unknown type of record."""
    MISSHAPEN = "misshapen"
    """Valid JSON with other fields than this reader expects."""
    UNREADABLE = "unreadable"
    """The system did not return the bytes."""


class ReadProblem(Struct, frozen=True, kw_only=True):
    """Something that was skipped. It never holds text of the record."""

    kind: ReadProblemKind
    detail: str
    """The type of record or the system's error; empty if the kind says it all."""
    offset: int
    """Its position in the source."""


class Batch(Struct, frozen=True, kw_only=True):
    """Part of a source: its events, and the cursor after it."""

    events: tuple[Event, ...]
    problems: tuple[ReadProblem, ...]
    cursor: str
    read_bytes: int
    from_start: bool = False
    """Whether it begins at the start of the source."""


class ReadProblemCount(Struct, frozen=True, kw_only=True):
    """How often one kind of problem occurs in one source."""

    path: str
    kind: ReadProblemKind
    detail: str
    count: int
    first_offset: int
