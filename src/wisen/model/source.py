"""Where events are read from, how far, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.event import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file (or database) in which an agent records sessions."""

    agent: str
    path: Path
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMark:
    """How far a source was read, and what it looked like then."""

    size: int
    modified_ns: int
    cursor: str
    """The reader's own note to itself; nobody else looks inside."""
    is_suspect: bool = False
    """Whether the reader should compare every byte with what it read then, instead of trusting sizes and dates."""


class ReadProblemKind(StrEnum):
    """Why a piece of a source taught nothing."""

    GARBLED = "garbled"
    """Not the JSON it should be."""
    UNFINISHED = "unfinished"
    """The last line has no end yet; it is read again next time."""
    OVERSIZED = "oversized"
    """Longer than the limit; passed over without being loaded."""
    NULS = "nuls"
    """Zero bytes, as a crash leaves them; what lies between is read."""
    UNKNOWN = "unknown"
    """A kind of record that we have not seen before."""
    MISSHAPEN = "misshapen"
    """Good JSON whose fields are not what they were when this reader was written."""
    UNREADABLE = "unreadable"
    """The system refused to give the bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadProblem:
    """Something that was passed over. It never holds text of the record."""

    kind: ReadProblemKind
    detail: str
    """The type of record or the system's word; empty when the kind says all."""
    offset: int
    """Where in the source it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A stretch of a source: what it held, and the cursor behind it."""

    events: tuple[Event, ...]
    problems: tuple[ReadProblem, ...]
    cursor: str
    read_bytes: int
    from_start: bool = False
    """Whether it begins at the very start of the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadProblemCount:
    """How often one kind of trouble stands in one source."""

    path: str
    kind: ReadProblemKind
    detail: str
    count: int
    first_offset: int
