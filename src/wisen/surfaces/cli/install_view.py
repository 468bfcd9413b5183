"""`wisen install` and `wisen uninstall`: shows what is written to the settings of an agent, asks, and writes it."""

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
from wisen.model.hook import HookState
from wisen.surfaces.cli.confirmation import is_confirmed, is_declined_in_pipe
from wisen.surfaces.cli.render import clip, console, format_path, plural, print_json, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from wisen.app import Wiring
    from wisen.learner import Learner
    from wisen.model.hook import HookInstallation, RegisteredHook, RewrittenFile

SCOPES = ("user", "project")
_ASK_EXPERIMENTS = (
    "What you said or approved is never withheld. "
    "May wisen try hints that you did not approve: give them in some sessions, withhold them in others, and compare?"
)


_ASK_POINTING = (
    "May your agent help to classify your messages? Once a session it is asked about a few short earlier ones; "
    "only words that are in your log are kept, and it approves nothing."
)


class ConsentAnswers(NamedTuple):
    """The answers to the questions beyond hooks; None if the user is to be asked."""

    experiments: bool | None = None
    pointing: bool | None = None


def install(agent: str, *, scope: str, answers: ConsentAnswers, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Add hooks to an agent."""
    if scope not in SCOPES:
        raise UsageError(f"--scope {scope!r} is not one of {', '.join(SCOPES)}. Give one of them, or leave it out.")
    wires, here = app.wire(), Path.cwd()
    project = here if scope == "project" else None
    asks = not (dry_run or as_json or yes) and _is_terminal()
    refused = not (asks or dry_run or yes) and is_declined_in_pipe()
    if refused or (asks and not _confirm_changes(wires, agent, project)):
        console().print("Nothing was written.")
        return 1
    with _open_learner(wires, dry_run=dry_run) as learner:
        done = learner.install.add(agent, project, dry_run=dry_run)
        others = next(each.others for each in learner.install.status(here) if each.agent == agent)
        if not as_json:
            _print_result(done, console(), dry_run=dry_run, shown=asks)
            _print_other_hooks(others, console())
            if not dry_run:
                console().print("Next: wisen cycle reads your sessions and prepares hints for your agents.")
        may_ask = not dry_run and not as_json and _is_terminal()
        said = _ask_consents(wires, answers) if may_ask else answers
        if said.experiments is not None and not dry_run:
            learner.trials.save_experiments_setting(allowed=said.experiments)
        if said.pointing is not None and not dry_run:
            learner.feedback.consent.record(yes=said.pointing)
    if as_json:
        rows = [{"event": each.event, "command": each.command, "name": each.name} for each in others]
        chosen = wires.settings
        now = {
            "experiments": chosen.trials.experiments if said.experiments is None else said.experiments,
            "pointing": chosen.feedback.pointing if said.pointing is None else said.pointing,
        }
        print_json(_result_fields(agent, done, dry_run=dry_run) | {"others": rows, **now})
    return 0


def _ask_consents(wires: Wiring, answers: ConsentAnswers) -> ConsentAnswers:
    """Return the answers of the user; what they answered before is not asked again."""
    known = wires.settings.sources
    experiments, pointing = answers
    if experiments is None and "trials.experiments" not in known:
        experiments = is_confirmed(_ASK_EXPERIMENTS)
    if pointing is None and "feedback.pointing" not in known:
        pointing = is_confirmed(_ASK_POINTING)
    return ConsentAnswers(experiments, pointing)


def _confirm_changes(wires: Wiring, agent: str, project: Path | None) -> bool:
    """Show what would be written and the delay it adds, and ask."""
    with _open_learner(wires, dry_run=True) as learner:
        planned = learner.install.add(agent, project, dry_run=True)
    if not planned.changed:
        return True
    _print_result(planned, console(), dry_run=True)
    return is_confirmed("Write this?")


def uninstall(agent: str, *, dry_run: bool, as_json: bool) -> int:
    """Remove the hooks from an agent."""
    with _open_learner(app.wire(), dry_run=dry_run) as learner:
        done = learner.install.remove(agent, Path.cwd(), dry_run=dry_run)
    if as_json:
        print_json(_result_fields(agent, done, dry_run=dry_run))
    else:
        if done.before.state is HookState.NOT_INSTALLED:
            say(f"wisen is not installed in {agent}.")
        _print_result(done, console(), dry_run=dry_run)
    return 0


@contextmanager
def _open_learner(wires: Wiring, *, dry_run: bool) -> Iterator[Learner]:
    """Open a learner; a dry run creates no files."""
    with tempfile.TemporaryDirectory(prefix="wisen-look-") as folder:
        looks = dry_run and not wires.ever_used
        with (wires.with_home(Path(folder)) if looks else wires).learner(reads=False) as learner:
            yield learner


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _result_fields(agent: str, done: HookInstallation, *, dry_run: bool) -> dict[str, object]:
    files = [
        {"path": each.path, "changed": each.held != each.holds, "diff": "\n".join(_diff(each))} for each in done.files
    ]
    after, cost = done.after, msgspec.to_builtins(done.cost)
    states = {"was": done.before.state, "is": after.state, "faults": after.faults, "untrusted": after.untrusted}
    return {"agent": agent, **states, "files": files, "grants": done.grants, "cost_ms": cost, "dry_run": dry_run}


def _diff(file: RewrittenFile) -> Iterable[str]:
    held, holds = ((each or b"").decode("utf-8", "replace").splitlines() for each in (file.held, file.holds))
    return difflib.unified_diff(held, holds, format_path(file.path), format_path(file.path), lineterm="")


def _print_result(done: HookInstallation, out: Console, *, dry_run: bool, shown: bool = False) -> None:
    """Print what was done, or would be; `shown`: the user has already seen the files and the delay."""
    for file in () if shown else done.changed:
        for line in _diff(file):
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else ""
            out.print(line, markup=False, highlight=False, style=style, soft_wrap=True)
    if not done.changed:
        out.print("Nothing to change.")
    elif dry_run:
        out.print("Nothing was written.")
    else:
        out.print(f"{plural(len(done.changed), 'file')} written. This applies to sessions that start from now on.")
    if done.cost is not None and not shown:
        cost = done.cost
        out.print(
            f"The delay that wisen adds to {done.after.agent}, measured just now: {cost.call:.0f} ms before each tool"
            f" call, {cost.guarded_call:.0f} ms while a guard is enabled, {cost.prompt:.0f} ms or more at a prompt."
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


def _print_other_hooks(others: Sequence[RegisteredHook], out: Console) -> None:
    """Print other hooks of the agent: none is disabled, but two programs that learn from each other do harm."""
    for each in others:
        where = f"on {each.event}" if each.event else "as a plug-in"
        who = f"{each.name}: " if each.name else ""
        out.print(f"Also called {where}: {who}{clip(each.command, 100)}", style="dim", markup=False)
    if any(each.name for each in others):
        out.print(
            "They stay as they are. wisen does not learn from text that they add; use only one program for each job.",
            style="dim",
        )
