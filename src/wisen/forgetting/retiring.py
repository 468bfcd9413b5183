"""The step of a turn that lets old sessions go: what was learnt from them stays, what was read of them does not.

It comes between reading and mining, so that what old logs bring back is gone again before anything is learnt of it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import StoreBusy
from wisen.forgetting.retention import outdated
from wisen.model.archive import Archive

if TYPE_CHECKING:
    from wisen.model.archive import Stored
    from wisen.parts import Parts


def retire(parts: Parts) -> tuple[int, int]:
    """Let go of sessions that are too old or too many. Returns how many, and how many events were read in vain."""
    gone = due(parts)
    if gone:
        parts.index.let_go({each.key for each in gone})
        with suppress(StoreBusy):
            parts.index.scrub()  # else the room is used again
    return len(gone), sum(each.events for each in gone if each.waits)


def due(parts: Parts) -> list[Stored]:
    """The sessions that have to go, oldest first."""
    policy = parts.archive
    if not (policy.days or policy.megabytes or policy.contexts):
        return []
    keys = {context.key for context in parts.ledger.contexts()}
    limits = {name if name in keys else _context(parts, name): limit for name, limit in policy.contexts}
    return outdated(parts.index.stored(), policy, limits, parts.clock.now())


def archive(parts: Parts) -> Archive:
    """How much is kept, and what the settings allow."""
    stored = parts.index.stored()
    return Archive(len(stored), sum(each.size for each in stored), parts.archive.days, parts.archive.megabytes)


def _context(parts: Parts, place: str) -> str:
    """The context of a directory that the settings name; one that is none has no sessions."""
    path = Path(place.replace("~", str(parts.user_home), 1) if place.startswith("~") else place)
    return (parts.context_of(path) if path.is_absolute() else "") or f"/{place}"
