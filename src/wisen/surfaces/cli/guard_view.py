"""`wisen guards`: lists, adds, tests and switches guards, and shows how each performed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.guard import ACTIONS, GuardSource, Mode
from wisen.model.guard_text import describe_guard
from wisen.surfaces.cli.render import clip, console, format_call, plural, print_json, say

if TYPE_CHECKING:
    from wisen.learner import Learner
    from wisen.model.exposure import Exposure
    from wisen.model.guard import GuardState, GuardStats
    from wisen.model.history import Step

_SOURCES = {
    GuardSource.FIX: "made from the fix {of} (wisen explain {of})",
    GuardSource.RULE: "made from a rule that agents were given and did not follow ({of})",
    GuardSource.HAND: "written by you",
}
_SHOWN_LOG = 10
_WIDE = 100


def list_guards(*, every: bool, as_json: bool) -> int:
    """List the guards."""
    with app.wire().learner(reads=False) as learner:
        here = learner.contexts.key_of(Path.cwd())
        found = [each for each in learner.guards.all() if every or each.guard.context in ("", here)]
        rest = len(learner.guards.all()) - len(found)
        shown = [(each, learner.guards.live_outcomes(each)) for each in found]
    if as_json:
        print_json({"guards": [_guard_and_stats_fields(each, fared) for each, fared in shown]})
        return 0
    for state, fared in shown:
        say(f"{state.guard.id}  {state.mode.value:<6}  {_guard_line(state)}")
        say(f"            {_describe_stats(state, fared)}", dim=True)
    if not shown:
        say("There are no guards here. wisen learn proposes them. To add one: wisen guards add 'warn npm -> pnpm'")
    if rest:
        say(f"{plural(rest, 'guard')} of other projects: wisen guards list --all", dim=True)
    return 0


def show_guard(name: str, *, as_json: bool) -> int:
    """Show one guard in detail."""
    with app.wire().learner(reads=False) as learner:
        state = learner.guards.get(name)
        fared, log = learner.guards.live_outcomes(state), learner.guards.log(state)
    if as_json:
        print_json(_guard_and_stats_fields(state, fared) | {"log": [_log_fields(*each) for each in log]})
        return 0
    guard, out = state.guard, console()
    out.print(f"{guard.id}  {_guard_line(state)}", markup=False, style="bold")
    mode = f"{state.mode.value} since {state.since:%Y-%m-%d}{f': {state.why}' if state.why else ''}"
    lines = [
        mode,
        _SOURCES[guard.source].format(of=guard.of),
        f"version {guard.version}, {'in all projects' if not guard.context else f'in {guard.context}'}",
        _describe_stats(state, fared),
    ]
    for line in lines:
        out.print(f"  {line}", markup=False)
    for each in log[:_SHOWN_LOG]:
        out.print(f"  {_log_line(*each)}", markup=False, style="dim")
    if len(log) > _SHOWN_LOG:
        out.print(f"  {len(log) - _SHOWN_LOG} more with --json", style="dim")
    out.print(f"  Test it on past sessions: wisen guards backtest {guard.id}", style="dim")
    return 0


def add_guard(text: str, *, here: bool, shadow: bool, dry_run: bool, as_json: bool) -> int:
    """Add a guard that the user wrote."""
    with app.wire().learner(reads=False) as learner:
        state = learner.guards.add(text, Path.cwd() if here else None, shadow=shadow, dry_run=dry_run)
        live, called = _has_hooks(learner), learner.install.status(Path.cwd())
        past = () if as_json else learner.guards.backtest_lines(state.guard, learner.guards.backtest_of(state.guard))
    if as_json:
        print_json(_guard_fields(state) | {"dry_run": dry_run})
        return 0
    where = "in this project" if state.guard.context else "in all projects"
    say(f"{'Would be' if dry_run else 'Is'} added, {where}: {state.guard.id}  {state.mode.value}  {_guard_line(state)}")
    for line in past:
        say(f"  {line}", dim=True)
    if not live:
        say("No agent calls wisen yet: wisen install claude-code", dim=True)
    for each in called:
        if each.untrusted:
            say(f"{each.agent} does not run these hooks before you trust them: {', '.join(each.untrusted)}.")
            say(f"  {each.trusting}", dim=True)
        for fault in each.faults:
            say(f"{each.agent} may not check this guard: {fault}. wisen install {each.agent} repairs it.")
    return 0


def test_call(command: str, *, tool: str, as_json: bool) -> int:
    """Show which guards would match a call."""
    with app.wire().learner(reads=False) as learner:
        here = Path.cwd()
        found = learner.guards.try_command(command, tool=tool, cwd=str(here), context=learner.contexts.key_of(here))
    if as_json:
        print_json(
            {"met": [_guard_fields(each.state) | {"instead": each.better, "doubt": each.doubt} for each in found]}
        )
        return 0
    for state, better, doubt in found:
        say(f"{state.guard.id}  {state.mode.value:<6}  {_guard_line(state)}")
        if better:
            say(f"            instead: {better}")
        if doubt:
            say(f"            it may match: {doubt}; the guard asks or warns")
    if not found:
        say("No guard matches this call.")
    return 0


def enable_guard(name: str, mode: str, *, dry_run: bool, as_json: bool) -> int:
    """Enable a guard."""
    allowed = (*ACTIONS, Mode.SHADOW)
    if mode and mode not in allowed:
        raise UsageError(f"--as {mode!r} is not one of {', '.join(allowed)}. A guard never allows a call.")
    if not mode:
        with app.wire().learner(reads=False) as learner:
            mode = learner.guards.get(name).guard.action
    return set_mode(name, mode, dry_run=dry_run, as_json=as_json)


def set_mode(name: str, mode: str, *, dry_run: bool, as_json: bool) -> int:
    """Change what a guard does from now on."""
    with app.wire().learner(reads=False) as learner:
        state = learner.guards.set_mode(name, Mode(mode), dry_run=dry_run)
    if as_json:
        print_json(_guard_fields(state) | {"dry_run": dry_run})
        return 0
    say(f"{'Would be' if dry_run else 'Is'} {state.mode.value} from now on: {state.guard.id}  {_guard_line(state)}")
    return 0


def show_backtest(name: str, *, as_json: bool) -> int:
    """Test a guard on past sessions."""
    with app.wire().learner(reads=False) as learner:
        guard, tested = learner.guards.backtest(name)
        lines = learner.guards.backtest_lines(guard, tested)
    if as_json:
        print_json({"guard": guard.id, "watch": guard.watch, "better": guard.better, "backtest": tested})
        return 0
    say(f"{guard.id}  {describe_guard(guard, with_reason=False)}")
    for line in lines:
        say(f"  {line}")
    if tested.first is not None and tested.last is not None:
        say(f"  From {tested.first:%Y-%m-%d} to {tested.last:%Y-%m-%d}.", dim=True)
    return 0


def _has_hooks(learner: Learner) -> bool:
    return any(each.files for each in learner.install.status())


def _guard_line(state: GuardState) -> str:
    return clip(describe_guard(state.guard, state.mode), 2 * _WIDE)


def _describe_stats(state: GuardState, fared: GuardStats) -> str:
    if not fared.decisions:
        return "has matched nothing yet"
    spoke = "would have acted" if state.mode is Mode.SHADOW else "has acted, or would have,"
    parts = [f"{spoke} {plural(fared.decisions, 'time')} in {plural(fared.sessions, 'session')}"]
    parts += [f"{fared.stopped} stopped"] if fared.stopped else []
    parts += [f"{fared.failed} made anyway and failed"] if fared.failed else []
    parts += [f"{fared.went_well} made anyway and succeeded"] if fared.went_well else []
    parts += [f"{fared.open} with unknown outcome"] if fared.open else []
    parts += [f"overruled {plural(fared.overruled, 'time')}"] if fared.overruled else []
    return "; ".join(parts)


def _log_line(exposure: Exposure, step: Step | None) -> str:
    did = f"would {exposure.mode}" if exposure.arm == "withheld" else f"{exposure.mode}"
    call = clip(format_call(step.arguments or ""), _WIDE) if step is not None else "(not in the log yet)"
    ended = "" if step is None else f" → {step.status.value if step.status else 'never ran'}"
    return f"{exposure.at:%Y-%m-%d %H:%M} {exposure.agent} {exposure.session[:8]}: {did}: {call}{ended}"


def _log_fields(exposure: Exposure, step: Step | None) -> dict[str, object]:
    return {
        "at": exposure.at,
        "agent": exposure.agent,
        "session": exposure.session,
        "arm": exposure.arm,
        "mode": exposure.mode,
        "call": exposure.call,
        "arguments": step.arguments if step is not None else None,
        "status": step.status if step is not None else None,
    }


def _guard_fields(state: GuardState) -> dict[str, object]:
    guard = {name: getattr(state.guard, name) for name in state.guard.__struct_fields__}
    return guard | {"mode": state.mode, "since": state.since, "why": state.why, "form": state.guard.source_text}


def _guard_and_stats_fields(state: GuardState, fared: GuardStats) -> dict[str, object]:
    return _guard_fields(state) | {"fared": fared}
