"""Callbacks into other features that forgetting needs; passed in, because features do not import each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.hook import HookStatus

    RemoveWritten = Callable[[str, Collection[tuple[str, str]], Collection[str]], list[str]]
    """Removes what was written about a context's sessions (agent and id), and the day lines with the given sources.

    Returns the keys of the removed summaries."""


class PendingSummaries(Protocol):
    """The summaries of the sessions that were just mined."""

    def write(self, only: Collection[str] | None = None) -> Sequence[str]:
        """Write the summaries, or only those with the given keys. Returns a warning for each failure."""
        ...


class ForgettingCallbacks(Struct, frozen=True, kw_only=True):
    """What other features do for forgetting."""

    mine_sessions: Callable[[], PendingSummaries]
    """Mines the sessions that are due."""
    refresh_memories: Callable[[Iterable[EntryState]], None]
    """Indexes the remaining entries and notes again."""
    remove_written: RemoveWritten
    sessions_with_phrases: Callable[[Collection[str]], set[int]]
    """Returns the index numbers of the sessions in which phrases were typed."""
    installed_hooks: Callable[[], Iterable[HookStatus]]
    """Returns the hook status of each agent that can have hooks."""
