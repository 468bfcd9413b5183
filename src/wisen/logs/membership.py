"""Decides which checkouts belong to a project: where it was first seen, and where the user said so.

Anybody can write a remote address into a git configuration. So a project is also identified by its places: the first
checkout with a remote is one, and the user is asked about any other before anything learned crosses over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.context import Context, ContextKind, canonical_of, context_of
from wisen.model.ownership import OwnershipSubject, OwnershipVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.context import Alias
    from wisen.model.ownership import Ownership

ProjectName = tuple[ContextKind, str]
"""The identity of a project, whatever part of it the user named."""


class CheckoutClaim(NamedTuple):
    """A checkout that claims to be a known project, and waits for the user's decision."""

    root: str
    context: Context
    """The project it claims to be."""
    places: tuple[str, ...]
    """Where that project was seen on this machine; some of these may no longer exist."""


class Membership:
    """The places of projects on one machine, as the ledger knows them and as the current cycle finds them."""

    def __init__(
        self, machine: str, contexts: Iterable[Context], aliases: Iterable[Alias], rows: Iterable[Ownership]
    ) -> None:
        """`rows`: the ownership rows about places."""
        self._machine = machine
        contexts = tuple(contexts)
        self._contexts = {each.key: each for each in contexts}
        names = {each.key: (each.kind, canonical_of(each, machine=machine) or each.name) for each in contexts}
        self._known = {*names.values()}
        self._places: dict[ProjectName, list[str]] = {}
        for alias in aliases:
            if alias.context in names:
                self._places.setdefault(names[alias.context], []).append(alias.path)
        self._decisions: dict[tuple[str, str], tuple[OwnershipVerdict, str]] = {}
        self._applied_ids: set[str] = set()
        self._first_checkouts: list[tuple[Context, str]] = []
        self.claims: dict[str, CheckoutClaim] = {}
        """The claims that wait for the user's decision, by the top of the checkout."""
        self.apply_decisions(sorted(rows, key=lambda each: (each.at, each.id)))

    def apply_decisions(self, rows: Iterable[Ownership]) -> bool:
        """Apply the newest ownership rows about places. Returns whether any of them is new."""
        before = len(self._applied_ids)
        for row in rows:
            if (
                row.machine == self._machine
                and row.subject is OwnershipSubject.PLACE
                and row.id not in self._applied_ids
            ):
                self._applied_ids.add(row.id)
                if row.verdict is not OwnershipVerdict.ASKED:
                    self._decisions[row.path, row.digest] = row.verdict, row.context
                    self.claims.pop(row.path, None)
        return len(self._applied_ids) > before

    def assigned_project(self, name: ProjectName, root: str) -> Context | None:
        """Return the project that the user put a place in, as long as the place still claims the same identity."""
        verdict, context = self._decisions.get((root, self._context_named(name).key), (None, ""))
        return self._contexts.get(context) if verdict is OwnershipVerdict.OWNED else None

    def is_separate(self, name: ProjectName, root: str) -> bool:
        """Whether the user said that a place is a separate project."""
        verdict, _ = self._decisions.get((root, self._context_named(name).key), (None, ""))
        return verdict is OwnershipVerdict.FOREIGN

    def is_member(self, name: ProjectName, root: str, root_of: Callable[[str], str | None], *, is_shared: bool) -> bool:
        """Whether the checkout whose main worktree is at `root` belongs to the project that it names.

        `root_of` finds the main worktree of a directory in which the project was seen. A remote that nobody has yet is
        granted to the first checkout that names it, if it `is_shared`; a directory people work in is only ever itself.
        """
        project = self._context_named(name)
        verdict, context = self._decisions.get((root, project.key), (None, ""))
        if verdict is not None:
            return verdict is not OwnershipVerdict.FOREIGN and context == project.key
        if name not in self._known and is_shared:
            self.grant_first(project, root)
            return True
        if any(root_of(path) == root for path in self._places.get(name, ())):
            return True
        if name in self._known:
            self.claims[root] = CheckoutClaim(root, project, tuple(self._places.get(name, ())))
        return False

    def grant_first(self, project: Context, root: str) -> bool:
        """Make a checkout the first place of a project. Returns False if another one was first."""
        name = project.kind, project.name
        if name in self._known:
            return self._decisions.get((root, project.key)) == (OwnershipVerdict.FIRST, project.key)
        self._known.add(name)
        self._decisions[root, project.key] = OwnershipVerdict.FIRST, project.key
        self._first_checkouts.append((project, root))
        return True

    def take_first_checkouts(self) -> tuple[tuple[Context, str], ...]:
        """Return new projects with their first checkout, unknown to the ledger so far; each is returned once."""
        new, self._first_checkouts = tuple(self._first_checkouts), []
        return new

    def _context_named(self, name: ProjectName) -> Context:
        return context_of(*name, machine=self._machine)
