"""Exposures: what was put before an agent in a session, or kept from it. Verdicts are judged by these rows."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - exposures are read back by their types
from enum import StrEnum

from msgspec import Struct


class Arm(StrEnum):
    """What a session got of a subject."""

    GIVEN = "given"
    WITHHELD = "withheld"


class Channel(StrEnum):
    """By which way something reaches an agent."""

    HOOK = "hook"
    FILE = "file"


class Exposure(Struct, frozen=True, kw_only=True):
    """Something that was learnt, delivered or withheld in a session. It is written once and never changes."""

    id: str
    """Made of where it was noted down, so that the same note is taken once."""
    machine: str
    agent: str
    session: str
    """The agent's own id of the session."""
    subject: str
    """The id of the rule, entry, fix or proposal."""
    version: str
    """Of its wording: other words are another treatment."""
    channel: Channel
    event: str
    """At which moment: session-start, prompt, failure or before-call; or `coin`, when that was thrown."""
    arm: Arm
    at: datetime
    call: str | None = None
    """The agent's id of the call that a guard looked at; None for everything else."""
    mode: str | None = None
    """What the guard did, or would have done where it was withheld."""
    chance: float | None = None
    """With which probability the coin of a trial gave it to this session; None for what no coin was thrown for.

    A row with one says what the coin said, whatever was then done: of what was delivered there is another row."""
