"""Decides which checkouts belong to a project: where it was first seen, and where the user said so.

Anybody can write a remote address into a git configuration. So a project is also identified by its places: the first
checkout with a remote is one, and the user is asked about any other before anything learned crosses over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.context import Context, ContextKind, canonical_of, context_of
from wisen.model.ownership import OwnershipVerdict, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.context import Alias
    from wisen.model.ownership import Ownership

Name = tuple[ContextKind, str]
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
        self, machine: str, contexts: Iterable[Context], aliases: Iterable[Alias], words: Iterable[Ownership]
    ) -> None:
        """`words`: the ownership rows about places."""
        self._machine = machine
        contexts = tuple(contexts)
        self._contexts = {each.key: each for each in contexts}
        names = {each.key: (each.kind, canonical_of(each, machine=machine) or each.name) for each in contexts}
        self._known = {*names.values()}
        self._seen: dict[Name, list[str]] = {}
        for alias in aliases:
            if alias.context in names:
                self._seen.setdefault(names[alias.context], []).append(alias.path)
        self._said: dict[tuple[str, str], tuple[OwnershipVerdict, str]] = {}
        self._heard: set[str] = set()
        self._firsts: list[tuple[Context, str]] = []
        self.claims: dict[str, CheckoutClaim] = {}
        """The claims that wait for the user's decision, by the top of the checkout."""
        self.hear(sorted(words, key=lambda each: (each.at, each.id)))

    def hear(self, words: Iterable[Ownership]) -> bool:
        """Apply the newest ownership rows about places. Returns whether any of them is new."""
        before = len(self._heard)
        for word in words:
            if word.machine == self._machine and word.subject is Subject.PLACE and word.id not in self._heard:
                self._heard.add(word.id)
                if word.verdict is not OwnershipVerdict.ASKED:
                    self._said[word.path, word.digest] = word.verdict, word.context
                    self.claims.pop(word.path, None)
        return len(self._heard) > before

    def said(self, name: Name, root: str) -> Context | None:
        """Return the project that the user put a place in, as long as the place still claims the same identity."""
        verdict, context = self._said.get((root, self._project(name).key), (None, ""))
        return self._contexts.get(context) if verdict is OwnershipVerdict.OWNED else None

    def is_separate(self, name: Name, root: str) -> bool:
        """Whether the user said that a place is a separate project."""
        verdict, _ = self._said.get((root, self._project(name).key), (None, ""))
        return verdict is OwnershipVerdict.FOREIGN

    def admits(self, name: Name, root: str, root_of: Callable[[str], str | None], *, is_shared: bool) -> bool:
        """Whether the checkout whose main worktree is at `root` belongs to the project that it names.

        `root_of` finds the main worktree of a directory in which the project was seen. A remote that nobody has yet is
        granted to the first checkout that names it, if it `is_shared`; a directory people work in is only ever itself.
        """
        project = self._project(name)
        verdict, context = self._said.get((root, project.key), (None, ""))
        if verdict is not None:
            return verdict is not OwnershipVerdict.FOREIGN and context == project.key
        if name not in self._known and is_shared:
            self.grant(project, root)
            return True
        if any(root_of(path) == root for path in self._seen.get(name, ())):
            return True
        if name in self._known:
            self.claims[root] = CheckoutClaim(root, project, tuple(self._seen.get(name, ())))
        return False

    def grant(self, project: Context, root: str) -> bool:
        """Make a checkout the first place of a project. Returns False if another one was first."""
        name = project.kind, project.name
        if name in self._known:
            return self._said.get((root, project.key)) == (OwnershipVerdict.FIRST, project.key)
        self._known.add(name)
        self._said[root, project.key] = OwnershipVerdict.FIRST, project.key
        self._firsts.append((project, root))
        return True

    def new_firsts(self) -> tuple[tuple[Context, str], ...]:
        """Return new projects with their first checkout, unknown to the ledger so far; each is returned once."""
        new, self._firsts = tuple(self._firsts), []
        return new

    def _project(self, name: Name) -> Context:
        return context_of(*name, machine=self._machine)
