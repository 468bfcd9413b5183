"""`wisen cycle`: runs the whole loop once, one process at a time, and prints a short report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.surfaces.cli.pending_requests import execute_proven_requests
from wisen.surfaces.cli.render import console, plural, print_json
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.app import Wiring
    from wisen.model.cycle_result import CycleResult

_JSON_NAMES = {"problems": "troubles"}
"""Fields of the result that are named differently in the JSON output."""


def run_cycle(*, quick: bool, dry_run: bool, as_json: bool) -> int:
    """Run one cycle; if another one is running, say so and leave the work to it."""
    wires = app.wire()
    if not dry_run and is_off(wires, as_json=as_json):
        return 0
    with wires.record_when_stopped(), wires.lock().hold_unless_same("cycle") as free:
        done = _run_once(wires, quick=quick, dry_run=dry_run) if free else None
    if as_json:
        print_json({"ran": done is not None, "dry_run": dry_run, **(_result_fields(done) if done else {})})
    elif done is None:
        console().print("Another cycle is running; it processes what is new.")
    else:
        _print_result(console(), done, dry_run=dry_run)
    return 0


def _run_once(wires: Wiring, *, quick: bool, dry_run: bool) -> CycleResult:
    with wires.learner() as learner:
        done = learner.cycle(quick=quick, dry_run=dry_run)
        if dry_run:
            return done
        answered, problems = execute_proven_requests(learner)
        return done._replace(answered=(*done.answered, *answered), problems=(*done.problems, *problems))


def _result_fields(done: CycleResult) -> dict[str, object]:
    fields: dict[str, object] = {
        _JSON_NAMES.get(name, name): value for name, value in done._asdict().items() if name != "report"
    }
    if done.report is not None:
        fields |= {"new_events": done.report.new_events, "proposals": done.report.proposals}
    return fields


def _print_result(out: Console, done: CycleResult, *, dry_run: bool) -> None:
    if done.report is not None:
        waits = plural(done.report.proposals, "proposal waits", "proposals wait")
        out.print(f"Read {plural(done.report.new_events, 'new event')}; {waits}.")
    would = "would be " if dry_run else ""
    for title, lines in ((f"{would}done, as you typed", done.answered), (f"{would}applied by policy", done.applied)):
        for line in lines:
            out.print(f"{title}: {line}", markup=False)
    for line in done.checked:
        out.print(f"checked: {line}", markup=False)
    waiting = "wait in the spool" if dry_run else "processed"
    given, new = plural(done.exposures, "delivery", "deliveries"), plural(done.snapshots, "snapshot")
    out.print(f"{given} {waiting}; {new} {would}new.")
    if done.retired:
        gone = f"{plural(done.retired, 'session')} too old or over the limit"
        out.print(f"{gone}: their events {'would be' if dry_run else 'were'} deleted, what was learned stays.")
    for line in done.problems:
        out.print(f"not done: {line}", markup=False, style="yellow")
