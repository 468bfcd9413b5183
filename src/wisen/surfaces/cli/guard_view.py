"""`wisen guards`: what is watched for before calls, tried on the past, and how it fares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.guard import ACTIONS, GuardSource, Mode
from wisen.model.guard_text import describe_guard
from wisen.surfaces.cli.render import clipped, console, plural, print_json, say, shown_call

if TYPE_CHECKING:
    from wisen.learner import Learner
    from wisen.model.exposure import Exposure
    from wisen.model.guard import GuardState, GuardStats
    from wisen.model.history import Step

_SOURCES = {
    GuardSource.FIX: "made of the fix {of} (wisen explain {of})",
    GuardSource.RULE: "made of a rule that was told and not kept ({of})",
    GuardSource.HAND: "written by you",
}
_LOGGED = 10
_WIDE = 100


def show(*, every: bool, as_json: bool) -> int:
    """List the guards."""
    with app.wire().learner(reads=False) as learner:
        here = learner.contexts.key_of(Path.cwd())
        found = [each for each in learner.guards.all() if every or each.guard.context in ("", here)]
        rest = len(learner.guards.all()) - len(found)
        told = [(each, learner.guards.live_outcomes(each)) for each in found]
    if as_json:
        print_json({"guards": [_told(each, fared) for each, fared in told]})
        return 0
    for state, fared in told:
        say(f"{state.guard.id}  {state.mode.value:<6}  {_line(state)}")
        say(f"            {_fared(state, fared)}", dim=True)
    if not told:
        say("There are no guards here. wisen learn proposes them; by hand: wisen guards add 'warn npm -> pnpm'")
    if rest:
        say(f"{plural(rest, 'guard')} of other projects: wisen guards list --all", dim=True)
    return 0


def explain(name: str, *, as_json: bool) -> int:
    """Show one guard whole."""
    with app.wire().learner(reads=False) as learner:
        state = learner.guards.get(name)
        fared, log = learner.guards.live_outcomes(state), learner.guards.log(state)
    if as_json:
        print_json(_told(state, fared) | {"log": [_logged(*each) for each in log]})
        return 0
    guard, out = state.guard, console()
    out.print(f"{guard.id}  {_line(state)}", markup=False, style="bold")
    mode = f"{state.mode.value} since {state.since:%Y-%m-%d}{f': {state.why}' if state.why else ''}"
    lines = [
        mode,
        _SOURCES[guard.source].format(of=guard.of),
        f"version {guard.version}, {'in all projects' if not guard.context else f'in {guard.context}'}",
        _fared(state, fared),
    ]
    for line in lines:
        out.print(f"  {line}", markup=False)
    for each in log[:_LOGGED]:
        out.print(f"  {_log_line(*each)}", markup=False, style="dim")
    if len(log) > _LOGGED:
        out.print(f"  {len(log) - _LOGGED} more with --json", style="dim")
    out.print(f"  On the past: wisen guards backtest {guard.id}", style="dim")
    return 0


def add(text: str, *, here: bool, shadow: bool, dry_run: bool, as_json: bool) -> int:
    """Write a guard by hand."""
    with app.wire().learner(reads=False) as learner:
        state = learner.guards.add(text, Path.cwd() if here else None, shadow=shadow, dry_run=dry_run)
        live, called = _is_called(learner), learner.install.status(Path.cwd())
        past = () if as_json else learner.guards.backtest_lines(state.guard, learner.guards.backtest_of(state.guard))
    if as_json:
        print_json(_plain(state) | {"dry_run": dry_run})
        return 0
    where = "in this project" if state.guard.context else "in all projects"
    say(f"{'Would be' if dry_run else 'Is'} added, {where}: {state.guard.id}  {state.mode.value}  {_line(state)}")
    for line in past:
        say(f"  {line}", dim=True)
    if not live:
        say("No agent calls wisen yet: wisen install claude-code", dim=True)
    for each in called:
        if each.untrusted:
            say(f"{each.agent} does not run these hooks before you trust them: {', '.join(each.untrusted)}.")
            say(f"  {each.trusting}", dim=True)
        for fault in each.faults:
            say(f"{each.agent} may not ask this guard: {fault}. wisen install {each.agent} repairs it.")
    return 0


def test(command: str, *, tool: str, as_json: bool) -> int:
    """Tell which guards a call would meet."""
    with app.wire().learner(reads=False) as learner:
        here = Path.cwd()
        found = learner.guards.try_command(command, tool=tool, cwd=str(here), context=learner.contexts.key_of(here))
    if as_json:
        print_json({"met": [_plain(each.state) | {"instead": each.better, "doubt": each.doubt} for each in found]})
        return 0
    for state, better, doubt in found:
        say(f"{state.guard.id}  {state.mode.value:<6}  {_line(state)}")
        if better:
            say(f"            instead: {better}")
        if doubt:
            say(f"            it may be this: {doubt}; the guard asks or warns")
    if not found:
        say("No guard meets this.")
    return 0


def enable(name: str, mode: str, *, dry_run: bool, as_json: bool) -> int:
    """Put a guard to work."""
    allowed = (*ACTIONS, Mode.SHADOW)
    if mode and mode not in allowed:
        raise UsageError(f"--as {mode!r} is none of {', '.join(allowed)}. A guard never allows a call.")
    if not mode:
        with app.wire().learner(reads=False) as learner:
            mode = learner.guards.get(name).guard.action
    return set_mode(name, mode, dry_run=dry_run, as_json=as_json)


def set_mode(name: str, mode: str, *, dry_run: bool, as_json: bool) -> int:
    """Have a guard do something else from now on."""
    with app.wire().learner(reads=False) as learner:
        state = learner.guards.set_mode(name, Mode(mode), dry_run=dry_run)
    if as_json:
        print_json(_plain(state) | {"dry_run": dry_run})
        return 0
    say(f"{'Would be' if dry_run else 'Is'} {state.mode.value} from now on: {state.guard.id}  {_line(state)}")
    return 0


def backtest(name: str, *, as_json: bool) -> int:
    """Run a guard over the past."""
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


def _is_called(learner: Learner) -> bool:
    return any(each.files for each in learner.install.status())


def _line(state: GuardState) -> str:
    return clipped(describe_guard(state.guard, state.mode), 2 * _WIDE)


def _fared(state: GuardState, fared: GuardStats) -> str:
    if not fared.decisions:
        return "has met nothing yet"
    spoke = "would have spoken" if state.mode is Mode.SHADOW else "has spoken, or would have,"
    parts = [f"{spoke} {plural(fared.decisions, 'time')} in {plural(fared.sessions, 'session')}"]
    parts += [f"{fared.stopped} stopped"] if fared.stopped else []
    parts += [f"{fared.failed} made all the same and failed"] if fared.failed else []
    parts += [f"{fared.went_well} made all the same and went well"] if fared.went_well else []
    parts += [f"{fared.open} not known"] if fared.open else []
    parts += [f"overruled {plural(fared.overruled, 'time')}"] if fared.overruled else []
    return "; ".join(parts)


def _log_line(exposure: Exposure, step: Step | None) -> str:
    did = f"would {exposure.mode}" if exposure.arm == "withheld" else f"{exposure.mode}"
    call = clipped(shown_call(step.arguments or ""), _WIDE) if step is not None else "(not in the log yet)"
    ended = "" if step is None else f" → {step.status.value if step.status else 'never ran'}"
    return f"{exposure.at:%Y-%m-%d %H:%M} {exposure.agent} {exposure.session[:8]}: {did}: {call}{ended}"


def _logged(exposure: Exposure, step: Step | None) -> dict[str, object]:
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


def _plain(state: GuardState) -> dict[str, object]:
    guard = {name: getattr(state.guard, name) for name in state.guard.__struct_fields__}
    return guard | {"mode": state.mode, "since": state.since, "why": state.why, "form": state.guard.source_text}


def _told(state: GuardState, fared: GuardStats) -> dict[str, object]:
    return _plain(state) | {"fared": fared}
