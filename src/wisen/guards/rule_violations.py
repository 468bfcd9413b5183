"""Finds where agents broke a rule after it was delivered: such a rule needs a guard, not another reminder."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from wisen.delivery.guards_from_fixes import GuardPattern
    from wisen.guards.backtest_history import MatchedCall


class DeliveredRule(NamedTuple):
    """A rule that clearly says what not to do, and when it was delivered to agents."""

    source_id: str
    """The id of its entry, or the path of the file that contains it."""
    text: str
    context: str
    """Where it holds; empty for everywhere."""
    derived: GuardPattern
    since: datetime | None
    """Since when a file delivered it to every session there; None where no file does."""
    sessions: Mapping[tuple[str, str], datetime]
    """When a hook delivered it to a session, by agent and session."""


def find_violations(rule: DeliveredRule, matches: Iterable[MatchedCall]) -> list[MatchedCall]:
    """Return the calls that broke a rule after it was delivered, one per turn of the user."""
    by_turn: dict[tuple[str, str, int], MatchedCall] = {}
    for each in matches:
        session = each.agent, each.native
        delivered = [moment for moment in (rule.since, rule.sessions.get(session)) if moment is not None]
        if delivered and each.at > min(delivered):
            by_turn.setdefault((*session, each.turn), each)
    return sorted(by_turn.values(), key=lambda each: each.at)
