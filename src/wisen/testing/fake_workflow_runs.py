"""The runs of sessions, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.testing.fake_findings import whole_milliseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from wisen.model.workflow import WorkflowRun
    from wisen.testing.fake_index_rows import IndexRows


class MemoryWorkflowRuns:
    """Runs in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def of_context(self, context: str, sessions: Collection[int] | None = None) -> tuple[WorkflowRun, ...]:
        """Return the runs of a context, in all sessions or in some of them, the oldest first."""
        numbers = {id_: number for number, (_, id_) in enumerate(self._rows.kept)}
        known = (run for run in self._known() if sessions is None or run.session in sessions)
        found = [run for run in known if run.context == context]
        return tuple(sorted(found, key=lambda run: (whole_milliseconds(run.at), numbers[run.request])))

    def of_requests(self, context: str, requests: Collection[str]) -> tuple[WorkflowRun, ...]:
        """Return the runs of a context that have these requests, the oldest first."""
        return tuple(run for run in self.of_context(context) if run.request in requests)

    def stream(self, context: str) -> Iterator[WorkflowRun]:
        """Yield the runs of a context, ordered by time and request."""
        yield from sorted(self.of_context(context), key=lambda run: (run.at, run.request))

    def contexts_of(self, sessions: Collection[int] | None = None) -> frozenset[tuple[int, str]]:
        """Return in which contexts all sessions have runs, or some of them."""
        known = ((run.session, run.context) for run in self._known())
        return frozenset(each for each in known if sessions is None or each[0] in sessions)

    def _known(self) -> Iterator[WorkflowRun]:
        for found in self._rows.found.values():
            yield from (run for run in found.runs if (run.agent, run.request) in self._rows.kept)
