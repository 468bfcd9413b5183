"""Read this first: one turn of the loop.

    observe   new lines of the agents' logs become events; only what may be kept comes through the door
    mine      failed calls are put together by what was wrong
    report    what was found, as one value
    remember  the run goes into the ledger, and the ledger into a verified backup

The later stages (detect, record, promote, apply, deliver, verify, crystallize) take their places before the report.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisen.domain.contexts import Alias
from wisen.domain.report import Report, Selection
from wisen.domain.runs import Run
from wisen.loop.mine.kinds import failure_kinds
from wisen.loop.observe import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wisen.loop.observe.door import DoorPolicy
    from wisen.loop.observe.scope import Scope
    from wisen.ports import Agent, Backups, Clock, Ids, Index, Ledger, Stretch

AT_ONCE = 32 << 20
"""Bytes of logs that go into one transaction: large enough to be fast, small enough to lose little."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a turn of the loop works with; `wiring.py` chooses it."""

    agents: Sequence[Agent]
    index: Index
    ledger: Ledger
    backups: Backups | None
    scope: Scope
    clock: Clock
    ids: Ids
    machine: str
    version: str
    door: DoorPolicy
    warnings: tuple[str, ...] = ()


def turn(parts: Parts, selection: Selection, progress: Callable[[int, int], None]) -> Report:
    """One turn of the loop over the selected sources."""
    began, clock_began = parts.clock.now(), parts.clock.elapsed()
    found, read_bytes, new_events = observe(parts, selection, progress)
    counts = parts.index.counts(selection)
    report = Report(
        selection=selection,
        found=found,
        looked_in=tuple(str(root) for agent in parts.agents for root in agent.roots()),
        read_bytes=read_bytes,
        new_events=new_events,
        seconds=parts.clock.elapsed() - clock_began,
        counts=counts,
        failures=failure_kinds(parts.index.failures(selection)),
        troubles=parts.index.troubles(selection),
        warnings=parts.warnings,
    )
    run = Run(
        id=parts.ids.new(),
        machine=parts.machine,
        started=began,
        finished=parts.clock.now(),
        version=parts.version,
        sources=sum(found.values()),
        read_bytes=read_bytes,
        new_events=new_events,
        withheld=sum(counts.withheld.values()),
        troubles=sum(trouble.count for trouble in report.troubles),
    )
    remember(parts, run)
    return report


def observe(
    parts: Parts, selection: Selection, progress: Callable[[int, int], None]
) -> tuple[dict[str, int], int, int]:
    """Read what is new. Returns the sources found by agent, the bytes read and the events that were new."""
    found: dict[str, int] = {}
    work = []
    for agent in parts.agents:
        sources, marks = list(agent.sources(selection.under)), parts.index.marks(agent.name)
        found[agent.name] = len(sources)
        work += [(agent, source, marks) for source in watch.changed(sources, marks, selection)]
    total, read_bytes, new_events = sum(source.size for _, source, _ in work), 0, 0
    pending: list[Stretch] = []
    pending_bytes = 0
    with collector_paused():
        for agent, source, marks in work:
            for stretch, size in watch.stretches(agent, source, marks, parts.scope, parts.door):
                pending.append(stretch)
                pending_bytes, read_bytes = pending_bytes + size, read_bytes + size
                if pending_bytes >= AT_ONCE:
                    new_events += keep(parts, pending)
                    pending, pending_bytes = [], 0
                    progress(read_bytes, total)
        new_events += keep(parts, pending)
    progress(total, total)
    return found, read_bytes, new_events


@contextmanager
def collector_paused() -> Iterator[None]:
    """Events hold no cycles: walking them again and again for garbage costs a tenth of the reading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def keep(parts: Parts, stretches: Sequence[Stretch]) -> int:
    """Contexts go into the ledger at first sight, before the index holds anything of theirs."""
    for context, path in parts.scope.new_sightings():
        alias = Alias(context=context.key, machine=parts.machine, path=path, since=parts.clock.now())
        parts.ledger.sight(context, alias)
    return parts.index.keep(stretches) if stretches else 0


def remember(parts: Parts, run: Run) -> None:
    """What must outlive the logs: the run, and a verified backup of the ledger."""
    parts.ledger.record(run)
    if parts.backups is not None:
        parts.backups.make()
