"""`wisen cycle`: the whole loop in one command, one at a time, with a short report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.surfaces.cli.render import console, plural, print_json
from wisen.surfaces.cli.requests import carry_out_proven
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.app import Wiring
    from wisen.model.cycle_result import CycleResult


def run(*, quick: bool, dry_run: bool, as_json: bool) -> int:
    """Go round once; where another cycle works already, say so and leave it to that one."""
    wires = app.wire()
    if not dry_run and is_off(wires, as_json=as_json):
        return 0
    with wires.record_when_stopped(), wires.lock().hold_unless_same("cycle") as free:
        done = _round(wires, quick=quick, dry_run=dry_run) if free else None
    if as_json:
        print_json({"ran": done is not None, "dry_run": dry_run, **(_told(done) if done else {})})
    elif done is None:
        console().print("Another cycle is at work; it takes up what is new.")
    else:
        _show(console(), done, dry_run=dry_run)
    return 0


def _round(wires: Wiring, *, quick: bool, dry_run: bool) -> CycleResult:
    with wires.learner() as learner:
        done = learner.cycle(quick=quick, dry_run=dry_run)
        if dry_run:
            return done
        answered, troubles = carry_out_proven(learner)
        return done._replace(answered=(*done.answered, *answered), troubles=(*done.troubles, *troubles))


def _told(done: CycleResult) -> dict[str, object]:
    told: dict[str, object] = {name: value for name, value in done._asdict().items() if name != "report"}
    if done.report is not None:
        told |= {"new_events": done.report.new_events, "proposals": done.report.proposals}
    return told


def _show(out: Console, done: CycleResult, *, dry_run: bool) -> None:
    if done.report is not None:
        waits = plural(done.report.proposals, "proposal waits", "proposals wait")
        out.print(f"Read {plural(done.report.new_events, 'new event')}; {waits}.")
    would = "would be " if dry_run else ""
    for title, lines in ((f"{would}done, as you typed", done.answered), (f"{would}applied by policy", done.applied)):
        for line in lines:
            out.print(f"{title}: {line}", markup=False)
    for line in done.checked:
        out.print(f"checked: {line}", markup=False)
    waiting = "wait in the spool" if dry_run else "taken in"
    given, new = plural(done.exposures, "delivery", "deliveries"), plural(done.snapshots, "snapshot")
    out.print(f"{given} {waiting}; {new} {would}new.")
    if done.retired:
        gone = f"{plural(done.retired, 'session')} too old or too many"
        out.print(f"{gone}: what was read of them {'would go' if dry_run else 'is gone'}, what was learnt stays.")
    for line in done.troubles:
        out.print(f"not done: {line}", markup=False, style="yellow")
