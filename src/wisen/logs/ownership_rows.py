"""Ownership rows for files and folders: recording first sightings, and finding what of a project is the user's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.agents.agent_ports import KeepsLogsInProjects
from wisen.logs.learnings_files import FOLDER, learnings_paths
from wisen.model.context import Alias
from wisen.model.ownership import Ownership, OwnershipSubject, OwnershipVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from wisen.agents.agent_ports import Agent
    from wisen.logs.projects import Projects
    from wisen.model.change import Change
    from wisen.model.source import Source
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files


def record_places(projects: Projects) -> None:
    """Record in which directories contexts were seen, and in which checkout each new project was first seen."""
    home = projects.home
    for context, path in projects.resolver.locations.take_new():
        alias = Alias(context=context.key, machine=home.machine, path=path, since=home.clock.now())
        home.ledger.contexts.add(context, alias)
    rows = [
        ownership_row(
            home, OwnershipSubject.PLACE, root, OwnershipVerdict.FIRST, context=project.key, digest=project.key
        )
        for project, root in projects.resolver.take_first_checkouts()
    ]
    if rows:
        home.ledger.ownerships.add(rows)


def ownership_row(
    home: Home, subject: OwnershipSubject, path: str, verdict: OwnershipVerdict, **more: object
) -> Ownership:
    """Build an ownership row about a file or a folder."""
    row = Ownership(
        id=home.ids.new(),
        machine=home.machine,
        at=home.clock.now(),
        subject=subject,
        path=path,
        context="",
        verdict=verdict,
    )
    return structs.replace(row, **more)


def owned_learnings(projects: Projects, files: Files, place: Path) -> Iterator[bytes]:
    """Yield the contents of those learnings files in a workspace that are the user's or our own."""
    adoptions = projects.adoptions
    for path in learnings_paths(place):
        current = files.read(path)
        if current.content and adoptions.is_trusted_content(
            str(path), current.digest, partial(changes_of, projects.home, current.real_path)
        ):
            yield current.content


def still_owned_sources(projects: Projects, agent: Agent, sources: Iterable[Source]) -> list[Source]:
    """Drop the changed sources that are now tracked files of a repository, and record that they are foreign."""
    return [each for each in sources if _is_still_owned(projects, agent, each)]


def _is_still_owned(projects: Projects, agent: Agent, source: Source) -> bool:
    for file in projects.files_in_project(agent, source):
        if projects.tracking.tracked_by(file) != "":
            context = context_of_file(projects, file)
            row = ownership_row(
                projects.home, OwnershipSubject.FILE, str(file), OwnershipVerdict.FOREIGN, context=context
            )
            projects.home.ledger.ownerships.add([row])
            return False
    return True


def context_of_file(projects: Projects, path: Path) -> str:
    """Return the key of the context that a file of a project belongs to."""
    return projects.resolver.key_at(path.parent.parent if path.parent.name == FOLDER else path.parent)


def confined_agents(projects: Projects) -> frozenset[str]:
    """Return the agents whose sessions are stored inside projects: their records count for that project only."""
    return frozenset(each.name for each in projects.agents if isinstance(each, KeepsLogsInProjects))


def changes_of(home: Home, real: str) -> tuple[Change, ...]:
    """Return our changes to a file, oldest first."""
    return home.ledger.changes.of(machine=home.machine, path=real)
