"""Resolves the directory an agent worked in to the context (project) that the session belongs to.

A repository with a remote is the context of that remote, in its first place and in every other one that the user
joined to it (`membership.py`); worktrees belong to their main one. Without a remote, or until the user says so, the
context is the place of its main worktree, and outside any repository it is the directory itself. Neither the home
directory nor the root of the file system is ever a context. A scope looks up each directory once, so it is rebuilt for
each cycle.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.logs.gone_worktrees import GoneWorktrees
from wisen.logs.membership import Membership
from wisen.logs.project_places import Directory, Places, is_windows
from wisen.logs.remote import local_path, network_name
from wisen.logs.repository import Repository, is_bare
from wisen.logs.sightings import Sightings
from wisen.logs.switches import Switches
from wisen.model.context import Context, ContextKind, canonical_of, context_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from wisen.logs.membership import CheckoutClaim, Name
    from wisen.model.context import Alias
    from wisen.model.ownership import Ownership

_HOPS = 8
"""How many clones of clones are followed to the repository they come from."""


class Scope:
    """Resolves contexts for one machine, and collects in which directories they were seen."""

    def __init__(  # noqa: PLR0913 - what the ledger, the settings and the user say about places, each by name
        self,
        *,
        home: Path,
        machine: str,
        contexts: Iterable[Context],
        aliases: Iterable[Alias],
        suffix: str | None = None,
        switches: Switches | None = None,
        words: Iterable[Ownership] = (),
    ) -> None:
        """`contexts`, `aliases` and `words` (ownership rows about places) are what the ledger knows.

        Raises: UsageError for a suffix that is not a valid name.
        """
        contexts, aliases = tuple(contexts), tuple(aliases)
        self._machine = machine
        self._suffix = None if suffix is None else checked_suffix(suffix)
        self.switches = switches or Switches(home)
        self.session_is_off: Callable[[str, str], bool] = _never
        self.places = Places(home)
        self._decided: dict[tuple[str, str], Context | None] = {}
        known = {context.key: context for context in contexts}
        of_machine = sorted((alias for alias in aliases if alias.machine == machine), key=lambda alias: alias.since)
        self._membership = Membership(machine, contexts, of_machine, words)
        self.sightings = Sightings(of_machine)
        self._remembered = {alias.path: known[alias.context] for alias in of_machine if alias.context in known}
        self._only_looks = False
        self._gone: GoneWorktrees | None = None

    def context(self, place: str, start: str) -> Context | None:
        """Return the context of a directory, for a session that began in `start`; None if there is none."""
        try:
            return self._decided[place, start]
        except KeyError:
            decided = self._decided[place, start] = self._decide(place, start)
            return decided

    def is_off(self, place: str, start: str = "") -> bool:
        """Whether nothing may be kept of what happened in a directory, in a session that began in `start`."""
        here = self.places.directory(place or start, start)
        return here is not None and self.switches.is_off(here.written)

    def silence(self, session_is_off: Callable[[str, str], bool]) -> None:
        """Set the callback that tells by agent and session id whether a session was disabled."""
        self.session_is_off = session_is_off

    def claim(self, place: str) -> CheckoutClaim | None:
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
        return str(repository.root), context_of(*self.name_of(self._claimed(repository)[0]), machine=self._machine)

    def look_again(self, place: str) -> Context | None:
        """Resolve the context of a directory again, since more may have been seen in the meantime."""
        for key in [key for key in self._decided if key[0] == place]:
            del self._decided[key]
        return self.context(place, place)

    def hear(self, words: Iterable[Ownership]) -> None:
        """Apply ownership rows about places, which may be new."""
        if self._membership.hear(words):
            self._decided.clear()

    def key_at(self, place: Path) -> str:
        """Return the key of a directory's context without recording a sighting; empty if there is none."""
        self._only_looks = True
        try:
            context = self._decide(str(place), str(place))
        finally:
            self._only_looks = False
        return "" if context is None else context.key

    def claims(self) -> tuple[CheckoutClaim, ...]:
        """Return every checkout that was met and waits for the user's decision, sorted by path."""
        return tuple(claim for _, claim in sorted(self._membership.claims.items()))

    def name_of(self, context: Context) -> Name:
        """Return the identity of a project, whatever part of it the user named."""
        return context.kind, canonical_of(context, machine=self._machine) or context.name

    def new_firsts(self) -> tuple[tuple[Context, str], ...]:
        """Return new projects with their first checkout, unknown to the ledger so far; each is returned once."""
        return self._membership.new_firsts()

    def grants(self, firsts: Iterable[tuple[Context, str]]) -> bool:
        """Whether the checkouts that a copy of this scope took for first ones are the first here too."""
        granted = [self._membership.grant(*each) for each in firsts]
        return all(granted)

    def _decide(self, place: str, start: str) -> Context | None:
        here, begin = self.places.directory(place, start), self.places.directory(start)
        if here is None or self.places.is_excluded(here):
            return None
        own = self._context_of_repository(here)
        if own is not None:
            return self._sight(own, here)
        itself = self._named(ContextKind.PATH, here.path)
        recalled = self._put(itself, here.path) or self._recalled(here) or itself
        if recalled == itself and (main := self._main_of_gone(here, itself)) is not None:
            return self._sight(main, here)
        if recalled == itself and begin is not None and begin.path != here.path and self._belongs(here, begin):
            return self.context(start, start)
        return self._sight(recalled, here)

    def _main_of_gone(self, here: Directory, itself: Context) -> Context | None:
        """Return the project of the repository that a removed directory was a worktree or folder of."""
        if here.real is not None or is_windows(here.written):
            return None
        if self._membership.is_separate(self.name_of(itself), here.written):
            return None
        if self._gone is None:
            self._gone = GoneWorktrees(self.places.repository_around, self._is_known)
        self._gone.look_at((*self._remembered, *self.sightings.paths))
        main = self._gone.main_of(here.written, was_seen=here.written in self._remembered)
        around = None if main is None or main == here.written else self.places.directory(main)
        if around is None or self.places.is_excluded(around):
            return None
        return self.context(around.written, around.written)

    def _is_known(self, place: str) -> bool:
        """Whether sessions worked in a directory."""
        return place in self._remembered or place in self.sightings.paths

    def _belongs(self, here: Directory, begin: Directory) -> bool:
        if self.places.is_excluded(begin):
            return False
        if _is_below(here.written, begin.written) or _is_below(here.path, begin.path):
            return True
        # A removed directory can no longer be looked up in the repository it was in.
        around = self.places.repository(begin)
        return here.real is None and around is not None and _is_below(here.path, str(around.top))

    def _context_of_repository(self, directory: Directory) -> Context | None:
        repository = self.places.repository(directory)
        if repository is None:
            return None
        root = self.places.directory(str(repository.root)) or Directory(str(repository.root), None)
        own = self._recalled(root) or self._named(ContextKind.PATH, root.path)
        claimed, is_shared = self._claimed(repository)
        if put := self._put(claimed, str(repository.root)):
            return put
        if claimed.key == own.key:
            return own
        root_path, name = str(repository.root), self.name_of(claimed)
        return claimed if self._membership.admits(name, root_path, self.places.root_of, is_shared=is_shared) else own

    def _claimed(self, repository: Repository) -> tuple[Context, bool]:
        """Return the project that a checkout claims to be, and whether several checkouts can share it."""
        origin = self._origin(repository)
        if isinstance(origin, str):
            return self._named(ContextKind.REMOTE, origin), True
        claimed = self._recalled(origin) or self._named(ContextKind.PATH, origin.path)
        return claimed, origin.real is not None and is_bare(origin.real)

    def _put(self, claimed: Context, root: str) -> Context | None:
        """Return the project that the user put a place in."""
        said = self._membership.said(self.name_of(claimed), root)
        return None if said is None else self._named(*self.name_of(said))

    def _origin(self, repository: Repository, hops: int = _HOPS) -> str | Directory:
        """Return the name of the remote, or the directory that a chain of local clones comes from."""
        root = self.places.directory(str(repository.claims)) or Directory(str(repository.claims), None)
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
        behind = self.places.repository(source)
        if behind is None or source.real not in (behind.top, behind.top / ".git", behind.root):
            return source
        return self._origin(behind, hops - 1)

    def _recalled(self, directory: Directory) -> Context | None:
        """Return what the ledger remembers about a directory that no longer exists."""
        remembered = self._remembered.get(directory.written) if directory.real is None else None
        if remembered is None:
            return None
        canonical = canonical_of(remembered, machine=self._machine)
        return remembered if canonical is None else self._named(remembered.kind, canonical)

    def _named(self, kind: ContextKind, canonical: str) -> Context:
        return context_of(kind, canonical, self._suffix, machine=self._machine)

    def _sight(self, context: Context, directory: Directory) -> Context | None:
        from wisen.safety.secrets import find_secret

        if find_secret(context.name) or find_secret(directory.written):
            # Keys, names and directories are stored, so one that contains a secret is no context.
            return None
        if not self._only_looks:
            self.sightings.add(context, directory.written)
        return context


def _never(agent: str, session: str) -> bool:
    """The default callback: no session is disabled."""
    del agent, session
    return False


def checked_suffix(suffix: str) -> str:
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
