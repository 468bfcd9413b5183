"""Corrects for multiple testing: which confirmations stand when all rules on trial are judged together (e-BH)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FALSE_SHARE = 0.1
"""The maximum false discovery rate among those that stand, however the trials depend on each other."""


def standing_rules(evidence: Mapping[str, float], false_share: float = FALSE_SHARE) -> frozenset[str]:
    """Return the rules on trial whose evidence of helping stands (Wang and Ramdas, 2022)."""
    ranked = sorted(evidence, key=lambda rule: (-evidence[rule], rule))
    passing = [rank for rank, rule in enumerate(ranked, 1) if evidence[rule] * rank * false_share >= len(ranked)]
    return frozenset(ranked[: max(passing, default=0)])
