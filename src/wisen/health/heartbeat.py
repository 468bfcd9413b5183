"""Tells whether agents still call us and get answers: silence must never look like having nothing to say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.hook_ports import Shipping
from wisen.edits.past import past
from wisen.errors import FileError, SettingsUnclear
from wisen.install.companions import companions
from wisen.install.hook_settings import settings_in, standing
from wisen.model.hook import HookState, Installed
from wisen.model.state import Finding, Health

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from wisen.agents.hook_ports import Gauge, Hooks
    from wisen.edits.past import Desk
    from wisen.install.hook_settings import Standing
    from wisen.model.hook import Caller, HookSettings, Vitals
    from wisen.model.run import Run
    from wisen.store.ledger_port import Ledger
    from wisen.system.ports import Files

SLACK = timedelta(seconds=30)
"""How much later than the hook's a session's own first time may be."""
_TAKEN_WITHIN = timedelta(days=1)
_MUCH = 10 << 20
"""Bytes in the spool that no cycle would have left there."""
_NARROW = 100 << 20
"""Bytes that the disk should have left."""
_CYCLE = "Run `wisen cycle`."


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What is looked at."""

    agents: Sequence[Hooks]
    gauge: Gauge
    files: Files
    caller: Caller
    project: Path | None
    """Its settings count beside the user's."""
    desk: Callable[[Ledger], Desk]


def installed(watched: Watched, ledger: Ledger | None) -> tuple[Installed, ...]:
    """How it is with the hooks of each agent, by the settings and by what the ledger says was put into them."""
    known = past(watched.desk(ledger)) if ledger is not None else None
    return tuple(_installed(watched, agent, standing(known, agent) if known else ()) for agent in watched.agents)


def findings(found: Sequence[Installed], vitals: Vitals, runs: Sequence[Run], now: datetime) -> Iterator[Finding]:
    """What there is to tell, where hooks are installed or should be; of the disk and the logs always."""
    ours = [each for each in found if each.state is not HookState.NOT]
    for each in ours:
        yield from _faults(each)
        if each.state is HookState.UNTRUSTED:
            yield _waits(each)
        elif each.state is HookState.INSTALLED:
            yield _fired(each, vitals)
    if ours:
        yield from _delivery(vitals, now)
    if vitals.free is not None and vitals.free < _NARROW:
        says = f"{vitals.free / 1e6:.0f} MB are left: what hooks write and what is learnt may be lost"
        yield Finding(about="disk", health=Health.BAD, says=says, next_step="Make room.")
    yield from _format(runs)


def stopped(runs: Sequence[Run]) -> Iterator[Finding]:
    """Whether the last run ended with an error, or went on without something."""
    if runs and runs[0].failed_parts:
        says = f"the last one went on without a part: {runs[0].failed_parts}"
        health = Health.BAD if runs[0].lacks_a_step else Health.NOTICE
        yield Finding(about="runs", health=health, says=says, next_step=_CYCLE)
    elif runs and runs[0].error:
        yield Finding(about="runs", health=Health.BAD, says=f"the last one stopped: {runs[0].error}", next_step=_CYCLE)


def _installed(watched: Watched, agent: Hooks, put: Sequence[Standing]) -> Installed:
    faults: list[str] = []
    read: dict[str, HookSettings] = {}
    untrusted: list[str] = []
    for path in dict.fromkeys((*map(str, agent.files(watched.project)), *(each.path for each in put))):
        try:
            settings = settings_in(watched.files.read(Path(path)).content, path)
        except (FileError, SettingsUnclear) as error:
            faults += [str(error)] if path in {each.path for each in put} else []
            continue
        read[path] = agent.read(settings)
        if any(each.is_ours for each in read[path].callings):
            faults += filter(None, [_rejected(watched, agent, path)])
        untrusted += agent.untrusted(Path(path), settings)
    calling = {path: [each for each in settings.callings if each.is_ours] for path, settings in read.items()}
    faults += [f"they are gone from {each.path}" for each in put if each.path in read and not calling[each.path]]
    wanted = {each.event for each in agent.wanted(watched.caller) if not each.where_listed}
    for path, ours in calling.items():
        missing = sorted(wanted - {each.event for each in ours})
        faults += [f"some are missing in {path}: {', '.join(missing)}"] if ours and missing else []
    files = dict.fromkeys((*(each.path for each in put), *(path for path, ours in calling.items() if ours)))
    holding = [Path(path) for path, ours in calling.items() if ours]
    faults += (fault for path in holding for fault in _beside(watched, agent, path))
    callers = dict.fromkeys(each.caller for ours in calling.values() for each in ours if each.caller)
    faults += filter(None, map(watched.gauge.fault, callers))
    if holding and isinstance(agent, Shipping):
        faults += _unshipped(watched, agent)
    if files:
        faults += [f"{path} switches all hooks off" for path, settings in read.items() if settings.switched_off]
    sound = HookState.UNTRUSTED if untrusted else HookState.INSTALLED
    state = HookState.NOT if not files else HookState.BROKEN if faults else sound
    return Installed(
        agent=agent.name,
        state=state,
        files=tuple(files),
        faults=tuple(faults),
        untrusted=tuple(dict.fromkeys(untrusted)),
        trusting=agent.trusting if untrusted else "",
        others=tuple(each for settings in read.values() for each in settings.callings if not each.is_ours),
        since=min((each.since for each in put), default=None),
        newest_session=max(filter(None, map(agent.newest_session, holding)), default=None),
    )


def _rejected(watched: Watched, agent: Hooks, path: str) -> str:
    """Why an agent does not follow settings that hold hooks of ours; empty where it does."""
    why = agent.rejection(Path(path), watched.files.read(Path(path)).content or b"")
    return f"{path}: {why}" if why else ""


def _beside(watched: Watched, agent: Hooks, settings: Path) -> Iterator[str]:
    """What is wrong with the files of ours that have to stand beside settings."""
    for path, content in companions(agent, settings).items():
        try:
            if watched.files.read(path).content != content:
                yield f"{path} is gone, or not that of this version of wisen"
        except FileError as error:
            yield str(error)


def _unshipped(watched: Watched, agent: Shipping) -> list[str]:
    """What the agent loads from our home and is not there as it has to be."""
    found = []
    for path, content in agent.shipped(watched.caller).items():
        try:
            there = watched.files.read(path).content
        except FileError as error:
            found.append(str(error))
            continue
        if there != content:
            found.append(f"{path} is gone" if there is None else f"{path} is not the one of this wisen")
    return found


def _faults(each: Installed) -> Iterator[Finding]:
    for fault in each.faults:
        again = f"`wisen install {each.agent}` repairs them, `wisen uninstall {each.agent}` takes them out."
        yield Finding(about=_about(each), health=Health.BAD, says=fault, next_step=again)


def _waits(each: Installed) -> Finding:
    """That the user has to trust hooks; bad once a session went by without them."""
    says = f"{each.agent} does not run them before you trust them: {', '.join(each.untrusted)}"
    missed = each.since is not None and each.newest_session is not None and each.newest_session > each.since + SLACK
    health = Health.BAD if missed else Health.NOTICE
    return Finding(about=_about(each), health=health, says=says, next_step=each.trusting)


def _fired(each: Installed, vitals: Vitals) -> Finding:
    """Whether hooks fire in the sessions that there are."""
    last = max((beat.at for beat in vitals.beats.values() if beat.agent in ("", each.agent)), default=None)
    known = max(filter(None, (last, each.since)), default=None)
    says = "none has fired yet" if last is None else f"the last one fired {last:%Y-%m-%d %H:%M} UTC"
    if known is not None and each.newest_session is not None and each.newest_session > known + SLACK:
        return Finding(
            about=_about(each),
            health=Health.BAD,
            says=f"{says}, and a session began {each.newest_session:%Y-%m-%d %H:%M} UTC without them",
            next_step=f"Look at what {each.agent} says of its hooks, or run `wisen install {each.agent}` again.",
        )
    if last is None:
        return Finding(about=_about(each), health=Health.NOTICE, says=says, next_step="Begin a session.")
    return Finding(about=_about(each), health=Health.GOOD, says=says)


def _delivery(vitals: Vitals, now: datetime) -> Iterator[Finding]:
    """Whether hooks have what they answer from, and whether somebody takes what they write."""
    if vitals.trouble:
        next_step = "Look at its owner and rights (`ls -ld`), or move the file away."
        yield Finding(about="spool", health=Health.BAD, says=vitals.trouble, next_step=next_step)
    since = vitals.waiting_since
    if vitals.waiting > _MUCH or (since is not None and now - since > _TAKEN_WITHIN):
        says = f"nobody takes what hooks write: {vitals.waiting:,} bytes wait"
        says += f", the oldest since {since:%Y-%m-%d %H:%M} UTC" if since is not None else ""
        yield Finding(about="spool", health=Health.BAD, says=says, next_step=_CYCLE)
    failure, newest = vitals.failure, vitals.newest
    if failure is not None:
        at = "" if failure.at is None else f" at {failure.at:%Y-%m-%d %H:%M} UTC"
        over = failure.at is not None and newest is not None and newest - failure.at > _TAKEN_WITHIN
        health = Health.NOTICE if over else Health.BAD
        yield Finding(about="hook client", health=health, says=f"it failed{at}: {failure.kind}", next_step=_CYCLE)
    if vitals.snapshot:
        says = f"hooks have nothing to answer from: {vitals.snapshot}"
        health = Health.NOTICE if newest is None else Health.BAD
        yield Finding(about="snapshot", health=health, says=says, next_step=_CYCLE)


def _format(runs: Sequence[Run]) -> Iterator[Finding]:
    """Whether the newest run could read less than it should: more new troubles than new events."""
    done = [run for run in runs if not run.has_stopped]
    if not done:
        return
    rise = done[0].troubles - max((run.troubles for run in done[1:]), default=0)
    if rise > done[0].new_events:
        yield Finding(
            about="format",
            health=Health.BAD,
            says=f"the last run could not read {rise:,} records more than before, and {done[0].new_events:,} were new",
            next_step="An agent has probably changed its format: look for a newer wisen. See `wisen agents`.",
        )


def _about(each: Installed) -> str:
    return f"{each.agent} hooks"
