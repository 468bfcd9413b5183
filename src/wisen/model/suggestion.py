"""What an agent is asked about, and how it may answer: turns in doubt, and entries whose words say little alone."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - written as JSON by its type
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

LONGEST = 240
"""How long a lesson in an agent's words may be."""


class DoubtKind(StrEnum):
    """What is in doubt."""

    TURN = "turn"
    """Whether the user corrected something or stated a rule."""
    WORDING = "wording"
    """What an entry says to somebody who was not there."""


class Doubt(Struct, frozen=True, kw_only=True):
    """Something that the rules of the detector do not decide."""

    id: str
    kind: DoubtKind
    text: str
    """What the user typed, or the words of the entry."""
    quote: str = ""
    """Of an entry, the user's words when it was last seen."""
    before: str = ""
    """Of a turn, what had happened just before it."""
    at: datetime
    agent: str
    session: str
    entry: str = ""
    """The id of the entry that there is, or that would be."""


class Reading(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an agent says of one doubt."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]
    correction: Annotated[
        bool,
        Meta(
            description="The user says that work, a claim or an approach is wrong or to be done otherwise. A new task, "
            "a question, an answer or an error message alone is none."
        ),
    ] = False
    preference: Annotated[bool, Meta(description="The user states a rule that is meant to last beyond the task.")] = (
        False
    )
    lesson: Annotated[
        str,
        Meta(
            max_length=LONGEST,
            description="Where one of them holds: what is to be done from now on, in one sentence that somebody "
            "understands who was not there.",
        ),
    ] = ""


class TakenReading(Struct, frozen=True, kw_only=True):
    """What became of one reading."""

    id: str
    became: str
    """`waits`, `none` or `refused`."""
    why: str = ""
    proposal: str = ""
