"""Ranks found memories by matching words, their session, age, use and kind.

A replaced decision comes after its replacement, and praise breaks near ties. Only the standard library is used,
because a hook imports it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wisen.model.memory import DEFAULT_WEIGHTS, MemoryGroup, MemoryKind, RankedMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import TypeVar

    from wisen.model.memory import Memory, MemoryHit, RankingWeights

    _Scored = TypeVar("_Scored", RankedMemory, MemoryGroup)

_CURATED_KINDS = frozenset({MemoryKind.RULE, MemoryKind.ENTRY, MemoryKind.FIX, MemoryKind.NOTE})
"""Kinds that somebody decided to keep, or that were measured."""
_DAY = 86_400.0


def rank(
    hits: Sequence[MemoryHit], *, now: datetime, here: str = "", design: RankingWeights = DEFAULT_WEIGHTS
) -> list[RankedMemory]:
    """Rank the hits, best first. `here` is the active context."""
    if not hits:
        return []
    sessions = _session_scores(hits, design)
    top_session = max(sessions.values())
    top = max(hit.score for hit in hits)
    ranked = [
        RankedMemory(
            hit.memory,
            hit.score * _prior_factor(hit.memory, now, here, design)
            + (design.session * top * sessions[group_of(hit.memory)] / top_session if top_session > 0 else 0.0),
        )
        for hit in hits
    ]
    ranked.sort(key=lambda each: -each.score)
    return ranked


def group(ranked: Sequence[RankedMemory], design: RankingWeights = DEFAULT_WEIGHTS) -> list[MemoryGroup]:
    """Group ranked memories by session, best first."""
    members_by_key: dict[str, list[RankedMemory]] = {}
    for each in ranked:
        members_by_key.setdefault(group_of(each.memory), []).append(each)
    groups = [
        MemoryGroup(key, tuple(members), _group_score(members, design.fade)) for key, members in members_by_key.items()
    ]
    groups.sort(key=lambda each: -each.score)
    return groups


def lift_praised(
    ranked: Sequence[RankedMemory],
    hits: Sequence[MemoryHit],
    praise: Mapping[str, int],
    design: RankingWeights = DEFAULT_WEIGHTS,
) -> list[RankedMemory]:
    """Move praised memories, by id, a little up: never above one that matches better by its words."""
    words = {hit.memory.id: hit.score for hit in hits}
    return _lift(ranked, lambda each: words[each.memory.id], lambda each: praise.get(each.memory.id, 0), design)


def lift_praised_groups(
    groups: Sequence[MemoryGroup],
    hits: Sequence[MemoryHit],
    praise: Mapping[str, int],
    design: RankingWeights = DEFAULT_WEIGHTS,
) -> list[MemoryGroup]:
    """Move praised groups a little up; a group matches as well as its best member does."""
    words = {hit.memory.id: hit.score for hit in hits}
    return _lift(
        groups,
        lambda each: max(words[member.memory.id] for member in each.memories),
        lambda each: praise.get(each.best.id, 0),
        design,
    )


def _lift(
    order: Sequence[_Scored],
    word_score: Callable[[_Scored], float],
    praise_of: Callable[[_Scored], int],
    design: RankingWeights,
) -> list[_Scored]:
    lifted: list[_Scored] = []
    for each in order:
        place, gain = len(lifted), praise_of(each)
        reach = each.score * (1.0 + design.praised * gain)
        while gain and place:
            above = lifted[place - 1]
            if word_score(above) > word_score(each) or above.score > reach or praise_of(above) >= gain:
                break
            place -= 1
        lifted.insert(place, each)
    return lifted


def group_of(memory: Memory) -> str:
    """Return the key of the group that a memory is shown in: its session, else itself."""
    return f"{memory.agent}:{memory.session}" if memory.session else memory.id


def _session_scores(hits: Sequence[MemoryHit], design: RankingWeights) -> dict[str, float]:
    by_group: dict[str, list[MemoryHit]] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        by_group.setdefault(group_of(hit.memory), []).append(hit)
    return {key: _group_score(each, design.fade) for key, each in by_group.items()}


def _group_score(members: Sequence[MemoryHit | RankedMemory], fade: float) -> float:
    """Return the score of a group. A memory without a session scores as much as a session of many turns."""
    if not members[0].memory.session:
        return members[0].score / (1.0 - fade)
    return math.fsum(each.score * fade**place for place, each in enumerate(members))


def _prior_factor(memory: Memory, now: datetime, here: str, design: RankingWeights) -> float:
    """Return the factor of a memory that does not depend on the query."""
    factor = 1.0
    if memory.at is not None:
        days = max(0.0, (now - memory.at).total_seconds() / _DAY)
        factor += design.recent * 0.5 ** (days / design.half_life)
    if memory.uses > 1:
        factor += design.used * math.log2(memory.uses)
    if here and memory.context == here:
        factor += design.here
    if memory.kind in _CURATED_KINDS:
        factor += design.law
    elif memory.kind is MemoryKind.IMPORTED:
        factor -= design.imported
    return factor
