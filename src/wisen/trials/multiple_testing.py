"""Many trials at once: which confirmations stand when all rules on trial are looked at together (e-BH)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FALSE_SHARE = 0.1
"""The share of false ones that is expected among those that stand, at most, however the trials depend on each other."""


def standing(evidence: Mapping[str, float], false_share: float = FALSE_SHARE) -> frozenset[str]:
    """The rules whose evidence of helping stands, of all that are on trial (Wang and Ramdas, 2022)."""
    ranked = sorted(evidence, key=lambda rule: (-evidence[rule], rule))
    enough = [place for place, rule in enumerate(ranked, 1) if evidence[rule] * place * false_share >= len(ranked)]
    return frozenset(ranked[: max(enough, default=0)])
