"""Resolves the directory an agent worked in to the context (project) that the session belongs to.

A repository with a remote is the context of that remote, in its first place and in every other one that the user
joined to it (`membership.py`); worktrees belong to their main one. Without a remote, or until the user says so, the
context is the place of its main worktree, and outside any repository it is the directory itself. Neither the home
directory nor the root of the file system is ever a context. A resolver looks up each directory once, so it is rebuilt
for each cycle.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.logs.context_locations import ContextLocations
from wisen.logs.membership import Membership
from wisen.logs.off_switches import OffSwitches
from wisen.logs.project_places import Directory, Places, is_windows
from wisen.logs.remote import local_path, network_name
from wisen.logs.removed_worktrees import RemovedWorktrees
from wisen.logs.repository import Repository, is_bare
from wisen.model.context import Context, ContextKind, canonical_of, context_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from wisen.logs.membership import CheckoutClaim, ProjectName
    from wisen.model.context import Alias
    from wisen.model.ownership import Ownership

_MAX_CLONE_HOPS = 8
"""How many clones of clones are followed to the repository they come from."""


class ContextResolver:
    """Resolves contexts for one machine, and collects in which directories they were seen."""

    def __init__(  # noqa: PLR0913 - what the ledger, the settings and the user say about places, each by name
        self,
        *,
        home: Path,
        machine: str,
        contexts: Iterable[Context],
        aliases: Iterable[Alias],
        suffix: str | None = None,
        switches: OffSwitches | None = None,
        ownerships: Iterable[Ownership] = (),
    ) -> None:
        """`contexts`, `aliases` and `ownerships` (rows about places) are what the ledger knows.

        Raises: UsageError for a suffix that is not a valid name.
        """
        contexts, aliases = tuple(contexts), tuple(aliases)
        self._machine = machine
        self._suffix = None if suffix is None else validate_suffix(suffix)
        self.switches = switches or OffSwitches(home)
        self.session_is_off: Callable[[str, str], bool] = _no_session_is_off
        self.places = Places(home)
        self._contexts: dict[tuple[str, str], Context | None] = {}
        self.used: dict[tuple[str, str], Context | None] = {}
        """The contexts that were asked for, by place and start of the session."""
        known = {context.key: context for context in contexts}
        of_machine = sorted((alias for alias in aliases if alias.machine == machine), key=lambda alias: alias.since)
        self._membership = Membership(machine, contexts, of_machine, ownerships)
        self.locations = ContextLocations(of_machine)
        self._remembered = {alias.path: known[alias.context] for alias in of_machine if alias.context in known}
        self._skips_recording = False
        self._removed_worktrees: RemovedWorktrees | None = None

    def context(self, place: str, start: str) -> Context | None:
        """Return the context of a directory, for a session that began in `start`; None if there is none."""
        if (place, start) not in self._contexts:
            self._contexts[place, start] = self._resolve(place, start)
        context = self._contexts[place, start]
        self.used.setdefault((place, start), context)
        return context

    def agrees_with(self, used: Mapping[tuple[str, str], Context | None]) -> bool:
        """Whether contexts are the same here as in a copy of this resolver, which may have seen less or more."""
        agrees = [self.context(*asked) == context for asked, context in used.items()]
        return all(agrees)

    def is_off(self, place: str, start: str = "") -> bool:
        """Whether nothing may be kept of what happened in a directory, in a session that began in `start`."""
        here = self.places.directory(place or start, start)
        return here is not None and self.switches.is_off(here.written)

    def set_session_switch(self, session_is_off: Callable[[str, str], bool]) -> None:
        """Set the callback that decides by agent and session id whether a session was disabled."""
        self.session_is_off = session_is_off

    def claim_at(self, place: str) -> CheckoutClaim | None:
        """Return the claim of the checkout around a directory, if the user has to decide about it."""
        here = self.places.directory(place)
        if here is None or self.context(place, place) is None:
            return None
        repository = self.places.repository(here)
        return None if repository is None else self._membership.claims.get(str(repository.root))

    def identity(self, place: Path) -> tuple[str, Context] | None:
        """Return the top of the project around a directory and the project it claims to be; None if there is none."""
        here = self.places.directory(str(place))
        if here is None or self.places.is_excluded(here):
            return None
        repository = self.places.repository(here)
        if repository is None:
            return here.path, context_of(ContextKind.PATH, here.path, machine=self._machine)
        return str(repository.root), context_of(
            *self.name_of(self._claimed_project(repository)[0]), machine=self._machine
        )

    def refresh_context(self, place: str) -> Context | None:
        """Resolve the context of a directory again, since more may have been seen in the meantime."""
        for key in [key for key in self._contexts if key[0] == place]:
            del self._contexts[key]
        return self.context(place, place)

    def apply_decisions(self, ownerships: Iterable[Ownership]) -> None:
        """Apply ownership rows about places, which may be new."""
        if self._membership.apply_decisions(ownerships):
            self._contexts.clear()

    def key_at(self, place: Path) -> str:
        """Return the key of a directory's context without recording a sighting; empty if there is none."""
        self._skips_recording = True
        try:
            context = self._resolve(str(place), str(place))
        finally:
            self._skips_recording = False
        return "" if context is None else context.key

    def claims(self) -> tuple[CheckoutClaim, ...]:
        """Return every checkout that was met and waits for the user's decision, sorted by path."""
        return tuple(claim for _, claim in sorted(self._membership.claims.items()))

    def name_of(self, context: Context) -> ProjectName:
        """Return the identity of a project, whatever part of it the user named."""
        return context.kind, canonical_of(context, machine=self._machine) or context.name

    def take_first_checkouts(self) -> tuple[tuple[Context, str], ...]:
        """Return new projects with their first checkout, unknown to the ledger so far; each is returned once."""
        return self._membership.take_first_checkouts()

    def _resolve(self, place: str, start: str) -> Context | None:
        here, start_directory = self.places.directory(place, start), self.places.directory(start)
        if here is None or self.places.is_excluded(here):
            return None
        by_repository = self._context_of_repository(here)
        if by_repository is not None:
            return self._record_location(by_repository, here)
        by_path = self._context_named(ContextKind.PATH, here.path)
        context = self._user_assignment(by_path, here.path) or self._remembered_context(here) or by_path
        if context == by_path and (main := self._main_of_removed(here, by_path)) is not None:
            return self._record_location(main, here)
        if (
            context == by_path
            and start_directory is not None
            and start_directory.path != here.path
            and self._belongs_to_start(here, start_directory)
        ):
            return self.context(start, start)
        return self._record_location(context, here)

    def _main_of_removed(self, here: Directory, by_path: Context) -> Context | None:
        """Return the project of the repository that a removed directory was a worktree or folder of."""
        if here.real is not None or is_windows(here.written):
            return None
        if self._membership.is_separate(self.name_of(by_path), here.written):
            return None
        if self._removed_worktrees is None:
            self._removed_worktrees = RemovedWorktrees(self.places.repository_around, self._is_known)
        self._removed_worktrees.scan((*self._remembered, *self.locations.paths))
        main = self._removed_worktrees.main_worktree_of(here.written, was_seen=here.written in self._remembered)
        directory = None if main is None or main == here.written else self.places.directory(main)
        if directory is None or self.places.is_excluded(directory):
            return None
        return self.context(directory.written, directory.written)

    def _is_known(self, place: str) -> bool:
        """Whether sessions worked in a directory."""
        return place in self._remembered or place in self.locations.paths

    def _belongs_to_start(self, here: Directory, start_directory: Directory) -> bool:
        if self.places.is_excluded(start_directory):
            return False
        if _is_below(here.written, start_directory.written) or _is_below(here.path, start_directory.path):
            return True
        # A removed directory can no longer be looked up in the repository it was in.
        repository = self.places.repository(start_directory)
        return here.real is None and repository is not None and _is_below(here.path, str(repository.top))

    def _context_of_repository(self, directory: Directory) -> Context | None:
        repository = self.places.repository(directory)
        if repository is None:
            return None
        root = self.places.directory(str(repository.root)) or Directory(str(repository.root), None)
        by_place = self._remembered_context(root) or self._context_named(ContextKind.PATH, root.path)
        claimed, is_shared = self._claimed_project(repository)
        if assignment := self._user_assignment(claimed, str(repository.root)):
            return assignment
        if claimed.key == by_place.key:
            return by_place
        root_path, name = str(repository.root), self.name_of(claimed)
        return (
            claimed
            if self._membership.is_member(name, root_path, self.places.root_of, is_shared=is_shared)
            else by_place
        )

    def _claimed_project(self, repository: Repository) -> tuple[Context, bool]:
        """Return the project that a checkout claims to be, and whether several checkouts can share it."""
        origin = self._origin(repository)
        if isinstance(origin, str):
            return self._context_named(ContextKind.REMOTE, origin), True
        claimed = self._remembered_context(origin) or self._context_named(ContextKind.PATH, origin.path)
        return claimed, origin.real is not None and is_bare(origin.real)

    def _user_assignment(self, claimed: Context, root: str) -> Context | None:
        """Return the project that the user put a place in."""
        project = self._membership.assigned_project(self.name_of(claimed), root)
        return None if project is None else self._context_named(*self.name_of(project))

    def _origin(self, repository: Repository, hops: int = _MAX_CLONE_HOPS) -> str | Directory:
        """Return the name of the remote, or the directory that a chain of local clones comes from."""
        root = self.places.directory(str(repository.claimed_root)) or Directory(str(repository.claimed_root), None)
        if repository.remote is None or hops == 0:
            return root
        name = network_name(repository.remote)
        if name is not None:
            return name
        path = local_path(repository.remote)
        source = None if path is None else self.places.directory(path, root.path)
        if source is None or self.places.is_excluded(source):
            return root
        if source.real is None and not source.written.endswith(".git"):
            # Git accepts `/srv/repo` for `/srv/repo.git` too.
            with_suffix = self.places.directory(f"{source.written}.git")
            source = with_suffix if with_suffix is not None and with_suffix.real is not None else source
        source_repository = self.places.repository(source)
        if source_repository is None or source.real not in (
            source_repository.top,
            source_repository.top / ".git",
            source_repository.root,
        ):
            return source
        return self._origin(source_repository, hops - 1)

    def _remembered_context(self, directory: Directory) -> Context | None:
        """Return what the ledger remembers about a directory that no longer exists."""
        remembered = self._remembered.get(directory.written) if directory.real is None else None
        if remembered is None:
            return None
        canonical = canonical_of(remembered, machine=self._machine)
        return remembered if canonical is None else self._context_named(remembered.kind, canonical)

    def _context_named(self, kind: ContextKind, canonical: str) -> Context:
        return context_of(kind, canonical, self._suffix, machine=self._machine)

    def _record_location(self, context: Context, directory: Directory) -> Context | None:
        if self.locations.is_known(context, directory.written):
            return context
        from wisen.safety.secrets import find_secret

        if find_secret(context.name) or find_secret(directory.written):
            # Keys, names and directories are stored, so one that contains a secret is no context.
            return None
        if not self._skips_recording:
            self.locations.add(context, directory.written)
        return context


def _no_session_is_off(agent: str, session: str) -> bool:
    """The default callback: no session is disabled."""
    del agent, session
    return False


def validate_suffix(suffix: str) -> str:
    """Validate and strip the user's name for a part of a project. Raises: UsageError."""
    name = suffix.strip()
    if not name or any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        raise UsageError(
            f"{suffix!r} cannot name a project: a name needs at least one visible character and no control characters "
            "such as line breaks. Try --part backend."
        )
    return name


def _is_below(path: str, above: str) -> bool:
    separator = "\\" if is_windows(above) else "/"
    return path == above or path.startswith(above.rstrip(separator) + separator)
