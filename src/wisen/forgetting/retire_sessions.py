"""Retires old sessions in the learning cycle: what was learned from them stays, their events are deleted.

It runs between reading and mining, so what old logs bring back is deleted again before anything is learned from it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import StoreBusy
from wisen.forgetting.retention import expired_sessions, may_exceed
from wisen.model.archive import ArchiveUsage, yearly_growth

if TYPE_CHECKING:
    from wisen.forgetting.holdings import Holdings
    from wisen.forgetting.settings import ArchivePolicy
    from wisen.model.archive import ArchivedSession
    from wisen.store.home import Home


def retire(holdings: Holdings, policy: ArchivePolicy) -> tuple[int, int]:
    """Retire sessions beyond the limits. Returns how many, and how many of their events were only just read."""
    expired = sessions_to_retire(holdings, policy)
    if expired:
        holdings.home.index.removal.remove_sessions({each.key for each in expired})
        with suppress(StoreBusy):
            holdings.home.index.removal.scrub(thoroughly=False)  # the space is used for what comes next
    return len(expired), sum(each.events for each in expired if each.waits)


def sessions_to_retire(holdings: Holdings, policy: ArchivePolicy) -> list[ArchivedSession]:
    """Return the sessions to retire, oldest first. They are listed only if the total says that there may be some."""
    home = holdings.home
    if not (policy.days or policy.megabytes or policy.contexts):
        return []
    if not may_exceed(home.index.removal.archive_size(), policy, home.clock.now()):
        return []
    keys = {context.key for context in home.ledger.contexts.all()}
    limits = {name if name in keys else _context_of_place(holdings, name): limit for name, limit in policy.contexts}
    return expired_sessions(home.index.removal.archived_sessions(), policy, limits, home.clock.now())


def archive_usage(home: Home, policy: ArchivePolicy) -> ArchiveUsage:
    """Return how much is stored, and what the settings allow."""
    total = home.index.removal.archive_size()
    return ArchiveUsage(
        sessions=total.sessions,
        events=total.events,
        size=total.size,
        first=total.first,
        last=total.last,
        days=policy.days,
        megabytes=policy.megabytes,
        disk=_bytes_on_disk(home.path),
        yearly=yearly_growth(total),
    )


def _bytes_on_disk(folder: Path) -> int:
    """Return the size of the stores and of the backups; 0 for what cannot be read."""
    size = 0
    for pattern in ("*.db", "*.db-wal", "backups/*"):
        for path in folder.glob(pattern):
            with suppress(OSError):
                size += path.stat().st_size
    return size


def _context_of_place(holdings: Holdings, place: str) -> str:
    """Return the context of a directory named in the settings; one without a project has no sessions."""
    path = Path(place.replace("~", str(holdings.rule_files.user_home), 1) if place.startswith("~") else place)
    return (holdings.projects.context_of(path) if path.is_absolute() else "") or f"/{place}"
