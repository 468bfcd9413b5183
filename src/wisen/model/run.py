"""A run: one turn of the loop as the ledger remembers it. It is how we know whether learning has stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisen.model.error_boundaries import BoundaryKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.error_boundaries import IsolatedFailure
    from wisen.model.report import Report


PARTLY = "partly: "
"""What the error of a run begins with that went on without something."""
_MOST_TOLD = 5


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
    """What stopped it, for a person, or what failed while the rest went on; None when all of it went through."""

    @property
    def was_aborted(self) -> bool:
        """Whether it ended before its end."""
        return self.error is not None and not self.error.startswith(PARTLY)

    @property
    def has_failed_step(self) -> bool:
        """Whether a whole step failed: something is then missing in every project."""
        return self.failed_parts.startswith(f"{BoundaryKind.STEP.value} ")

    @property
    def failed_parts(self) -> str:
        """What failed while the rest went on, for a person; empty where nothing did."""
        return (self.error or "").removeprefix(PARTLY) if not self.was_aborted else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStamp:
    """Which run it was: by whom, when, on which machine."""

    id: str
    machine: str
    version: str
    started: datetime
    finished: datetime


def build_run(report: Report, stamp: RunStamp, breakdowns: Sequence[IsolatedFailure] = ()) -> Run:
    """The run that a report tells of, with what failed in it."""
    more = f" and {len(breakdowns) - _MOST_TOLD} more" if len(breakdowns) > _MOST_TOLD else ""
    first = sorted(breakdowns, key=lambda each: each.kind is not BoundaryKind.STEP)[:_MOST_TOLD]
    failed = " ".join(map(str, first)) + more
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
        error=f"{PARTLY}{failed}" if failed else None,
    )


def failed_run(id_: str, machine: str, at: datetime, version: str, error: str) -> Run:
    """A run that was stopped before it read anything."""
    return Run(
        id=id_,
        machine=machine,
        started=at,
        finished=at,
        version=version,
        sources=0,
        read_bytes=0,
        new_events=0,
        withheld=0,
        troubles=0,
        error=error,
    )
