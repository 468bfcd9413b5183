"""Finds files and checkouts that wait for the user's ownership decision, and words the questions about them.

Nothing here decides for the user: `contexts/service.py` applies what the user says.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from os.path import commonpath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.block import DeliveredLine
from wisen.errors import FileError
from wisen.logs.adoption import BEGINNING
from wisen.logs.learnings_files import FOLDER, learnings_paths
from wisen.logs.off_markers import foreign_markers
from wisen.logs.ownership_rows import changes_of, context_of_file, ownership_row
from wisen.model.ownership import Ownership, OwnershipSubject, OwnershipVerdict

if TYPE_CHECKING:
    from wisen.edits.edit_history import EditPorts
    from wisen.logs.membership import CheckoutClaim
    from wisen.logs.projects import Projects
    from wisen.store.home import Home


class WaitingFile(NamedTuple):
    """A file inside a project that would count as the user's, but does not in its current state."""

    path: str
    context: str
    digest: str
    was_adopted: bool
    """Whether the user adopted it before it changed."""
    subject: OwnershipSubject = OwnershipSubject.FILE
    is_adoptable: bool = True
    """False for a transcript: it can name any directory as its own, so it is only read outside of repositories."""


def files_kept_in_project(projects: Projects, path: Path) -> tuple[Path, ...]:
    """Return the files of the log that an agent keeps inside a project, if `path` is one of them; otherwise none."""
    from wisen.agents.agent_ports import KeepsLogsInProjects

    for agent in projects.agents:
        if isinstance(agent, KeepsLogsInProjects):
            for source in agent.project_sources([path.parent]):
                if path in (files := agent.files_of(source)):
                    return files
    return ()


def waiting_files(projects: Projects, edit_ports: EditPorts, under: Path | None = None) -> list[WaitingFile]:
    """Return the files in known projects that wait for the user's ownership decision, sorted by path.

    With `under`, also those that agents left there.
    """
    collector = _WaitingFiles(projects, edit_ports)
    collector.add_learnings()
    collector.add_sources(under)
    collector.add_asked_about()
    for marker in foreign_markers(projects, edit_ports):
        collector.add(Path(marker), "", OwnershipSubject.MARKER)
    return [collector.files[path] for path in sorted(collector.files)]


class _WaitingFiles:
    """Collects the files that wait for the user's decision."""

    def __init__(self, projects: Projects, edit_ports: EditPorts) -> None:
        self._projects, self._home, self._files = projects, projects.home, edit_ports.files
        self._adoptions = projects.adoptions
        self.files: dict[str, WaitingFile] = {}

    def add(self, path: Path, digest: str, subject: OwnershipSubject = OwnershipSubject.FILE) -> None:
        """Add a file that is not the user's, unless the user rejected it in its current state."""
        decision = self._adoptions.decision(str(path), subject)
        if decision is None or decision.verdict is not OwnershipVerdict.FOREIGN or decision.digest != digest:
            was_adopted = decision is not None and decision.verdict is OwnershipVerdict.OWNED
            context = context_of_file(self._projects, path)
            is_adoptable = (
                subject is not OwnershipSubject.FILE
                or path.parent.name == FOLDER
                or bool(files_kept_in_project(self._projects, path))
            )
            self.files[str(path)] = WaitingFile(str(path), context, digest, was_adopted, subject, is_adoptable)

    def add_learnings(self) -> None:
        """Add the learnings files in workspaces."""
        places = {alias.path for alias in self._projects.active_aliases()}
        for path in (
            path for place in places if (Path(place) / FOLDER).is_dir() for path in learnings_paths(Path(place))
        ):
            with suppress(FileError):
                current = self._files.read(path)
                ours = partial(changes_of, self._home, current.real_path)
                if current.content and not self._adoptions.is_trusted_content(str(path), current.digest, ours):
                    self.add(path, current.digest)

    def add_sources(self, under: Path | None) -> None:
        """Add the files that agents keep in projects."""
        projects = self._projects
        for agent in projects.agents:
            for source in (*projects.project_sources(agent), *(agent.sources(under) if under else ())):
                for file in projects.files_in_project(agent, source):
                    self._add_growing(file)

    def add_asked_about(self) -> None:
        """Add what the user was asked about before, even if no reader of the agent is available."""
        for row in self._home.ledger.ownerships.of(self._home.machine):
            is_file = row.subject is OwnershipSubject.FILE and Path(row.path).parent.name != FOLDER
            if is_file and row.verdict is OwnershipVerdict.ASKED and row.path not in self.files:
                self._add_growing(Path(row.path))

    def _add_growing(self, file: Path) -> None:
        tracking = self._projects.tracking
        if not self._adoptions.has_only_grown(str(file), partial(tracking.facts, file)):
            facts = tracking.facts(file, BEGINNING)
            if facts is not None:
                self.add(file, facts.identity)


def waiting_places(projects: Projects) -> list[CheckoutClaim]:
    """Return the checkouts that claim to be a known project and wait for the user's decision, sorted by path."""
    for alias in projects.active_aliases():
        projects.resolver.claim_at(alias.path)
    return [*projects.resolver.claims()]


def describe_waiting(
    projects: Projects, edit_ports: EditPorts, under: Path | None = None, *, once: bool
) -> tuple[str, ...]:
    """Describe what waits for a decision, a line each; with `once`, only what was not shown before, and record that.

    Session files that cannot be adopted share one line, which is repeated when the user names their folder again.
    """
    home, adoptions, lines, rows = projects.home, projects.adoptions, list[str](), list[Ownership]()
    skipped: list[WaitingFile] = []
    for file in waiting_files(projects, edit_ports, under):
        is_new = not (once and adoptions.was_asked(file.path, file.digest))
        if is_new:
            rows.append(_asked_row(home, file.subject, file.path, file.context, file.digest))
        if not file.is_adoptable:
            if is_new or (under is not None and Path(file.path).is_relative_to(under.absolute())):
                skipped.append(file)
        elif is_new:
            lines.append(_describe_file(file))
    if skipped:
        lines.append(_describe_skipped([file.path for file in skipped]))
    for claim in waiting_places(projects):
        if not (once and adoptions.was_asked(claim.root, claim.context.key)):
            lines.append(describe_claim(claim))
            rows.append(_asked_row(home, OwnershipSubject.PLACE, claim.root, claim.context.key, claim.context.key))
    if once and rows:
        home.ledger.ownerships.add(rows)
    return tuple(lines)


def ownership_questions(projects: Projects, edit_ports: EditPorts) -> dict[str, list[DeliveredLine]]:
    """Return what sessions of each context ask the user once: what waits there for a decision."""
    lines: dict[str, list[DeliveredLine]] = {}
    for file in waiting_files(projects, edit_ports):
        if not file.is_adoptable:
            continue  # there is nothing that the user could decide
        statement = f"{_display_name(file.path)} is not read until the user adopts it"
        if file.subject is OwnershipSubject.MARKER:
            statement = (
                f"{_display_name(file.path)} came with the project: nothing is learned here, guards and rules apply"
            )
        elif file.was_adopted:
            statement = f"{_display_name(file.path)} changed since the user adopted it, and is not read"
        command = "wisen off" if file.subject is OwnershipSubject.MARKER else "wisen adopt"
        lines.setdefault(file.context, []).append(
            DeliveredLine(f"Q-{_question_id(file.path, file.digest)}", f"{statement}.", "", f"`{command}`")
        )
    for claim in waiting_places(projects):
        context = projects.resolver.key_at(Path(claim.root))
        text = "this folder has the remote of a project that wisen knows; what was learned there is not used here."
        lines.setdefault(context, []).append(
            DeliveredLine(
                f"Q-{_question_id(claim.root, claim.context.key)}",
                text,
                "",
                "`wisen contexts join .` or `wisen contexts separate .`",
            )
        )
    return lines


def describe_claim(claim: CheckoutClaim) -> str:
    """Word the question about a checkout that claims to be a known project."""
    missing = [path for path in claim.places if not Path(path).is_dir()]
    if claim.places and len(missing) == len(claim.places):
        question = f"{claim.context.name} was known in {missing[-1]}, which is gone: was it moved here?"
    elif claim.places:
        question = f"{claim.context.name} is known in {claim.places[-1]}: is this another checkout of yours?"
    else:
        question = f"{claim.context.name} is known from another machine: is this a checkout of yours?"
    return f"{claim.root} learns for itself. {question} wisen contexts join {claim.root}, or separate"


def _describe_file(file: WaitingFile) -> str:
    if file.subject is OwnershipSubject.MARKER:
        rest = "nothing is learned there, and guards and rules apply. wisen off, or delete it"
        return f"{file.path} was not made by `wisen off`: {rest}"
    reason = "changed since you adopted it" if file.was_adopted else "may be somebody else's"
    return f"{file.path} is not read: it {reason}. wisen adopt {file.path}"


def _describe_skipped(paths: list[str]) -> str:
    if len(paths) == 1:
        return (
            f"{paths[0]} was skipped: it is inside a repository, so someone else may have written it. "
            "Copy it out of the repository if it is yours."
        )
    return (
        f"{len(paths)} session files in {commonpath(paths)} were skipped: they are inside a repository, so someone "
        "else may have written them. Copy them out of the repository if they are yours."
    )


def _asked_row(home: Home, subject: OwnershipSubject, path: str, context: str, digest: str) -> Ownership:
    return ownership_row(home, subject, path, OwnershipVerdict.ASKED, context=context, digest=digest)


def _display_name(path: str) -> str:
    """Return the name of a file as agents see it, without its folders: their names may be anybody's text."""
    file = Path(path)
    return f"{FOLDER}/{file.name}" if file.parent.name == FOLDER else file.name


def _question_id(path: str, digest: str) -> str:
    from hashlib import blake2b

    return blake2b(f"{path}\0{digest}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
