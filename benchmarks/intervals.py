"""Means with bootstrap intervals, the same for the same figures."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DRAWS = 2_000


def mean_with_interval(values: Sequence[float]) -> dict[str, float] | None:
    """Return the mean and its 95% interval; None without values."""
    if not values:
        return None
    chance = random.Random(11)
    means = sorted(sum(chance.choices(values, k=len(values))) / len(values) for _ in range(_DRAWS))
    return {
        "mean": round(sum(values) / len(values), 4),
        "low": round(means[int(_DRAWS * 0.025)], 4),
        "high": round(means[int(_DRAWS * 0.975)], 4),
    }
