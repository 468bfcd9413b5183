"""`wisen install` and `wisen uninstall`: agents that call us while they work."""

from __future__ import annotations

import difflib
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen import app
from wisen.errors import UsageError
from wisen.surfaces.cli.confirming import is_confirmed, is_refused_unasked
from wisen.surfaces.cli.render import clipped, console, plural, print_json, shown_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from wisen.app import Wiring
    from wisen.learner import Learner
    from wisen.model.hook import HookInstallation, RegisteredHook, RewrittenFile

SCOPES = ("user", "project")
_QUESTION = (
    "What you said or approved is never held back. "
    "May hints that you did not approve be tried: given in some sessions, held back in others, and counted?"
)


_POINTING = (
    "May your agent help to sort what you said? Once a session it is asked about a few short turns of earlier ones; "
    "only words that your log proves are kept, and nothing is approved by it."
)


class Answers(NamedTuple):
    """What the user says of what goes beyond hooks; None where they are to be asked."""

    experiments: bool | None = None
    pointing: bool | None = None


def install(agent: str, *, scope: str, answers: Answers, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Have an agent call us."""
    if scope not in SCOPES:
        raise UsageError(f"--scope {scope!r} is none of {', '.join(SCOPES)}. Give one of them, or leave it out.")
    wires, here = app.wire(), Path.cwd()
    project = here if scope == "project" else None
    asks = not (dry_run or as_json or yes) and _is_terminal()
    refused = not (asks or dry_run or yes) and is_refused_unasked()
    if refused or (asks and not _agreed(wires, agent, project)):
        console().print("Nothing was written.")
        return 1
    with _opened(wires, dry_run=dry_run) as learner:
        done = learner.install.add(agent, project, dry_run=dry_run)
        others = next(each.others for each in learner.install.status(here) if each.agent == agent)
        if not as_json:
            _show(done, console(), dry_run=dry_run, shown=asks)
            _tell_others(others, console())
            if not dry_run:
                console().print("Next: wisen cycle reads your sessions and prepares what agents are told.")
        may_ask = not dry_run and not as_json and _is_terminal()
        said = _ask_once(wires, answers) if may_ask else answers
        if said.experiments is not None and not dry_run:
            learner.trials.save_experiments_setting(allowed=said.experiments)
        if said.pointing is not None and not dry_run:
            learner.feedback.consent.record(yes=said.pointing)
    if as_json:
        told = [{"event": each.event, "command": each.command, "name": each.name} for each in others]
        chosen = wires.settings
        now = {
            "experiments": chosen.trials.experiments if said.experiments is None else said.experiments,
            "pointing": chosen.feedback.pointing if said.pointing is None else said.pointing,
        }
        print_json(_told(agent, done, dry_run=dry_run) | {"others": told, **now})
    return 0


def _ask_once(wires: Wiring, answers: Answers) -> Answers:
    """The user's answers; what they said before is not asked again."""
    known = wires.settings.sources
    experiments, pointing = answers
    if experiments is None and "trials.experiments" not in known:
        experiments = is_confirmed(_QUESTION)
    if pointing is None and "feedback.pointing" not in known:
        pointing = is_confirmed(_POINTING)
    return Answers(experiments, pointing)


def _agreed(wires: Wiring, agent: str, project: Path | None) -> bool:
    """Show what would be written and what it costs, and ask."""
    with _opened(wires, dry_run=True) as learner:
        planned = learner.install.add(agent, project, dry_run=True)
    if not planned.changed:
        return True
    _show(planned, console(), dry_run=True)
    return is_confirmed("Write this?")


def uninstall(agent: str, *, dry_run: bool, as_json: bool) -> int:
    """Have an agent call us no longer."""
    with _opened(app.wire(), dry_run=dry_run) as learner:
        done = learner.install.remove(agent, Path.cwd(), dry_run=dry_run)
    if as_json:
        print_json(_told(agent, done, dry_run=dry_run))
    else:
        _show(done, console(), dry_run=dry_run)
    return 0


@contextmanager
def _opened(wires: Wiring, *, dry_run: bool) -> Iterator[Learner]:
    """A learner; one that only shows makes no files."""
    with tempfile.TemporaryDirectory(prefix="wisen-look-") as folder:
        looks = dry_run and not wires.ever_used
        with (wires.with_home(Path(folder)) if looks else wires).learner(reads=False) as learner:
            yield learner


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _told(agent: str, done: HookInstallation, *, dry_run: bool) -> dict[str, object]:
    files = [
        {"path": each.path, "changed": each.held != each.holds, "diff": "\n".join(_diff(each))} for each in done.files
    ]
    after, cost = done.after, msgspec.to_builtins(done.cost)
    states = {"was": done.before.state, "is": after.state, "faults": after.faults, "untrusted": after.untrusted}
    return {"agent": agent, **states, "files": files, "grants": done.grants, "cost_ms": cost, "dry_run": dry_run}


def _diff(file: RewrittenFile) -> Iterable[str]:
    held, holds = ((each or b"").decode("utf-8", "replace").splitlines() for each in (file.held, file.holds))
    return difflib.unified_diff(held, holds, shown_path(file.path), shown_path(file.path), lineterm="")


def _show(done: HookInstallation, out: Console, *, dry_run: bool, shown: bool = False) -> None:
    """What was done, or would be; `shown`: the user saw the files and the cost already."""
    for file in () if shown else done.changed:
        for line in _diff(file):
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else ""
            out.print(line, markup=False, highlight=False, style=style, soft_wrap=True)
    if not done.changed:
        out.print("Nothing to change.")
    elif dry_run:
        out.print("Nothing was written.")
    else:
        out.print(f"{plural(len(done.changed), 'file')} written. Sessions that begin from now on follow it.")
    if done.cost is not None and not shown:
        cost = done.cost
        out.print(
            f"What {done.after.agent} will wait for wisen, measured just now: {cost.call:.0f} ms before each call of a"
            f" tool, {cost.guarded_call:.0f} ms while a guard is at work, {cost.prompt:.0f} ms or more at a prompt."
        )
    if done.grants and not shown:
        out.print(done.grants, markup=False)
    if done.after.untrusted and not dry_run:
        events = ", ".join(done.after.untrusted)
        out.print(f"{done.after.agent} does not run these before you trust them: {events}.", style="bold", markup=False)
        out.print(done.after.trusting, markup=False)
    for fault in done.after.faults:
        still = "Still broken" if fault in done.before.faults else "Broken"
        out.print(f"{still}: {fault}.", style="bold red", markup=False)


def _tell_others(others: Sequence[RegisteredHook], out: Console) -> None:
    """Who else is called: nobody is switched off, but two that learn from each other's words would do harm."""
    for each in others:
        where = f"on {each.event}" if each.event else "as a plug-in"
        who = f"{each.name}: " if each.name else ""
        out.print(f"Also called {where}: {who}{clipped(each.command, 100)}", style="dim", markup=False)
    if any(each.name for each in others):
        out.print(
            "They stay as they are. Text that they add to sessions is not learnt from; keep one of them for each job.",
            style="dim",
        )
