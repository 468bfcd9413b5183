"""Exposure rows: what was delivered to an agent in a session, or withheld. Trials are judged by them."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - exposures are read back by their types
from enum import StrEnum

from msgspec import Struct


class Arm(StrEnum):
    """What a session got of a subject."""

    GIVEN = "given"
    WITHHELD = "withheld"


class Channel(StrEnum):
    """How something reaches an agent."""

    HOOK = "hook"
    FILE = "file"


class Exposure(Struct, frozen=True, kw_only=True):
    """Something learned that was delivered or withheld in a session. Written once, never changed."""

    id: str
    """Derived from where it was recorded, so that the same record is imported once."""
    machine: str
    agent: str
    session: str
    """The agent's own id of the session."""
    subject: str
    """The id of the rule, entry, fix or proposal."""
    version: str
    """The version of its wording: a new wording is a new treatment."""
    channel: Channel
    event: str
    """The moment: session-start, prompt, failure or before-call; or `coin`, for the random draw."""
    arm: Arm
    at: datetime
    call: str | None = None
    """The agent's id of the call that a guard inspected; None for everything else."""
    mode: str | None = None
    """What the guard did, or would have done if it was withheld."""
    chance: float | None = None
    """The probability with which the coin of a trial gave it to this session; None if there was no draw.

    A row with a probability records the draw, whatever happened afterwards: the delivery has a row of its own.
    """
