"""Decides which sessions exceed the retention limits."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.forgetting.settings import ArchivePolicy, ContextLimit
    from wisen.model.archive import ArchivedSession, ArchiveSize

_MEGABYTE = 1_000_000
_REMAINING = 0.95
"""How much of a size limit is used after sessions were retired, so that it is not reached again in the next run."""


def may_exceed(total: ArchiveSize, policy: ArchivePolicy, now: datetime) -> bool:
    """Whether a session may be beyond a limit, by the total alone; projects with own limits must be looked at."""
    too_much = bool(policy.megabytes) and total.size > policy.megabytes * _MEGABYTE
    too_old = (
        total.idle_since is not None and bool(policy.days) and total.idle_since < now - timedelta(days=policy.days)
    )
    return bool(policy.contexts) or too_much or too_old


def expired_sessions(
    stored: Iterable[ArchivedSession], policy: ArchivePolicy, limits: Mapping[str, ContextLimit], now: datetime
) -> list[ArchivedSession]:
    """Return the sessions to retire, oldest first; `limits` by context key."""
    oldest = sorted(stored, key=lambda each: (each.last, each.key))
    kept: list[ArchivedSession] = []
    for each in oldest:
        limit = limits.get(each.context)
        days = policy.days if limit is None or limit.days < 0 else limit.days
        if not days or each.last >= now - timedelta(days=days):
            kept.append(each)
    by_context: dict[str, list[ArchivedSession]] = defaultdict(list)
    for each in kept:
        by_context[each.context].append(each)
    over = {each.key for context, limit in limits.items() for each in _over_limit(by_context[context], limit.megabytes)}
    kept = [each for each in kept if each.key not in over]
    over = {each.key for each in _over_limit(kept, policy.megabytes)}
    remaining = {each.key for each in kept} - over
    return [each for each in oldest if each.key not in remaining]


def _over_limit(oldest: Sequence[ArchivedSession], megabytes: int) -> list[ArchivedSession]:
    """Return the oldest sessions that exceed a size limit; `oldest` is sorted by age."""
    limit, size, excess = megabytes * _MEGABYTE, sum(each.size for each in oldest), []
    if not megabytes or size <= limit:
        return []
    for each in oldest:
        if size <= limit * _REMAINING:
            break
        size -= each.size
        excess.append(each)
    return excess
