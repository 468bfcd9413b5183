"""Run rows: one run as the ledger records it, which shows whether learning has stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.error_boundaries import BoundaryKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.error_boundaries import IsolatedFailure
    from wisen.model.report import Report


PARTLY = "partly: "
"""The prefix of the error of a run that continued after a failure."""
_MAX_REPORTED = 5


class Run(Struct, frozen=True, kw_only=True):
    """One run, recorded when it ended."""

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
    """What stopped it, for a person, or what failed while the rest continued; None if everything succeeded."""

    @property
    def was_aborted(self) -> bool:
        """Return whether it was aborted."""
        return self.error is not None and not self.error.startswith(PARTLY)

    @property
    def has_failed_step(self) -> bool:
        """Return whether a whole step failed: something is then missing in every project."""
        return self.failed_parts.startswith(f"{BoundaryKind.STEP.value} ")

    @property
    def failed_parts(self) -> str:
        """Return what failed while the rest continued, for a person; empty if nothing did."""
        return (self.error or "").removeprefix(PARTLY) if not self.was_aborted else ""


class RunStamp(Struct, frozen=True, kw_only=True):
    """The identity of a run: id, machine, version and time."""

    id: str
    machine: str
    version: str
    started: datetime
    finished: datetime


def build_run(report: Report, stamp: RunStamp, breakdowns: Sequence[IsolatedFailure] = ()) -> Run:
    """Build the run row for a report, with the failures in it."""
    more = f" and {len(breakdowns) - _MAX_REPORTED} more" if len(breakdowns) > _MAX_REPORTED else ""
    first = sorted(breakdowns, key=lambda each: each.kind is not BoundaryKind.STEP)[:_MAX_REPORTED]
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
        troubles=sum(problem.count for problem in report.troubles),
        error=f"{PARTLY}{failed}" if failed else None,
    )


def failed_run(id_: str, machine: str, at: datetime, version: str, error: str) -> Run:
    """Return a run that was aborted before it read anything."""
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
