"""Joins coin tosses and outcomes into the sessions of each trial. Nothing else is read."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.model.trial import TrialRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.exposure import Exposure
    from wisen.model.trial import TrialOutcome

Subject = tuple[str, str]
"""What is on trial: its id, and the version of its text."""
ALL_HINTS: Subject = ("hints", "")
"""All hints together, where a share of sessions gets none."""


def build_trial_rows(coins: Iterable[Exposure], outcomes: Iterable[TrialOutcome]) -> dict[Subject, list[TrialRow]]:
    """Return the finished sessions of each trial, in the order in which their coins were tossed.

    Only the first coin of a session counts. The rows of several machines may be given in any order.
    """
    outcome_by_key = {(each.agent, each.session, each.subject, each.version): each for each in outcomes}
    rows: dict[Subject, list[TrialRow]] = defaultdict(list)
    seen: set[tuple[str, str, str, str]] = set()
    for coin in sorted(coins, key=lambda each: (each.at, each.id)):
        key = (coin.agent, coin.session, coin.subject, coin.version)
        outcome = outcome_by_key.get(key)
        if coin.chance is None or key in seen or outcome is None:
            continue
        seen.add(key)
        rows[coin.subject, coin.version].append(
            TrialRow(
                session=coin.session,
                rule=coin.subject,
                version=coin.version,
                arm=coin.arm,
                chance=coin.chance,
                relevant=outcome.relevant,
                hit=outcome.hit,
                guardrails=outcome.guardrails,
            )
        )
    return dict(rows)
