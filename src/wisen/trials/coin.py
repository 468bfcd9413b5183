"""The coin that says which sessions get a rule on trial: the same answer whenever it is asked, and nobody's choice."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from wisen.model.exposure import Arm
from wisen.model.trial import Verdict

_BYTES, _LONGEST_KEY = 32, 64
_SIDES = 1 << 8 * _BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinPolicy:
    """How many sessions get a rule: half at first, then most, and nearly all when it has proved itself."""

    first: float = 0.5
    later: float = 0.8
    proven: float = 0.95
    """The rest keeps watching whether a confirmed rule ages."""
    first_sessions: int = 30
    """Relevant sessions before fewer go without."""


def chance(relevant: int, verdict: Verdict, policy: CoinPolicy | None = None, *, safety: bool = False) -> float:
    """The probability that the next session gets a rule that was relevant in so many. What guards safety always is."""
    policy = policy or CoinPolicy()
    if safety:
        return 1.0
    if verdict is Verdict.CONFIRMED:
        return policy.proven
    return policy.first if relevant < policy.first_sessions else policy.later


def toss(salt: bytes, *, rule: str, version: str, session: str, chance: float) -> Arm:
    """What a session gets of a rule: by a digest keyed with the salt, which the hook client makes alike.

    A sub-agent's session is asked for by the id of its parent.
    """
    text = f"{rule}|{version}|{session}".encode("utf-8", "surrogatepass")
    side = int.from_bytes(blake2b(text, digest_size=_BYTES, key=salt[:_LONGEST_KEY]).digest(), "big")
    return Arm.GIVEN if side < int(chance * _SIDES) else Arm.WITHHELD
