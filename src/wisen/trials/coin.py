"""Randomly assigns sessions to the arms of a trial: a keyed hash, so the answer is repeatable and nobody's choice."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from wisen.model.exposure import Arm
from wisen.model.trial import Verdict

_BYTES, _MAX_KEY = 32, 64
_SIDES = 1 << 8 * _BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinPolicy:
    """The share of sessions that get a rule: half at first, then most, and nearly all once it is confirmed."""

    first: float = 0.5
    later: float = 0.8
    proven: float = 0.95
    """The remaining sessions show whether a confirmed rule stops helping."""
    first_sessions: int = 30
    """How many relevant sessions the first phase lasts."""


def chance(relevant: int, verdict: Verdict, policy: CoinPolicy | None = None, *, safety: bool = False) -> float:
    """Return the probability that the next session gets a rule, given its relevant sessions; safety rules always."""
    policy = policy or CoinPolicy()
    if safety:
        return 1.0
    if verdict is Verdict.CONFIRMED:
        return policy.proven
    return policy.first if relevant < policy.first_sessions else policy.later


def toss(salt: bytes, *, rule: str, version: str, session: str, chance: float) -> Arm:
    """Return the arm of a session, by a digest keyed with the salt; the hook client computes the same.

    A sub-agent's session is looked up by the id of its parent.
    """
    text = f"{rule}|{version}|{session}".encode("utf-8", "surrogatepass")
    side = int.from_bytes(blake2b(text, digest_size=_BYTES, key=salt[:_MAX_KEY]).digest(), "big")
    return Arm.GIVEN if side < int(chance * _SIDES) else Arm.WITHHELD
