"""Reinforcements: praise by the user strengthens what the agent had been given, or had loaded, just before.

Rows are facts. Pure functions compute their strength: once per session, capped per day and in total, fading with time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

HALF_LIFE = timedelta(days=30)
"""The time after which a praise counts half."""
MAX_PER_DAY = 1.0
"""The maximum that one day contributes, however often something is praised on it."""
MAX_STRENGTH = 3.0
"""The maximum strength of all praise."""


class PraiseMoment(StrEnum):
    """When the praised lesson had been delivered."""

    START = "start"
    PROMPT = "prompt"
    FAILURE = "failure"
    NAMED = "named"
    """The user mentioned it in the praise."""
    LOADED = "loaded"
    """The agent loaded it by itself: a skill."""


class Reinforcement(Struct, frozen=True, kw_only=True):
    """An entry, a fix, a workflow or a skill that was in use when the user praised. Written once, never changed."""

    id: str
    """Derived from the message and the subject, so that the same praise is recorded once."""
    machine: str
    agent: str
    session: str
    """The agent's own id of the session."""
    message: str
    """The id of the praising message."""
    subject: str
    """The id of the entry, the fix or the workflow, or the subject of the skill."""
    how: PraiseMoment
    weight: float
    """From 0 to 1: how close to the praise it was delivered."""
    at: datetime
    """When it was praised."""


class Strengthened(NamedTuple):
    """What a praise strengthened, for a person."""

    id: str
    """The id of the entry, the fix or the workflow, or the subject of the skill."""
    name: str
    """The name to use with `wisen explain`."""
    text: str
    """Its current text; empty if it is gone."""
    how: PraiseMoment
    weight: float
    counts: bool
    """Whether this praise is the one that counts in its session."""


class Praise(NamedTuple):
    """A praise, and what it strengthened."""

    at: datetime
    agent: str
    session: str
    message: str
    strengthened: tuple[Strengthened, ...]
    context: str = ""
    """Empty outside of any, and if the message is gone."""
    quote: str = ""
    """What was typed; empty if it is gone."""
    probability: float = 0.0
    """The probability that it is praise; 0 if the message is gone."""
    before: str = ""
    """What the user typed before it."""
    calls: tuple[str, ...] = ()
    """The calls between that and the praise."""
    why: str = ""
    """Why it strengthened nothing; empty if it did."""


def skill_subject(name: str) -> str:
    """Return the subject of praise of a skill: no row holds its name, which may be made of the user's words."""
    return f"S-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def last_praises(rows: Iterable[Reinforcement]) -> dict[str, datetime]:
    """Return, by subject, when it was praised last."""
    return {row.subject: row.at for row in sorted(rows, key=lambda row: row.at)}


def counted_praises(rows: Iterable[Reinforcement]) -> tuple[Reinforcement, ...]:
    """Return the rows that count, oldest first: per session and subject the heaviest one, then the newest."""
    best: dict[tuple[str, str, str], Reinforcement] = {}
    for row in rows:
        key = row.subject, row.agent, row.session
        if key not in best or _order(best[key]) < _order(row):
            best[key] = row
    return tuple(sorted(best.values(), key=lambda each: (each.at, each.id)))


def praise_strength(rows: Iterable[Reinforcement], now: datetime) -> float:
    """Return the strength of one subject's praises at a moment, from 0 to `MAX_STRENGTH`."""
    days: dict[date, list[Reinforcement]] = defaultdict(list)
    for row in counted_praises(rows):
        days[row.at.astimezone(UTC).date()].append(row)
    return min(MAX_STRENGTH, math.fsum(_of_day(some, now) for _, some in sorted(days.items())))


def praise_level(rows: Iterable[Reinforcement], now: datetime) -> int:
    """Return the strength in whole steps: in rankings, each counts as one more session in which it came up."""
    return int(praise_strength(rows, now) + 0.5)


def praise_levels(rows: Iterable[Reinforcement], now: datetime) -> dict[str, int]:
    """Return the praise level of entries and fixes at a moment, by id."""
    by_subject: dict[str, list[Reinforcement]] = defaultdict(list)
    for row in rows:
        by_subject[row.subject].append(row)
    return {subject: praise_level(some, now) for subject, some in by_subject.items()}


def _of_day(rows: list[Reinforcement], now: datetime) -> float:
    age = max(timedelta(0), now - max(row.at for row in rows))
    return float(min(MAX_PER_DAY, math.fsum(row.weight for row in rows)) * 0.5 ** (age / HALF_LIFE))


def _order(row: Reinforcement) -> tuple[float, datetime, str]:
    return row.weight, row.at, row.id
