"""Collects in which directories contexts were seen, and which locations the ledger does not have yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.context import Alias, Context


class ContextLocations:
    """Contexts with the directories they were seen in."""

    def __init__(self, known: Iterable[Alias]) -> None:
        self._known = {(alias.context, alias.path) for alias in known}
        self._new: list[tuple[Context, str]] = []

    @property
    def paths(self) -> tuple[str, ...]:
        """Every directory in which a context was seen."""
        return tuple(path for _, path in self._known)

    def is_known(self, context: Context, path: str) -> bool:
        """Whether a context was seen in a directory before; then both were searched for secrets."""
        return (context.key, path) in self._known

    def add(self, context: Context, path: str) -> None:
        """Record that a context was seen in a directory."""
        if (context.key, path) not in self._known:
            self._known.add((context.key, path))
            self._new.append((context, path))

    def has_new(self, key: str) -> bool:
        """Whether a context was seen that the ledger does not have yet."""
        return any(context.key == key for context, _ in self._new)

    def take_new(self) -> tuple[tuple[Context, str], ...]:
        """Return the locations that the ledger does not have yet, each once."""
        new, self._new = tuple(self._new), []
        return new
