"""Checks that agents still call wisen and get answers: silence must never look like having nothing to say."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.hook import HookState
from wisen.model.state import Health, HealthFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from wisen.model.hook import HookFailure, HookHealth, HookStatus
    from wisen.model.run import Run

TOLERANCE = timedelta(seconds=30)
"""How much later than the hook's record the first time of a session may be."""
_MAX_WAIT = timedelta(days=1)
_MAX_TYPED_AGE = timedelta(days=7)
_PROMPT = "prompt"
_MAX_SPOOL_BYTES = 10 << 20
"""More bytes in the spool than a cycle would leave there."""
_MIN_FREE_BYTES = 100 << 20
"""Free disk space below which a warning is shown."""
_CYCLE = "Run `wisen cycle`."


def findings(
    installed: Sequence[HookStatus], hook_health: HookHealth, runs: Sequence[Run], now: datetime
) -> Iterator[HealthFinding]:
    """Yield findings about installed hooks; about disk and log formats in any case."""
    hooked = [each for each in installed if each.state is not HookState.NOT_INSTALLED]
    for each in hooked:
        yield from _fault_findings(each)
        if each.state is HookState.UNTRUSTED:
            yield _trust_finding(each)
        elif each.state is HookState.INSTALLED:
            yield _firing_finding(each, hook_health, now)
    yield from _clock_findings(hook_health, runs, now)
    if hooked:
        yield from _delivery_findings(hook_health, now)
    if hook_health.free is not None and hook_health.free < _MIN_FREE_BYTES:
        says = f"{hook_health.free / 1e6:.0f} MB are left: what hooks write and what is learned may be lost"
        yield HealthFinding(about="disk", health=Health.BAD, says=says, next_step="Make room.")
    yield from _format_findings(past_runs(runs, now))


def past_runs(runs: Sequence[Run], now: datetime) -> Sequence[Run]:
    """Return the runs without those of a clock that was ahead, which would stay the newest until their date comes."""
    return [run for run in runs if run.finished - now <= _MAX_WAIT]


def last_run_findings(runs: Sequence[Run]) -> Iterator[HealthFinding]:
    """Report whether the last run ended with an error, or continued without a part."""
    if runs and runs[0].failed_parts:
        says = f"the last one continued without a part: {runs[0].failed_parts}"
        health = Health.BAD if runs[0].has_failed_step else Health.NOTICE
        yield HealthFinding(about="runs", health=health, says=says, next_step=_CYCLE)
    elif runs and runs[0].error:
        yield HealthFinding(
            about="runs", health=Health.BAD, says=f"the last one stopped: {runs[0].error}", next_step=_CYCLE
        )


def _fault_findings(each: HookStatus) -> Iterator[HealthFinding]:
    for fault in each.faults:
        next_step = f"`wisen install {each.agent}` repairs them, `wisen uninstall {each.agent}` removes them."
        yield HealthFinding(about=_about(each), health=Health.BAD, says=fault, next_step=next_step)


def _trust_finding(each: HookStatus) -> HealthFinding:
    """Report that the user has to trust hooks; bad once a session ran without them."""
    says = f"{each.agent} does not run them before you trust them: {', '.join(each.untrusted)}"
    missed = each.since is not None and each.newest_session is not None and each.newest_session > each.since + TOLERANCE
    health = Health.BAD if missed else Health.NOTICE
    return HealthFinding(about=_about(each), health=health, says=says, next_step=each.trusting)


def _firing_finding(each: HookStatus, hook_health: HookHealth, now: datetime) -> HealthFinding:
    """Report whether hooks fire in recent sessions. What is dated later than now would hide that they do not."""
    beats = [beat.at for beat in hook_health.beats.values() if beat.agent in ("", each.agent)]
    last = max((at for at in beats if at <= now + TOLERANCE), default=None)
    known = max((at for at in (last, each.since) if at is not None and at <= now + TOLERANCE), default=None)
    says = "none has fired yet" if last is None else f"the last one fired {last:%Y-%m-%d %H:%M} UTC"
    if known is not None and each.newest_session is not None and each.newest_session > known + TOLERANCE:
        return HealthFinding(
            about=_about(each),
            health=Health.BAD,
            says=f"{says}, and a session began {each.newest_session:%Y-%m-%d %H:%M} UTC without them",
            next_step=f"Check what {each.agent} reports about its hooks, or run `wisen install {each.agent}` again.",
        )
    if last is None:
        return HealthFinding(about=_about(each), health=Health.NOTICE, says=says, next_step="Start a session.")
    if each.newest_session is None and _has_typed_lately(each.agent, hook_health, now):
        return HealthFinding(
            about=_about(each),
            health=Health.BAD,
            says=f"{says}, and no session is found where {each.agent} keeps them: nothing is learned from it",
            next_step="If its folder has moved, give it: `wisen learn --path DIR`.",
        )
    return HealthFinding(about=_about(each), health=Health.GOOD, says=says)


def _has_typed_lately(agent: str, hook_health: HookHealth, now: datetime) -> bool:
    """Whether a prompt was answered so recently that its session must still be there: agents delete old ones."""
    prompts = [beat.at for event, beat in hook_health.beats.items() if event.partition("@")[0] == _PROMPT
               and beat.agent == agent]  # fmt: skip
    return any(TOLERANCE < now - at < _MAX_TYPED_AGE for at in prompts)


def _delivery_findings(hook_health: HookHealth, now: datetime) -> Iterator[HealthFinding]:
    """Report whether hooks have a snapshot to answer from, and whether the spool is ingested."""
    if hook_health.problem:
        next_step = "Check its owner and permissions (`ls -ld`), or move the file away."
        yield HealthFinding(about="spool", health=Health.BAD, says=hook_health.problem, next_step=next_step)
    since = hook_health.waiting_since
    if hook_health.waiting > _MAX_SPOOL_BYTES or (since is not None and now - since > _MAX_WAIT):
        says = f"what hooks write is not processed: {hook_health.waiting:,} bytes wait"
        says += f", the oldest since {since:%Y-%m-%d %H:%M} UTC" if since is not None else ""
        yield HealthFinding(about="spool", health=Health.BAD, says=says, next_step=_CYCLE)
    if hook_health.failure is not None:
        yield _failure_finding(hook_health.failure, hook_health)
    if hook_health.snapshot:
        says = f"hooks have nothing to answer from: {hook_health.snapshot}"
        health = Health.NOTICE if hook_health.last_heartbeat is None else Health.BAD
        yield HealthFinding(about="snapshot", health=health, says=says, next_step=_CYCLE)


def _failure_finding(failure: HookFailure, hook_health: HookHealth) -> HealthFinding:
    """Report the last failure of the client: history as soon as the same event was answered again.

    The client records a heartbeat only after it has answered.
    """
    at = "" if failure.at is None else f" at {failure.at:%Y-%m-%d %H:%M} UTC"
    newest = hook_health.last_heartbeat
    answered = [beat.at for event, beat in hook_health.beats.items() if event.partition("@")[0] == failure.event]
    is_past = failure.at is not None and (
        any(beat >= failure.at for beat in answered) or (newest is not None and newest - failure.at > _MAX_WAIT)
    )
    return HealthFinding(
        about="hook client",
        health=Health.NOTICE if is_past else Health.BAD,
        says=f"it failed{at}: {failure.kind}" + (", and has answered since" if is_past else ""),
        next_step="" if is_past else "Run `wisen cycle`, and start a session: the next answer ends this.",
    )


def _clock_findings(hook_health: HookHealth, runs: Sequence[Run], now: datetime) -> Iterator[HealthFinding]:
    """Report times that have not come yet: they make idle hooks and runs look recent."""
    times = [beat.at for beat in hook_health.beats.values()] + [run.finished for run in runs[:1]]
    newest = max(times, default=now)
    if newest - now > _MAX_WAIT:
        says = f"hooks or runs are dated {newest:%Y-%m-%d}, and it is {now:%Y-%m-%d}: the clock is wrong, or was"
        yield HealthFinding(about="clock", health=Health.NOTICE, says=says, next_step="Check the date: `date -u`.")


def _format_findings(runs: Sequence[Run]) -> Iterator[HealthFinding]:
    """Report whether the newest run had more new read problems than new events."""
    done = [run for run in runs if not run.was_aborted]
    if not done:
        return
    rise = done[0].troubles - max((run.troubles for run in done[1:]), default=0)
    if rise > done[0].new_events:
        yield HealthFinding(
            about="format",
            health=Health.BAD,
            says=f"the last run could not read {rise:,} records more than before, and {done[0].new_events:,} were new",
            next_step="An agent has probably changed its format: check for a newer wisen. See `wisen agents`.",
        )


def _about(each: HookStatus) -> str:
    return f"{each.agent} hooks"
