"""`wisen doctor`: the results of all health checks, and the next step for each problem."""

from __future__ import annotations

from wisen import app
from wisen.health import doctor
from wisen.model.report import Selection
from wisen.model.state import Health, HealthFinding
from wisen.surfaces.cli.program import BAD
from wisen.surfaces.cli.render import console, plural, print_json

_MARKS = {Health.GOOD: ("good  ", "green"), Health.NOTICE: ("notice", "yellow"), Health.BAD: ("BAD   ", "bold red")}


def show_health(*, repair: bool, dry_run: bool = False, as_json: bool) -> int:
    """Run all health checks, after a repair, or what it would restore, if one was requested."""
    wires = app.wire()
    subject = wires.doctor_input()
    repaired: tuple[HealthFinding, ...] = ()
    if repair and dry_run:
        repaired = doctor.plan_repair(subject)
    elif repair:
        with wires.record_when_stopped(), wires.lock().hold("repair"):
            repaired = doctor.repair(subject)
    findings = repaired + doctor.examine(subject, () if dry_run else repaired)
    if as_json:
        print_json({"home": subject.home, "findings": findings})
    else:
        from wisen.surfaces.cli.terminal import join_styled

        out = console()
        for finding in findings:
            out.print(join_styled(_MARKS[finding.health], f" {finding.about}: {finding.says}"))
            if finding.next_step:
                out.print(f"       {finding.next_step}", style="dim")
    return BAD if any(finding.health is Health.BAD for finding in findings) else 0


def purge_unsafe(*, dry_run: bool, as_json: bool) -> int:
    """Delete what today's safety rules do not allow; it is counted by rule and place, and never shown."""
    wires = app.wire()
    with wires.lock().hold("purge"), wires.learner(reads=False) as learner:
        found = learner.forgetting.purge(dry_run=dry_run)
    if as_json:
        print_json({"dry_run": dry_run, "purged": [each._asdict() for each in found]})
        return 0
    out = console()
    would = "would be deleted" if dry_run else "deleted"
    for each in found:
        out.print(f"{each.rule}: {plural(each.many, each.place)} {would}", markup=False)
    if not found:
        out.print("Nothing is stored that may not be stored.")
    return 0


def recompute_totals(*, dry_run: bool, as_json: bool) -> int:
    """Work out every total again, and report what differs from what was kept from run to run."""
    wires = app.wire()
    with wires.record_when_stopped(), wires.learner() as learner:
        if dry_run:
            sessions = learner.home.index.events.counts(Selection()).sessions
            console().print(f"{plural(sessions, 'session')} would be mined again, and all totals worked out from them.")
            return 0
        result = learner.health.recompute(learner.learn)
    if as_json:
        print_json(result._asdict())
        return BAD if result.differences else 0
    out = console()
    out.print(f"Everything was worked out again from {plural(result.sessions, 'session')}.")
    if result.forgotten:
        out.print("Something was forgotten meanwhile, so nothing was compared. Run it again.")
    elif result.differences:
        out.print(f"Different now: {', '.join(result.differences)}. Please report this as a bug of wisen.")
    else:
        out.print("Nothing differs from what was kept.")
    if result.decided and not result.forgotten:
        out.print(
            "Something was recorded meanwhile, so lessons and proposals were not compared. Run it again for these."
        )
    return BAD if result.differences else 0
