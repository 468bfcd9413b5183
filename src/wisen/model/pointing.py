"""What agents claim about turns of the user, and what was kept of it after checking the log."""

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
"""How many letters of a turn's id are shown to an agent; that many are enough to identify it."""


class TurnClaimKind(StrEnum):
    """What a turn is, as an agent reads it."""

    CORRECTION = "correction"
    PREFERENCE = "preference"
    REMEMBER = "remember"
    NONE = "none"
    """Nothing can be learned from it."""


class TurnClaim(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an agent claims about one turn. Nothing of it is believed before the log has proven it."""

    turn: str
    kind: TurnClaimKind
    words: str = ""
    """The user's whole sentences, as typed."""
    standing: bool = False
    """Whether the agent thinks that they apply from now on."""
    about: str = ""
    """A name in the turn or in an earlier call that they are about."""
    wording: str = ""
    """The same as one rule, in the agent's words."""


class SettledTurn(Struct, frozen=True, kw_only=True):
    """What is known about a turn after an agent pointed at it and the log proved the quote."""

    agent: str
    """The agent that it was typed to."""
    session: str
    message: str
    context: str
    kind: TurnClaimKind
    words: str = ""
    """The user's own sentences, never the agent's."""
    standing: bool = False
    """Whether the agent thinks that they last: only a question to the user."""
    about: str = ""
    by: str
    """The agent that made the claim."""


class OpenTurn(Struct, frozen=True, kw_only=True):
    """A typed turn whose meaning is in doubt."""

    id: str
    agent: str
    session: str
    message: str
    context: str
    at: datetime
    text: str
    """The user's own words, without anything pasted or quoted."""


class PointingOutcome(StrEnum):
    """What became of a claim about a turn."""

    LEARNT = "learnt"
    NOTHING = "nothing"
    """It is recorded that nothing can be learned from it."""
    REFUSED = "refused"


class PointingResult(Struct, frozen=True, kw_only=True):
    """The result of one claim."""

    turn: str
    outcome: PointingOutcome
    why: str = ""
    entries: tuple[str, ...] = ()
    """The names of the entries that hold the user's words."""
    proposal: str = ""
    """The id of the proposal that now waits for the user."""


def turn_id(agent: str, session: str, message: str) -> str:
    """Return the id of a turn: the same on every machine that reads the same log."""
    content = "\0".join((agent, session, message)).encode("utf-8", "surrogateescape")
    return f"T{blake2b(content, digest_size=12).hexdigest()}"


def settled_turns(moves: Iterable[Move]) -> dict[str, SettledTurn]:
    """Return what agents settled and nobody undid, by the id of the turn; the first answer counts."""
    settled: dict[str, SettledTurn] = {}
    for move in moves:
        if move.kind is MoveKind.POINT and move.subject not in settled:
            settled[move.subject] = msgspec.json.decode(move.value, type=SettledTurn)
    return settled
