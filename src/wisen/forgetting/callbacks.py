"""Callbacks into other features that forgetting needs; handed in, because features do not import each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.hook import HookStatus

    RemoveWritten = Callable[[str, Collection[tuple[str, str]], Collection[str]], list[str]]
    """Takes out what was written of a context's sessions (agent and id), and the lines of days that tell of turns.

    Returns the keys of the summaries that are gone."""


class PendingSummaries(Protocol):
    """What sessions came to, as far as they were understood just now."""

    def write(self, only: Collection[str] | None = None) -> Sequence[str]:
        """Write it down, or only what has some keys. Returns what could not be, in words."""
        ...


@dataclass(frozen=True, kw_only=True)
class ForgettingCallbacks:
    """What others know and do."""

    mine_sessions: Callable[[], PendingSummaries]
    """Mines the sessions that wait for it."""
    refresh_memories: Callable[[Iterable[EntryState]], None]
    """Has found again what is left of what was learnt and noted down."""
    remove_written: RemoveWritten
    sessions_with_phrases: Callable[[Collection[str]], set[int]]
    """The sessions in which phrases were typed, by the index's numbers of them."""
    installed_hooks: Callable[[], Iterable[HookStatus]]
    """Hook status of each agent that can have hooks."""
