"""Contexts: lists them, adopts files, joins checkouts to projects and separates them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.contexts import ownership_questions
from wisen.errors import UsageError
from wisen.logs.adoption import BEGINNING
from wisen.logs.learnings_files import FOLDER
from wisen.logs.ownership_rows import context_of_file, ownership_row
from wisen.model.entry import Actor, MoveKind
from wisen.model.ownership import AdoptableFile, OwnershipSubject, OwnershipVerdict
from wisen.store.known_entries import entry_states

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.decisions.service import Decisions
    from wisen.delivery.block import DeliveredLine
    from wisen.edits.edit_history import EditPorts
    from wisen.logs.membership import CheckoutClaim
    from wisen.logs.projects import Projects
    from wisen.model.context import Context
    from wisen.model.ownership import Ownership
    from wisen.store.home import Home

_MAX_FILE_BYTES = 64 << 20
"""Maximum bytes of a file that can be adopted: nobody reviews more."""


class ContextService:
    """The known contexts, and the user's decisions about who owns a file or a folder."""

    def __init__(self, home: Home, projects: Projects, edit_ports: EditPorts, decisions: Decisions) -> None:
        self._home, self._projects, self._edit_ports, self._decisions = home, projects, edit_ports, decisions

    def key_of(self, path: Path) -> str:
        """Return the key of the context that a directory belongs to; empty if there is none."""
        return self._projects.context_of(path)

    def all(self) -> tuple[tuple[Context, tuple[str, ...], int], ...]:
        """Return every context with the directories of this machine that it was seen in, and its number of entries."""
        ledger = self._home.ledger
        counts = Counter(tally.context for tally in ledger.entries.tallies())
        aliases = ledger.contexts.aliases(self._home.machine)
        return tuple(
            (each, tuple(dict.fromkeys(alias.path for alias in aliases if alias.context == each.key)), counts[each.key])
            for each in ledger.contexts.all()
        )

    def places_of(self, project: str, *, is_required: bool = False) -> tuple[str, ...]:
        """Return the directories of a project, by its name or path; none if it is unknown, unless `is_required`.

        Raises:
            UsageError: the name is empty, or the project must be known and is not.
        """
        from wisen.contexts.project_names import nearest_projects, project_places

        if not project.strip():
            raise UsageError("--project needs a name, like --project shop, or a path. List them with: wisen contexts")
        contexts, aliases = self._home.ledger.contexts.all(), self._projects.active_aliases()
        places = project_places(project, str(Path(project).expanduser().absolute()), contexts, aliases)
        if is_required and not places:
            nearest = nearest_projects(project, contexts, aliases)
            known = f" Nearest: {', '.join(nearest)}." if nearest else ""
            raise UsageError(f"No project {project!r} was seen in your sessions.{known} All of them: wisen contexts")
        return places

    def move_removed_worktrees(self) -> int:
        """Move what was learned in removed directories to the projects they belonged to. Returns how many moved."""
        from wisen.contexts.worktree_moves import move_removed_worktrees

        return move_removed_worktrees(self._projects)

    def describe_waiting(self, under: Path | None = None, *, once: bool) -> tuple[str, ...]:
        """Describe what waits for a decision, a line each; with `once`, only what is new, and record it."""
        return ownership_questions.describe_waiting(self._projects, self._edit_ports, under, once=once)

    def questions(self) -> dict[str, list[DeliveredLine]]:
        """Return what sessions of each context ask the user once: what waits there for a decision."""
        return ownership_questions.ownership_questions(self._projects, self._edit_ports)

    def waiting_files(self) -> tuple[ownership_questions.WaitingFile, ...]:
        """Return the files in known projects that wait for the user's ownership decision."""
        return tuple(ownership_questions.waiting_files(self._projects, self._edit_ports))

    def adopted_files(self) -> tuple[Ownership, ...]:
        """Return the files that the user adopted."""
        return self._projects.adoptions.adopted_files()

    def adoptable_files(self, path: Path) -> tuple[AdoptableFile, ...]:
        """Return a file inside a project as it is now, with the files that belong to it.

        Raises:
            UsageError: there is no such file, or it cannot be read.
        """
        path = path.absolute()
        if files := ownership_questions.files_kept_in_project(self._projects, path):
            return tuple(map(self._inspect_file, files))
        if path.parent.name != FOLDER:
            # A transcript can name any directory as its own: it would count in every project.
            rest = "Transcripts are read outside of repositories: copy yours out of it, then wisen learn --path DIR"
            raise UsageError(f"{path} is neither a learnings file nor an aider chat. {rest}")
        return (self._inspect_file(path),)

    def adopt(self, shown: AdoptableFile, *, is_mine: bool = False, dry_run: bool = False) -> Ownership:
        """Record that a file, as it was shown, counts as the user's.

        `is_mine`: the user claims to have written it, although it existed before the first session in the project.

        Raises:
            UsageError: it is not the user's, or no longer what was shown.
        """
        current = self._inspect_file(Path(shown.path))
        if refusal := current.refusal_reason(is_mine=is_mine):
            raise UsageError(refusal)
        is_same = (
            current.facts.identity == shown.facts.identity and current.content[: len(shown.content)] == shown.content
        )
        if not is_same or (not current.grows and current.content != shown.content):
            raise UsageError(f"{shown.path} has changed since it was shown. Look at it again: wisen adopt {shown.path}")
        self._decisions.require_person(
            dry_run=dry_run
        )  # no request is recorded: whoever adopts a file must see it first
        row = ownership_row(
            self._home,
            OwnershipSubject.FILE,
            shown.path,
            OwnershipVerdict.OWNED,
            context=shown.context,
            by=Actor.USER,
            digest=shown.facts.digest,
            size=shown.facts.size,
            identity=shown.facts.identity if shown.grows else "",
        )
        if not dry_run:
            self._home.ledger.ownerships.add([row])
        return row

    def disown(self, path: Path, *, dry_run: bool = False) -> Ownership:
        """Record that a file is not the user's: it is not read, nor asked about in its current state.

        Raises:
            UsageError: it neither waits nor was adopted.
        """
        name = str(path.absolute())
        waiting = next((each for each in self.waiting_files() if each.path == name), None)
        decision = self._projects.adoptions.decision(name)
        if waiting is None and (decision is None or decision.verdict is not OwnershipVerdict.OWNED):
            raise UsageError(
                f"{path} is not waiting for adoption and was not adopted. List such files with: wisen adopt"
            )
        self._decisions.require_person("adopt", name, "--revoke", dry_run=dry_run)
        context = waiting.context if waiting else decision.context if decision else ""
        digest = waiting.digest if waiting else decision.digest if decision else ""
        row = ownership_row(
            self._home,
            OwnershipSubject.FILE,
            name,
            OwnershipVerdict.FOREIGN,
            context=context,
            digest=digest,
            by=Actor.USER,
        )
        if not dry_run:
            self._home.ledger.ownerships.add([row])
        return row

    def waiting_places(self) -> tuple[CheckoutClaim, ...]:
        """Return the checkouts that claim to be a known project and wait for the user's decision."""
        return tuple(ownership_questions.waiting_places(self._projects))

    @staticmethod
    def describe_place(claim: CheckoutClaim) -> str:
        """Word the question about a checkout."""
        return ownership_questions.describe_claim(claim)

    def join(self, path: Path, *, dry_run: bool = False) -> CheckoutClaim:
        """Record that a checkout belongs to the project it claims to be: what was learned is shared from now on.

        What was learned in it alone becomes the project's.

        Raises:
            UsageError: no decision about it is pending.
        """
        claim = self._projects.resolver.claim_at(str(path.absolute()))
        if claim is None:
            raise UsageError(
                f"{path} does not claim to be a project known elsewhere. List those that do with: wisen contexts"
            )
        self._decisions.require_person("contexts", "join", str(path.absolute()), dry_run=dry_run)
        if not dry_run:
            place_context = self._projects.resolver.key_at(Path(claim.root))
            self._record_place(claim.root, claim.context, claim.context)
            ledger = self._home.ledger
            every = entry_states(ledger)
            here = [each for each in every if each.context == place_context and not each.is_over]
            reason = f"you joined {claim.root} to {claim.context.name}"
            factory = self._home.row_factory
            ledger.entries.record(
                [
                    factory.build_move(each.entry.id, MoveKind.SCOPE, claim.context.key, by=Actor.USER, why=reason)
                    for each in here
                ]
            )
        return claim

    def separate(self, path: Path, *, dry_run: bool = False) -> tuple[str, Context]:
        """Record that a checkout is a separate project, whatever it claims. Returns its top and the claimed project.

        Raises:
            UsageError: there can be no project.
        """
        identity = self._projects.resolver.identity(path.absolute())
        if identity is None:
            raise UsageError(f"{path} is not a project. Pass a project's folder.")
        root, claimed = identity
        self._decisions.require_person("contexts", "separate", str(path.absolute()), dry_run=dry_run)
        row = ownership_row(
            self._home,
            OwnershipSubject.PLACE,
            root,
            OwnershipVerdict.FOREIGN,
            context=claimed.key,
            digest=claimed.key,
            by=Actor.USER,
        )
        if not dry_run:
            self._home.ledger.ownerships.add([row])
            self._projects.resolver.apply_decisions([row])
        return root, claimed

    def _inspect_file(self, path: Path) -> AdoptableFile:
        projects = self._projects
        grows = path.parent.name != FOLDER
        facts = projects.tracking.facts(path, BEGINNING if grows else _MAX_FILE_BYTES)
        if facts is None:
            raise UsageError(f"{path} is not a readable file. List the waiting files with: wisen adopt")
        if facts.size > _MAX_FILE_BYTES:
            raise UsageError(
                f"{path} has {facts.size:,} bytes: files of more than {_MAX_FILE_BYTES:,} bytes cannot be adopted."
            )
        content = self._edit_ports.files.read(path).content or b""
        adoptions = projects.adoptions
        is_adopted = (
            adoptions.has_only_grown(str(path), lambda first: projects.tracking.facts(path, first))
            if grows
            else adoptions.is_trusted_content(str(path), facts.digest, tuple)
        )
        tracked_by, first = projects.tracking.tracked_by(path), self._first_session(path)
        context = context_of_file(projects, path)
        return AdoptableFile(str(path), context, facts, tracked_by, first, content, is_adopted, grows)

    def _first_session(self, path: Path) -> datetime | None:
        """Return when the user first worked in the project around a file, by sessions stored outside of it."""
        from wisen.agents.agent_ports import KeepsLogsInProjects
        from wisen.model.report import Selection

        projects = self._projects
        top = projects.resolver.places.top_of(path.parent)
        if top is None:
            return None
        agents = [each.name for each in projects.agents if not isinstance(each, KeepsLogsInProjects)]
        counts = (self._home.index.events.counts(Selection(agent=name, places=(str(top),))) for name in agents)
        return min((each.first for each in counts if each.first is not None), default=None)

    def alias(self, key: str, path: Path, *, dry_run: bool = False) -> Context:
        """Record that a directory of this machine belongs to a context: what was learned there applies from now on.

        Raises:
            UsageError: there is no such context, or no such directory.
        """
        from wisen.model.context import Alias

        matches = [each for each in self._home.ledger.contexts.all() if key and each.key.startswith(key)]
        if len(matches) != 1:
            problem = f"{len(matches)} contexts begin with" if matches else "No context has the key"
            raise UsageError(f"{problem} {key!r}. List them with: wisen contexts")
        if not path.is_dir():
            raise UsageError(f"{path} is not a directory. Pass a directory of this machine.")
        self._decisions.require_person("contexts", "alias", matches[0].key, str(path.resolve()), dry_run=dry_run)
        if not dry_run:
            home = self._home
            since = home.clock.now()
            alias = Alias(context=matches[0].key, machine=home.machine, path=str(path.resolve()), since=since)
            home.ledger.contexts.add(matches[0], alias)
            if identity := self._projects.resolver.identity(path):
                self._record_place(identity[0], matches[0], identity[1])
        return matches[0]

    def _record_place(self, root: str, project: Context, claimed: Context) -> None:
        """Record the user's decision that a place belongs to a project, while its claimed identity stays the same."""
        row = ownership_row(
            self._home,
            OwnershipSubject.PLACE,
            root,
            OwnershipVerdict.OWNED,
            context=project.key,
            digest=claimed.key,
            by=Actor.USER,
        )
        self._home.ledger.ownerships.add([row])
        self._projects.resolver.apply_decisions([row])
