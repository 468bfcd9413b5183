"""The contract of every index for the runs of sessions, as a test suite for any backend.

A backend's test inherits from `WorkflowRunsContract` and provides the same two fixtures as for `EventsContract`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.failure import SessionFindings
from wisen.model.work_outcome import OutcomeReason, WorkOutcome
from wisen.model.workflow import RunStep, StepKind, WorkflowRun
from wisen.testing.log_writer import NOON, Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.index import Index


class WorkflowRunsContract:
    """The contract of every index for the runs of sessions."""

    def test_runs_come_back_as_they_were_stored_the_oldest_first(
        self, index: Index, reopen: Callable[[], Index]
    ) -> None:
        first, second = store_runs(index, "a", 5), store_runs(index, "b", 1, asked="nul \0, half \ud800, 日本語 \x1a")
        assert reopen().runs.of_context("ctx") == (*second, *first)
        assert reopen().runs.of_context("other") == ()
        assert reopen().runs.of_context("ctx", {second[0].session, 99}) == second
        assert reopen().runs.of_context("other", {second[0].session}) == ()

    def test_runs_are_streamed_in_the_order_of_time_and_request(self, index: Index) -> None:
        runs = [*store_runs(index, "b", 1), *store_runs(index, "a", 1), *store_runs(index, "c", 0)]
        store_runs(index, "d", 0, context="other")
        assert [*index.runs.stream("ctx")] == [runs[2], runs[1], runs[0]]
        assert [*index.runs.stream("nowhere")] == []

    def test_runs_are_found_by_their_requests(self, index: Index) -> None:
        (late,), (early,) = store_runs(index, "a", 5), store_runs(index, "b", 1)
        store_runs(index, "c", 2), store_runs(index, "d", 3, context="other")
        assert index.runs.of_requests("ctx", {"am", "bm", "dm", "missing"}) == (early, late)
        assert index.runs.of_requests("ctx", ()) == ()

    def test_contexts_with_runs_are_named_with_their_sessions(self, index: Index) -> None:
        (here,), (there,) = store_runs(index, "a", 1), store_runs(index, "b", 2, context="o\udcffther")
        assert index.runs.contexts_of() == {(here.session, "ctx"), (there.session, "o\udcffther")}
        assert index.runs.contexts_of({there.session, 99}) == {(there.session, "o\udcffther")}

    def test_runs_are_replaced_when_their_session_is_mined_again(self, index: Index) -> None:
        (before,) = store_runs(index, "a", 1)
        index.findings.mine_again([before.session])
        (history,) = index.findings.take_unmined(1)
        index.findings.store_findings([SessionFindings(session=history.session)], 1)
        assert index.runs.of_context("ctx") == ()
        assert index.runs.contexts_of() == frozenset()

    def test_a_run_whose_request_is_not_stored_is_left_out(self, index: Index) -> None:
        assert len(store_runs(index, "a", 1, requests=("am", "missing"))) == 2
        assert [run.request for run in index.runs.of_context("ctx")] == ["am"]

    def test_runs_are_deleted_with_a_text_of_their_session(self, index: Index) -> None:
        (kept,) = store_runs(index, "a", 1)
        store_runs(index, "b", 2)
        assert index.removal.redact({("claude-code", "bm")}) == 1
        assert index.runs.of_context("ctx") == (kept,)

    def test_runs_are_deleted_with_their_session(self, index: Index) -> None:
        (kept,) = store_runs(index, "a", 1)
        store_runs(index, "b", 2)
        index.removal.remove_sessions({("claude-code", "b", 0)})
        assert index.runs.of_context("ctx") == (kept,)


def store_runs(
    index: Index,
    native: str,
    minutes: float,
    *,
    context: str = "ctx",
    asked: str = "deploy it",
    requests: tuple[str, ...] = (),
) -> tuple[WorkflowRun, ...]:
    """Store a session with a request `<native>m`, and a run for it or for each of `requests`; returns the runs."""
    log = Log(f"/logs/{native}.jsonl", native, context=context)
    log.typed(f"{native}m", minutes)
    index.events.store([log.batch()])
    (history,) = index.findings.take_unmined(1)
    step = RunStep(key="git push", kind=StepKind.COMMAND, words=("git", "push"), call="c1", failed=True)
    at = NOON + timedelta(minutes=minutes)
    runs = tuple(
        WorkflowRun(
            session=history.session,
            agent=history.agent,
            native=history.native,
            request=request,
            asked=asked,
            context=context,
            at=at,
            ended=at + timedelta(minutes=3),
            steps=(step,),
            outcome=WorkOutcome.WORKED,
            reason=OutcomeReason.CHECKED,
            calls=4,
            local=True,
        )
        for request in requests or (f"{native}m",)
    )
    index.findings.store_findings([SessionFindings(session=history.session, runs=runs)], 1)
    return runs
