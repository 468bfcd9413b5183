"""Looks an installation over, part by part, even when parts of it are broken.

It opens what it is given through callables, so that one broken part never hides the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from wisen import heartbeat
from wisen.domain.report import Selection
from wisen.domain.sources import TroubleKind
from wisen.domain.state import Finding, Health
from wisen.errors import StoreDamaged, WisenError
from wisen.ports import Scattered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from wisen.domain.runs import Run
    from wisen.heartbeat import Watched
    from wisen.ports import Agent, Backups, Clock, Index, Ledger

QUIET = timedelta(days=7)
"""After this long without a run we say that learning has stopped."""
_SHOWN_RUNS = 10
_REPAIR = "Run `wisen doctor --repair`."


@dataclass(frozen=True, kw_only=True)
class Examined:
    """What the doctor looks at."""

    home: str
    agents: Sequence[Agent]
    ledger: Callable[[], AbstractContextManager[Ledger]]
    index: Callable[[], AbstractContextManager[Index]]
    backups: Backups | None
    clock: Clock
    ever_used: bool
    watched: Watched
    languages: Callable[[], Sequence[str]]
    """What is wrong with the languages that the user added."""


def examine(subject: Examined) -> tuple[Finding, ...]:
    """Everything that was looked at, in a fixed order."""
    return tuple(_findings(subject))


def repair(subject: Examined) -> tuple[Finding, ...]:
    """Put the newest good backup in the place of a damaged ledger; the damaged file is kept."""
    try:
        with subject.ledger() as ledger:
            ledger.check()
    except StoreDamaged as error:
        return (_restore(subject, error),)
    return (Finding(about="ledger", health=Health.GOOD, says="reads whole; nothing to repair"),)


def _restore(subject: Examined, error: StoreDamaged) -> Finding:
    copy = subject.backups.newest_good() if subject.backups else None
    if subject.backups is None or copy is None:
        return Finding(
            about="ledger",
            health=Health.BAD,
            says=f"{error} There is no good backup of it.",
            next_step="Move the file away to begin with an empty ledger; it is never done for you.",
        )
    aside = subject.backups.restore(copy)
    after = f"what came after that copy is only in {aside}" if aside.exists() else "what came after that copy is lost"
    return Finding(
        about="ledger",
        health=Health.NOTICE,
        says=f"restored from {copy.name}; {after}",
        next_step="Run `wisen learn` to read the logs again.",
    )


def _findings(subject: Examined) -> Iterator[Finding]:
    # Where an agent keeps its sessions in projects, that there are none in its own place says nothing.
    yield from (_agent(agent) for agent in subject.agents if agent.roots() and not isinstance(agent, Scattered))
    yield from _hooks(subject)
    yield from _languages(subject)
    if not subject.ever_used:
        yield Finding(
            about="home",
            health=Health.NOTICE,
            says=f"nothing learnt yet in {subject.home}",
            next_step="Run `wisen learn`.",
        )
        return
    yield from _ledger(subject)
    yield from _index(subject)


def _agent(agent: Agent) -> Finding:
    roots = ", ".join(str(root) for root in agent.roots())
    try:
        count = sum(1 for _ in agent.sources())
    except WisenError as error:
        return Finding(about=agent.name, health=Health.BAD, says=str(error))
    if count:
        return Finding(about=agent.name, health=Health.GOOD, says=f"{count:,} session files in {roots}")
    return Finding(
        about=agent.name,
        health=Health.NOTICE,
        says=f"no sessions in {roots}",
        next_step="Give their folder: `wisen learn --path DIR`.",
    )


def _languages(subject: Examined) -> Iterator[Finding]:
    for says in subject.languages():
        yield Finding(
            about="languages",
            health=Health.BAD,
            says=says,
            next_step="Mend the file or take it away; docs/languages.md tells what may stand there.",
        )


def _hooks(subject: Examined) -> Iterator[Finding]:
    """What the settings tell is told also where the ledger cannot be read."""
    runs: tuple[Run, ...] = ()
    try:
        if not subject.ever_used:
            found = heartbeat.installed(subject.watched, None)
        else:
            with subject.ledger() as ledger:
                found, runs = heartbeat.installed(subject.watched, ledger), ledger.runs(_SHOWN_RUNS)
    except WisenError:
        found = heartbeat.installed(subject.watched, None)
    yield from heartbeat.findings(found, subject.watched.gauge.vitals(), runs, subject.clock.now())


def _ledger(subject: Examined) -> Iterator[Finding]:
    try:
        with subject.ledger() as ledger:
            ledger.check()
            runs = ledger.runs(1)
            unfinished = sum(not each.done for each in ledger.tombstones())
    except WisenError as error:
        yield Finding(about="ledger", health=Health.BAD, says=str(error), next_step=_REPAIR)
        return
    yield Finding(about="ledger", health=Health.GOOD, says="reads whole, every seal fits")
    if unfinished:
        yield Finding(
            about="forgetting",
            health=Health.BAD,
            says=f"{unfinished} of what you had forgotten may still stand somewhere: a run was cut off",
            next_step="Run `wisen cycle`: it finishes that.",
        )
    if subject.backups is not None:
        copy = subject.backups.newest_good()
        yield (
            Finding(about="backup", health=Health.GOOD, says=f"newest good one: {copy.name}")
            if copy
            else Finding(about="backup", health=Health.BAD, says="there is no good one", next_step="Run `wisen learn`.")
        )
    if not runs:
        yield Finding(about="runs", health=Health.NOTICE, says="none yet", next_step="Run `wisen learn`.")
    elif runs[0].error:
        yield from heartbeat.stopped(runs)
    else:
        quiet = subject.clock.now() - runs[0].finished
        says = f"the last one ended {runs[0].finished:%Y-%m-%d %H:%M} UTC"
        if quiet > QUIET:
            yield Finding(
                about="runs",
                health=Health.BAD,
                says=f"{says}, {quiet.days} days ago: learning has stopped",
                next_step="Run `wisen learn`.",
            )
        else:
            yield Finding(about="runs", health=Health.GOOD, says=says)


def _index(subject: Examined) -> Iterator[Finding]:
    try:
        with subject.index() as index:
            index.check()
            troubles = index.troubles(Selection())
    except WisenError as error:
        yield Finding(about="index", health=Health.BAD, says=str(error), next_step="Run `wisen learn`: it is rebuilt.")
        return
    yield Finding(about="index", health=Health.GOOD, says="reads whole")
    strange = [t for t in troubles if t.kind in (TroubleKind.UNKNOWN, TroubleKind.MISSHAPEN)]
    if strange:
        kinds = ", ".join(sorted({f"{t.kind.value} {t.detail!r}" for t in strange})[:8])
        yield Finding(
            about="format",
            health=Health.NOTICE,
            says=f"{sum(t.count for t in strange):,} records of a kind this version does not know: {kinds}",
            next_step="A newer agent may write a newer format: look for a newer wisen.",
        )
    lost = sum(t.count for t in troubles if t.kind in (TroubleKind.GARBLED, TroubleKind.OVERSIZED))
    if lost:
        yield Finding(about="logs", health=Health.NOTICE, says=f"{lost:,} lines could not be read; the rest was")
