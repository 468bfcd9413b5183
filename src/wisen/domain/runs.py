"""A run: one turn of the loop as the ledger remembers it. It is how we know whether learning has stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.domain.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One turn of the loop, written once when it ended."""

    id: str
    machine: str
    started: datetime
    finished: datetime
    version: str
    """The version of wisen that ran."""
    sources: int
    read_bytes: int
    new_events: int
    withheld: int
    troubles: int
    error: str | None = None
    """What stopped it, for a person; None when it went through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Which run it was: by whom, when, on which machine."""

    id: str
    machine: str
    version: str
    started: datetime
    finished: datetime


def run_of(report: Report, stamp: Stamp) -> Run:
    """The run that a report tells of."""
    return Run(
        id=stamp.id,
        machine=stamp.machine,
        started=stamp.started,
        finished=stamp.finished,
        version=stamp.version,
        sources=sum(report.found.values()),
        read_bytes=report.read_bytes,
        new_events=report.new_events,
        withheld=sum(report.counts.withheld.values()),
        troubles=sum(trouble.count for trouble in report.troubles),
    )
