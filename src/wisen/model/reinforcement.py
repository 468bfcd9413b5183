"""Reinforcements: what the user praised strengthens what the agent had been told just before. Rows are facts.

How much they come to is told by pure functions: once for each session, bounded by day and in all, less as time passes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

HALF_LIFE = timedelta(days=30)
"""After which time a praise counts half."""
MAX_PER_DAY = 1.0
"""More than this does not come from one day, however often something is praised on it."""
MAX_STRENGTH = 3.0
"""More than this does not come from praise at all."""


class PraiseMoment(StrEnum):
    """At which moment the agent had been told what was then praised."""

    START = "start"
    PROMPT = "prompt"
    FAILURE = "failure"
    NAMED = "named"
    """The user named it himself when he praised the work."""


class Reinforcement(Struct, frozen=True, kw_only=True):
    """An entry or a fix that was at work when the user praised. It is written once and never changes."""

    id: str
    """Made of the message and the subject, so that the same praise is recorded once."""
    machine: str
    agent: str
    session: str
    """The agent's own id of the session."""
    message: str
    """The id of the message that praises."""
    subject: str
    """The id of the entry or the fix."""
    how: PraiseMoment
    weight: float
    """From 0 to 1: how close to the praise it was told."""
    at: datetime
    """When it was praised."""


class Strengthened(NamedTuple):
    """What a praise strengthened, for a person."""

    id: str
    """The id of the entry or the fix."""
    name: str
    """By which `wisen explain` knows it."""
    text: str
    """Its words now; empty where it is gone."""
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
    """Empty outside of any, and where the message is no longer there."""
    quote: str = ""
    """What was typed; empty where it is no longer there."""
    probability: float = 0.0
    """How likely it is praise; 0 where the message is no longer there."""
    before: str = ""
    """What the user typed before it."""
    calls: tuple[str, ...] = ()
    """The calls between that and the praise."""
    why: str = ""
    """Why it strengthened nothing; empty where it did."""


def counted_praises(rows: Iterable[Reinforcement]) -> tuple[Reinforcement, ...]:
    """The rows that count, oldest first: of one session and subject the one that weighs most, else the newest."""
    best: dict[tuple[str, str, str], Reinforcement] = {}
    for row in rows:
        key = row.subject, row.agent, row.session
        if key not in best or _order(best[key]) < _order(row):
            best[key] = row
    return tuple(sorted(best.values(), key=lambda each: (each.at, each.id)))


def praise_strength(rows: Iterable[Reinforcement], now: datetime) -> float:
    """What the praises of one subject come to at a moment, from 0 to `MOST`."""
    days: dict[date, list[Reinforcement]] = defaultdict(list)
    for row in counted_praises(rows):
        days[row.at.astimezone(UTC).date()].append(row)
    return min(MAX_STRENGTH, math.fsum(_of_day(some, now) for _, some in sorted(days.items())))


def praise_level(rows: Iterable[Reinforcement], now: datetime) -> int:
    """The same in whole steps: in what competes, each counts as one more session in which a thing came up."""
    return int(praise_strength(rows, now) + 0.5)


def praise_levels(rows: Iterable[Reinforcement], now: datetime) -> dict[str, int]:
    """How much praise speaks for entries and fixes at a moment, by id."""
    of: dict[str, list[Reinforcement]] = defaultdict(list)
    for row in rows:
        of[row.subject].append(row)
    return {subject: praise_level(some, now) for subject, some in of.items()}


def _of_day(rows: list[Reinforcement], now: datetime) -> float:
    age = max(timedelta(0), now - max(row.at for row in rows))
    return float(min(MAX_PER_DAY, math.fsum(row.weight for row in rows)) * 0.5 ** (age / HALF_LIFE))


def _order(row: Reinforcement) -> tuple[float, datetime, str]:
    return row.weight, row.at, row.id
