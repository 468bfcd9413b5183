"""What an agent points at: words that the user typed in a turn, and what they are; and what of it was kept."""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wisen.model.entry import MoveKind

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.model.entry import Move

SHOWN_ID_LENGTH = 7
"""How many letters of a turn's id an agent is shown; as few are enough to name it."""


class TurnClaimKind(StrEnum):
    """What a turn is, as an agent reads it."""

    CORRECTION = "correction"
    PREFERENCE = "preference"
    REMEMBER = "remember"
    NONE = "none"
    """Nothing is to be learnt from it."""


class TurnClaim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an agent says of one turn. Nothing of it is believed before the log has proven it."""

    turn: str
    kind: TurnClaimKind
    words: str = ""
    """The user's whole sentences, as they were typed."""
    standing: bool = False
    """Whether the agent takes them to hold from now on."""
    about: str = ""
    """A name in the turn or in a call before it that they are about."""
    wording: str = ""
    """The same as one rule, in the agent's words."""


class SettledTurn(Struct, frozen=True, kw_only=True):
    """What is known of a turn since an agent pointed at it and the log proved the words."""

    agent: str
    """To which agent it was typed."""
    session: str
    message: str
    context: str
    kind: TurnClaimKind
    words: str = ""
    """The user's own sentences, never the agent's."""
    standing: bool = False
    """Whether the agent takes them to last: a question to the user, and never more."""
    about: str = ""
    by: str
    """Which agent pointed."""


class OpenTurn(Struct, frozen=True, kw_only=True):
    """A typed turn of which it is in doubt what it says."""

    id: str
    agent: str
    session: str
    message: str
    context: str
    at: datetime
    text: str
    """The user's own words, without anything pasted or quoted."""


class PointingOutcome(StrEnum):
    """What became of what an agent said of a turn."""

    LEARNT = "learnt"
    NOTHING = "nothing"
    """It is kept that nothing is to be learnt from it."""
    REFUSED = "refused"


class PointingResult(Struct, frozen=True, kw_only=True):
    """What became of one answer."""

    turn: str
    outcome: PointingOutcome
    why: str = ""
    entries: tuple[str, ...] = ()
    """The names of the entries that hold the user's words."""
    proposal: str = ""
    """The id of what now waits for the user."""


def turn_id(agent: str, session: str, message: str) -> str:
    """The id of a turn: the same on every machine that reads the same log."""
    told = "\0".join((agent, session, message)).encode("utf-8", "surrogateescape")
    return f"T{blake2b(told, digest_size=12).hexdigest()}"


def settled_turns(moves: Iterable[Move]) -> dict[str, SettledTurn]:
    """What agents settled and nobody took back, by the id of the turn; the first answer stands."""
    found: dict[str, SettledTurn] = {}
    for move in moves:
        if move.kind is MoveKind.POINT and move.subject not in found:
            found[move.subject] = msgspec.json.decode(move.value, type=SettledTurn)
    return found
