"""The step of a turn that reads what is new in agents' logs, source by source, and keeps it in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import StoreError
from wisen.logs import watch
from wisen.logs.gather import Task, collector_paused, gather
from wisen.logs.owned import note_places, still_owned
from wisen.model.fences import FenceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.model.report import Selection
    from wisen.model.source import Source
    from wisen.parts import Parts
    from wisen.store.index_port import Stretch

    Progress = Callable[[int, int], None]

AT_ONCE = 32 << 20  # bytes of logs that go into one transaction: enough to be fast, few enough to lose little


def observe(parts: Parts, selection: Selection, progress: Progress) -> tuple[dict[str, int], int, int]:
    """Read what is new. Returns the sources found by agent, the bytes read and the events that were new."""
    found, tasks = dict[str, int](), list[Task]()
    parts.scope.silence(parts.silence.holds)
    for agent in parts.agents:
        sources: list[Source] = []
        known = parts.index.marks(agent.name)
        with parts.fences.around(FenceKind.AGENT, agent.name):
            sources = list(parts.sources(agent, selection.under))
        marks = watch.doubted(known) if parts.recheck else known
        found[agent.name] = len(sources)
        changed = still_owned(parts.projects, agent, watch.changed(sources, marks, selection))
        tasks += [Task(agent=agent, source=each, marks=marks) for each in changed]
    total, read_bytes, new_events, pending_bytes = sum(task.source.size for task in tasks), 0, 0, 0
    pending: list[Stretch] = []
    with collector_paused(), parts.crew(parts.jobs, total) as (executor, jobs):
        for stretch, size in gather(tasks, parts.scope, parts.door, executor, jobs):
            if stretch is not None:
                pending.append(stretch)
                pending_bytes += size
            read_bytes += size
            if pending_bytes >= AT_ONCE:
                new_events += keep(parts, pending)
                pending, pending_bytes = [], 0
                progress(read_bytes, total)
        new_events += keep(parts, pending)
    progress(total, total)
    return found, read_bytes, new_events


def keep(parts: Parts, stretches: Sequence[Stretch]) -> int:
    """Contexts go into the ledger at first sight, before the index holds anything; what was forgotten stays so."""
    note_places(parts.projects)
    passed = parts.ward.passed(stretches)
    try:
        return parts.index.keep(passed) if stretches else 0
    except StoreError:
        raise
    except Exception:  # noqa: BLE001 - one of them cannot be stored: each by itself, so that the others are
        return sum(_keep_alone(parts, each) for each in passed)


def _keep_alone(parts: Parts, stretch: Stretch) -> int:
    with parts.fences.around(FenceKind.SOURCE, str(stretch.source.path)):
        return parts.index.keep([stretch])
    return 0
