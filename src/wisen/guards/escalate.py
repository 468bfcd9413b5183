"""Finds out where a rule was told and not kept: what is written down and done all the same needs more than words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from wisen.delivery.guards_from_fixes import Derived
    from wisen.guards.backtest_history import Met


class ToldRule(NamedTuple):
    """A rule that says plainly what not to do, and when agents were told."""

    of: str
    """The id of its entry, or the file that it stands in."""
    text: str
    context: str
    """Where it holds; empty for everywhere."""
    derived: Derived
    since: datetime | None
    """From when on every session there was told, by a file; None where none was."""
    sessions: Mapping[tuple[str, str], datetime]
    """When a session was told by a hook, by agent and session."""


def violations(rule: ToldRule, met: Iterable[Met]) -> list[Met]:
    """The calls that a rule spoke against after it was told, one for each turn of the user."""
    found: dict[tuple[str, str, int], Met] = {}
    for each in met:
        step, session = each.step, (each.history.agent, each.history.native)
        moments = [moment for moment in (rule.since, rule.sessions.get(session)) if moment is not None]
        if moments and step.at > min(moments):
            turn = sum(turn.before <= each.at for turn in each.history.turns)
            found.setdefault((*session, turn), each)
    return sorted(found.values(), key=lambda each: each.step.at)
