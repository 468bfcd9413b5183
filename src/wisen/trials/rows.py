"""The sessions of each trial, put together from what coins said and what sessions showed. Nothing else is asked."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.model.trial import TrialRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.exposure import Exposure
    from wisen.model.trial import TrialOutcome

Subject = tuple[str, str]
"""What is on trial: its id, and the version of its words."""
ALL: Subject = ("hints", "")
"""All hints together, where a share of sessions gets none."""


def rows_of(coins: Iterable[Exposure], outcomes: Iterable[TrialOutcome]) -> dict[Subject, list[TrialRow]]:
    """The sessions of each trial that are over, in the order in which their coins were thrown.

    Only the first coin of a session counts. The rows of several machines may be put together in any order.
    """
    shown = {(each.agent, each.session, each.subject, each.version): each for each in outcomes}
    found: dict[Subject, list[TrialRow]] = defaultdict(list)
    met: set[tuple[str, str, str, str]] = set()
    for coin in sorted(coins, key=lambda each: (each.at, each.id)):
        key = (coin.agent, coin.session, coin.subject, coin.version)
        outcome = shown.get(key)
        if coin.chance is None or key in met or outcome is None:
            continue
        met.add(key)
        found[coin.subject, coin.version].append(
            TrialRow(
                session=coin.session,
                rule=coin.subject,
                version=coin.version,
                arm=coin.arm,
                chance=coin.chance,
                relevant=outcome.relevant,
                hit=outcome.hit,
                rails=outcome.rails,
            )
        )
    return dict(found)
