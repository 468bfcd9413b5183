"""Checks and repairs an installation part by part, even when parts of it are broken.

It opens everything through callables, so that one broken part never hides the others.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from wisen.agents.agent_ports import KeepsLogsInProjects
from wisen.errors import StoreDamaged, WisenError
from wisen.health import heartbeat
from wisen.health.ledger_repair import repair_ledger
from wisen.model.duplicate_entries import find_duplicate_entries, find_duplicate_proposals
from wisen.model.entry_state import fold_entry_states, fold_proposal_states
from wisen.model.report import Selection
from wisen.model.source import ReadProblemKind
from wisen.model.state import Health, HealthFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from wisen.agents.agent_ports import Agent
    from wisen.model.hook import HookHealth, HookStatus
    from wisen.model.run import Run
    from wisen.store.backups import Backups
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Clock

MAX_IDLE = timedelta(days=7)
"""After this long without a run, learning is reported as stopped."""
_SHOWN_RUNS = 10
_SHOWN_PLACES = 3
_REPAIR = "Run `wisen doctor --repair`."


class AccessCheck(Protocol):
    """Access rights of the home, and partial files left in it."""

    def open_to_others(self) -> Sequence[str]:
        """Return what other users could read or change."""
        ...

    def leftovers(self) -> Sequence[Path]:
        """Return the partial files that killed processes left."""
        ...

    def repair(self) -> tuple[int, int, Sequence[str]]:
        """Fix both; return how many were open, how many were partial, and what is still open to others."""
        ...


class DoctorSubject(Struct, frozen=True, kw_only=True):
    """What the doctor checks."""

    home: str
    agents: Sequence[Agent]
    ledger: Callable[[], AbstractContextManager[Ledger]]
    index: Callable[[], AbstractContextManager[Index]]
    rebuild: Callable[[StoreDamaged], str]
    """Moves a damaged index aside, creates a new one, and returns a message."""
    backups: Backups | None
    clock: Clock
    ever_used: bool
    machine: Callable[[], str]
    """Returns the name of this machine."""
    installed: Callable[[Ledger | None], Sequence[HookStatus]]
    """Hook status of each agent, by its settings and, where it can be read, by the ledger."""
    hook_health: Callable[[], HookHealth]
    """Returns the heartbeats, spool and snapshots that show whether hooks work."""
    languages: Callable[[], Sequence[str]]
    """Returns what is wrong with the languages that the user added."""
    access: AccessCheck
    merge_duplicates: Callable[[], tuple[int, int, Sequence[str], Sequence[str]]]
    """Merges duplicates. Returns the counts of lessons and questions, the edited files, and what was not merged."""


def examine(subject: DoctorSubject, repaired: Sequence[HealthFinding] = ()) -> tuple[HealthFinding, ...]:
    """Return the findings of all checks, in a fixed order; after a repair, with what it reported."""
    was_restored = any(each.about == "ledger" and each.health is Health.NOTICE for each in repaired)
    return tuple(_all_findings(subject, was_restored=was_restored))


def repair(subject: DoctorSubject) -> tuple[HealthFinding, ...]:
    """Repair what can be repaired, part by part; damaged files are kept next to the new ones."""
    if not subject.ever_used:
        return (HealthFinding(about="ledger", health=Health.GOOD, says="nothing learned yet; nothing to repair"),)
    return tuple(_repair_parts(subject))


def plan_repair(subject: DoctorSubject) -> tuple[HealthFinding, ...]:
    """Return what a repair would restore of a damaged ledger; nothing is changed. All else is among the findings."""
    if not subject.ever_used:
        return ()
    try:
        finding = repair_ledger(subject.ledger, subject.backups, dry_run=True)
    except WisenError:
        return ()  # the findings say what is wrong with it
    return () if finding.health is Health.GOOD else (finding,)


def _repair_parts(subject: DoctorSubject) -> Iterator[HealthFinding]:
    parts = (
        ("home", _repair_home),
        ("ledger", _repair_ledger),
        ("index", _repair_index),
        ("doubles", _repair_duplicates),
    )
    for about, repair_part in parts:
        try:
            yield repair_part(subject)
        except WisenError as error:  # one part that cannot be repaired does not block the others
            yield HealthFinding(about=about, health=Health.BAD, says=f"it could not be repaired: {error}")


def _repair_home(subject: DoctorSubject) -> HealthFinding:
    """Close the home to other users, and delete partial files."""
    opened, partial, still_open = subject.access.repair()
    if still_open:
        says = (
            f"{still_open[0]} and {len(still_open) - 1} more are still open to other users"
            if still_open[1:]
            else f"{still_open[0]} is still open to other users"
        )
        return HealthFinding(about="home", health=Health.BAD, says=says, next_step="Check its permissions: `ls -l`.")
    if opened or partial:
        says = f"{opened} files and folders were open to other users, {partial} were incomplete: repaired"
        return HealthFinding(about="home", health=Health.NOTICE, says=says)
    return HealthFinding(about="home", health=Health.GOOD, says="yours alone; nothing to repair")


def _repair_ledger(subject: DoctorSubject) -> HealthFinding:
    return repair_ledger(subject.ledger, subject.backups)


def _repair_index(subject: DoctorSubject) -> HealthFinding:
    """Rebuild a damaged index: its content is read from the logs again."""
    try:
        with subject.index() as index:
            index.check()
            index.events.read_problems(Selection())
    except StoreDamaged as error:
        message = subject.rebuild(error)
        with subject.index():
            pass  # opening creates the new one
        return HealthFinding(
            about="index", health=Health.NOTICE, says=message, next_step="Run `wisen learn` to read the logs."
        )
    return HealthFinding(about="index", health=Health.GOOD, says="intact; nothing to repair")


def _repair_duplicates(subject: DoctorSubject) -> HealthFinding:
    """Merge what two runs recorded at the same time."""
    lessons, questions, files, unmerged = subject.merge_duplicates()
    if unmerged:
        says = f"{len(unmerged)} lessons are still duplicated: {unmerged[0]}"
        return HealthFinding(about="doubles", health=Health.NOTICE, says=says)
    if not lessons and not questions:
        return HealthFinding(about="doubles", health=Health.GOOD, says="nothing is recorded twice")
    says = f"{lessons} duplicate lessons and {questions} duplicate questions were merged"
    says += f"; the duplicate line was removed from {', '.join(sorted(set(files)))}" if files else ""
    return HealthFinding(about="doubles", health=Health.NOTICE, says=says)


def _all_findings(subject: DoctorSubject, *, was_restored: bool) -> Iterator[HealthFinding]:
    # For an agent that keeps its sessions in projects, none in its own folder means nothing.
    yield from (
        _agent_finding(agent)
        for agent in subject.agents
        if agent.roots() and not isinstance(agent, KeepsLogsInProjects)
    )
    yield from _hook_findings(subject)
    yield from _language_findings(subject)
    if not subject.ever_used:
        yield HealthFinding(
            about="home",
            health=Health.NOTICE,
            says=f"nothing learned yet in {subject.home}",
            next_step="Run `wisen learn`.",
        )
        return
    yield from _home_findings(subject)
    yield from _ledger_findings(subject, was_restored=was_restored)
    yield from _index_findings(subject)


def _home_findings(subject: DoctorSubject) -> Iterator[HealthFinding]:
    """Report who else could read the home, and partial files, which may contain what was forgotten since."""
    opened, partial = subject.access.open_to_others(), subject.access.leftovers()
    if opened:
        says = f"other users of this machine can access {opened[0]}"
        says += f" and {len(opened) - 1} more" if opened[1:] else ""
        yield HealthFinding(about="home", health=Health.BAD, says=says, next_step=_REPAIR)
    if partial:
        says = f"{len(partial)} files were left incomplete by a killed process, such as {partial[0]}"
        yield HealthFinding(about="home", health=Health.NOTICE, says=says, next_step=_REPAIR)
    if not opened and not partial:
        yield HealthFinding(about="home", health=Health.GOOD, says=f"{subject.home} is yours alone")


def _agent_finding(agent: Agent) -> HealthFinding:
    roots = ", ".join(str(root) for root in agent.roots())
    try:
        count = sum(1 for _ in agent.sources())
    except WisenError as error:
        return HealthFinding(about=agent.name, health=Health.BAD, says=str(error))
    if count:
        return HealthFinding(about=agent.name, health=Health.GOOD, says=f"{count:,} session files in {roots}")
    return HealthFinding(
        about=agent.name,
        health=Health.NOTICE,
        says=f"no sessions in {roots}",
        next_step="Give their folder: `wisen learn --path DIR`.",
    )


def _language_findings(subject: DoctorSubject) -> Iterator[HealthFinding]:
    for says in subject.languages():
        yield HealthFinding(
            about="languages",
            health=Health.BAD,
            says=says,
            next_step="Fix or remove the file; docs/languages.md describes the format.",
        )


def _hook_findings(subject: DoctorSubject) -> Iterator[HealthFinding]:
    """Report the hook status, also where the ledger cannot be read."""
    runs: tuple[Run, ...] = ()
    try:
        if not subject.ever_used:
            installed = subject.installed(None)
        else:
            with subject.ledger() as ledger:
                installed, runs = subject.installed(ledger), ledger.runs.newest(_SHOWN_RUNS)
    except WisenError:
        installed = subject.installed(None)
    yield from heartbeat.findings(installed, subject.hook_health(), runs, subject.clock.now())


def _ledger_findings(subject: DoctorSubject, *, was_restored: bool) -> Iterator[HealthFinding]:
    try:
        with subject.ledger() as ledger:
            ledger.check()
            runs = heartbeat.past_runs(ledger.runs.newest(_SHOWN_RUNS), subject.clock.now())
            unfinished = sum(not each.done for each in ledger.tombstones.all())
            duplicates = _count_duplicates(ledger)
            missing = [*_missing_projects(subject, ledger)]
    except WisenError as error:
        yield HealthFinding(about="ledger", health=Health.BAD, says=str(error), next_step=_REPAIR)
        return
    yield HealthFinding(about="ledger", health=Health.GOOD, says="intact, all checksums match")
    yield from missing
    if duplicates:
        says = f"{duplicates} lessons or questions are duplicated: two runs recorded them at the same time"
        yield HealthFinding(about="doubles", health=Health.BAD, says=says, next_step=_REPAIR)
    if unfinished:
        yield HealthFinding(
            about="forgetting",
            health=Health.BAD,
            says=f"{unfinished} of the things you forgot may still be stored: a run was interrupted",
            next_step="Run `wisen cycle`: it finishes that.",
        )
    if subject.backups is not None:
        copy = subject.backups.newest_valid()
        yield (
            HealthFinding(about="backup", health=Health.GOOD, says=f"newest good one: {copy.name}")
            if copy
            else HealthFinding(
                about="backup", health=Health.BAD, says="there is no good one", next_step="Run `wisen learn`."
            )
        )
    if not runs:
        yield HealthFinding(about="runs", health=Health.NOTICE, says="none yet", next_step="Run `wisen learn`.")
    elif runs[0].error and was_restored:
        says = f"the last one stopped before the ledger was restored: {runs[0].error}"
        yield HealthFinding(about="runs", health=Health.NOTICE, says=says, next_step="Run `wisen learn`.")
    elif runs[0].error:
        yield from heartbeat.last_run_findings(runs)
    else:
        idle = subject.clock.now() - runs[0].finished
        says = f"the last one ended {runs[0].finished:%Y-%m-%d %H:%M} UTC"
        if idle > MAX_IDLE:
            yield HealthFinding(
                about="runs",
                health=Health.BAD,
                says=f"{says}, {idle.days} days ago: learning has stopped",
                next_step="Run `wisen learn`.",
            )
        else:
            yield HealthFinding(about="runs", health=Health.GOOD, says=says)


def _missing_projects(subject: DoctorSubject, ledger: Ledger) -> Iterator[HealthFinding]:
    """Report projects with rules or lessons that have no folder here: what was learned there reaches no agent."""
    places: dict[str, list[str]] = {}
    for alias in ledger.contexts.aliases(subject.machine()):
        places.setdefault(alias.context, []).append(alias.path)
    learnt = {
        each.context for each in fold_entry_states(ledger.entries.all(), (), ledger.moves.all()) if not each.is_over
    }
    names = {each.key: each.name for each in ledger.contexts.all() if each.key in learnt}
    gone = [name for key, name in names.items() if key in places and not any(map(_is_folder, places[key]))]
    elsewhere = [name for key, name in names.items() if key not in places]
    step = "`wisen contexts alias KEY DIR` says where one is now; `wisen contexts` lists them."
    seen_elsewhere = "they were seen on another machine, or by another user"
    for names_missing, why in ((gone, "their folders are gone"), (elsewhere, seen_elsewhere)):
        if names_missing:
            more = f" and {len(names_missing) - _SHOWN_PLACES} more" if names_missing[_SHOWN_PLACES:] else ""
            many = "1 project has" if len(names_missing) == 1 else f"{len(names_missing)} projects have"
            says = f"{many} no folder here ({why}): {', '.join(names_missing[:_SHOWN_PLACES])}{more}"
            yield HealthFinding(about="projects", health=Health.NOTICE, says=says, next_step=step)


def _is_folder(path: str) -> bool:
    """Whether a folder exists there; no path, however malformed, raises an error."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def _count_duplicates(ledger: Ledger) -> int:
    """Count the duplicate lessons and questions."""
    moves = ledger.moves.all()
    doubled = find_duplicate_entries(fold_entry_states(ledger.entries.all(), (), moves), moves)
    return sum(len(each.duplicates) for each in doubled) + len(
        find_duplicate_proposals(fold_proposal_states(ledger.proposals.all(), moves), doubled)
    )


def _index_findings(subject: DoctorSubject) -> Iterator[HealthFinding]:
    try:
        with subject.index() as index:
            index.check()
            problems = index.events.read_problems(Selection())
    except WisenError as error:
        yield HealthFinding(about="index", health=Health.BAD, says=str(error), next_step=_REPAIR)
        return
    yield HealthFinding(about="index", health=Health.GOOD, says="intact")
    unknown = [each for each in problems if each.kind in (ReadProblemKind.UNKNOWN, ReadProblemKind.MISSHAPEN)]
    if unknown:
        kinds = ", ".join(sorted({f"{each.kind.value} {each.detail!r}" for each in unknown})[:8])
        yield HealthFinding(
            about="format",
            health=Health.NOTICE,
            says=f"{sum(each.count for each in unknown):,} records of a kind this version does not know: {kinds}",
            next_step="A newer agent may write a newer format: check for a newer wisen.",
        )
    lost = sum(each.count for each in problems if each.kind in (ReadProblemKind.GARBLED, ReadProblemKind.OVERSIZED))
    if lost:
        yield HealthFinding(about="logs", health=Health.NOTICE, says=f"{lost:,} lines could not be read; the rest was")
