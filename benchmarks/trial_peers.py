"""Other decision methods for the same simulated rules: "the rate dropped after a week", and a daily Bayesian check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc

if TYPE_CHECKING:
    from benchmarks.trial_worlds import World


def rate_dropped(world: World) -> float:
    """The share of rules after which the rate is lower in the first seven days than in the 30 days before."""
    sessions = 7 * world.per_day
    after = world.all_given[:, :sessions].sum(axis=1) / sessions
    return float(np.mean(after < world.before / world.before_of))


def daily_look(world: World, sure: float = 0.95) -> float:
    """The share of rules that are ever sure to help (Jeffreys) when one looks every day for 60 days."""
    days = world.all_given.shape[1] // world.per_day
    hits = np.cumsum(world.all_given, axis=1)[:, world.per_day - 1 :: world.per_day]
    of = world.per_day * np.arange(1, days + 1)
    better = betainc(hits + 0.5, world.before[:, None] + 0.5, of / (of + world.before_of))
    return float(np.mean((better >= sure).any(axis=1)))
