"""The whole learning cycle, step by step. Read this file first: each line calls one folder.

    read     ingest what hooks recorded and the new lines of agents' logs; the event filter drops what may not be kept
    detect   find failures, what fixed them and what the user said, in the sessions that have something new
    learn    record corrections, directives and repeated failures as entries, one per lesson; the newest statement wins
    propose  offer the lessons that are ready, with the evidence a person needs to judge them
    act      execute what the user typed to agents, apply what policy allows, check earlier changes that are due
    deliver  write the snapshots from which the hooks answer inside the agents' turns

`learn` does the first four, `wisen cycle` all six. Every step runs inside an error boundary: a failure is reported and
the other steps still run (`model/error_boundaries.py`). Only a store that cannot be used stops the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.cycle_result import CycleResult
from wisen.model.report import RunFindings, Selection

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.learner import Learner
    from wisen.memory.summary_writer import SummaryWriter
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.report import Report
    from wisen.model.run_options import RunOptions, RunProgress
    from wisen.store.known_entries import KnownEntries


def learn(wisen: Learner, options: RunOptions) -> Report:
    """Read, detect, learn and propose over the selected sources, and report the result. Raises: StoreError."""
    boundaries, step, selection = options.boundaries, options.boundaries.isolate_step, options.selection
    findings = RunFindings(began=wisen.home.clock.now(), clock_began=wisen.home.clock.elapsed(), selection=selection)

    # Read.
    wisen.feedback.reload_languages()
    findings.found, findings.read_bytes, findings.new_events = wisen.logs.read_new(
        selection, options.progress.reading, boundaries, jobs=options.jobs, recheck=options.recheck
    )
    with step("move lessons of deleted worktrees"):
        wisen.contexts.move_removed_worktrees()
    with step("retire old sessions"):
        findings.count_retired(*wisen.forgetting.retire())
    findings.reading_seconds = wisen.home.clock.elapsed() - findings.clock_began

    # Detect.
    writer = detect(wisen, boundaries, options.progress, options.jobs)
    with step("import edits of rule lines"):
        wisen.rules.import_line_edits()
    with step("apply praise"):
        wisen.praise.record_reinforcements()
    known = wisen.lessons.load_known()
    with step("import edits of context files"):
        wisen.rules.import_context_files(known, boundaries)

    # Learn and propose, unless nothing has changed since the last run.
    may_differ = options.judge or boundaries.failures or not wisen.rules.are_context_files_written()
    unchanged = None if may_differ else wisen.report.load_unchanged(findings)
    if unchanged is None:
        findings.fixes = wisen.fixes.known_fixes(Selection())
        scope = wisen.lessons.find_scope(known)
        wisen.lessons.record_lessons(known, scope, findings.fixes, boundaries)
        findings.proposals = wisen.proposals.propose(
            known, scope.covers, lambda: wisen.rules.find_outdated_lines(known.states),
            wisen.rules.propose_replacements, boundaries,
        )  # fmt: skip
        wisen.lessons.save_scope(known, scope, boundaries)
        with step("write context files"):
            wisen.rules.write_context_files(lambda: known.states, boundaries)
        with step("update memory and workflows"):
            wisen.memory.refresh(known.states)
            wisen.workflows.refresh()
    else:
        with step("update memory"):
            wisen.memory.refresh_notes()
    judge(wisen, options, findings, known)

    # Report.
    findings.warnings = [*options.warnings, *wisen.feedback.added_languages.warnings]
    with step("save session summaries"):
        findings.warnings += writer.write()
    with step("list open questions about projects"):
        findings.waiting = wisen.contexts.describe_waiting(selection.under, once=True) if options.asks_user else ()
    return wisen.report.build(findings, known, boundaries, unchanged)


def judge(wisen: Learner, options: RunOptions, findings: RunFindings, known: KnownEntries) -> None:
    """Judge instruction files, and propose what the new sessions prove: guards, fixes, skills, the end of trials."""
    boundaries, step, places = options.boundaries, options.boundaries.isolate_step, findings.selection.places
    with step("judge instruction files"):
        findings.judged, findings.instructions = wisen.blame.judge_or_load(
            should_judge=options.judge, is_new=findings.new_events > 0, boundaries=boundaries, places=places
        )
    if findings.new_events:
        with step("propose guards"):
            findings.proposals += wisen.guards.propose(findings.fixes, known.states, findings.judged)
        with step("propose fixes"):
            findings.proposals += wisen.fixes.propose(known)
        with step("propose skills"):
            findings.proposals += wisen.skills.propose()
        with step("act on trial verdicts"):
            findings.proposals += wisen.trials.act_on_verdicts()


def detect(wisen: Learner, boundaries: ErrorBoundaries, progress: RunProgress, jobs: int = 0) -> SummaryWriter:
    """Find failures, fixes and the user's feedback in the sessions with new events; return their summaries."""
    writer = wisen.memory.summary_writer()
    understanding = wisen.feedback.session_analyzer(boundaries)
    for batch in understanding.batches(wisen.memory.describe_session, progress.analysis, jobs=jobs):
        wisen.memory.index_sessions(writer, batch, boundaries)
    writer.problems += understanding.problems
    return writer


def cycle(wisen: Learner, options: RunOptions, run_learn: Callable[[RunOptions], Report]) -> CycleResult:
    """Run all six steps once; `run_learn` does the first four and records a failed run. Raises: StoreError."""
    boundaries, exposures, snapshots, problems = options.boundaries, 0, 0, list[str]()
    answered = applied = checked = tuple[str, ...]()

    # Read, detect, learn and propose.
    with boundaries.isolate_step("finish forgetting"):
        wisen.forgetting.finish_pending()
    with boundaries.isolate_step("ingest hook records"):
        exposures = wisen.delivery.ingest_spool()
    report = run_learn(options)

    # Act.
    with boundaries.isolate_step("execute chat requests"):
        answered, errors = wisen.proposals.execute_requests()
        problems += errors
    with boundaries.isolate_step("apply approved changes"):
        applied, errors = wisen.proposals.apply_by_policy()
        problems += errors
    with boundaries.isolate_step("check changes"):
        checked, errors = wisen.trials.check_changes()
        problems += errors
    with boundaries.isolate_step("repair the launcher"):
        problems += wisen.install.repair_launcher()
    with boundaries.isolate_step("remove partial files"):
        wisen.health.remove_partial_files()
        wisen.changes.remove_partial_files()

    # Deliver.
    with boundaries.isolate_step("prepare snapshots"):
        snapshots = wisen.delivery.prepare_snapshots(boundaries, wrong=wisen.health.bad_findings)
    problems += (f"{each} The other steps ran." for each in wisen.projects.breakdowns(boundaries))
    return CycleResult(report, exposures, answered, applied, snapshots, tuple(problems), report.retired, checked)
