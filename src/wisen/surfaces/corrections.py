"""What the user keeps correcting, in words that every form of the report shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.domain.signals import SignalKind
from wisen.surfaces.cli.render import clipped, plural

if TYPE_CHECKING:
    from wisen.domain.report import Report
    from wisen.domain.signals import Theme

TITLE = "What you keep correcting"
ONCE = "Said once, and likely meant to last"
_LASTING = 0.4
"""From which likelihood on something said once is told."""
_QUOTE = 160
_SAME = 0.7
"""A quote that is not longer than the lesson by more than this says nothing new."""
_NAMES = {
    SignalKind.CORRECTION: "correct something",
    SignalKind.PREFERENCE: "state a preference",
    SignalKind.GAP: "tell a fact",
    SignalKind.PRAISE: "praise",
    SignalKind.REMEMBER: "ask to remember something",
    SignalKind.REQUEST: "wish for something",
}


def said_in_turns(report: Report) -> str:
    """How many typed turns said what."""
    parts = [f"{report.signals[kind]:,} {words}" for kind, words in _NAMES.items() if report.signals.get(kind)]
    if not parts:
        return f"Nothing was corrected in {plural(report.counts.typed_turns, 'typed turn')}."
    return f"Of {plural(report.counts.typed_turns, 'typed turn')}: {', '.join(parts)}."


def repeated(report: Report) -> list[Theme]:
    """What came up in more than one session."""
    return [theme for theme in report.themes if theme.sessions > 1]


def lasting(report: Report) -> list[Theme]:
    """What came up in one session and is likely meant to last, the likeliest first."""
    once = [theme for theme in report.themes if theme.sessions == 1 and theme.durable >= _LASTING]
    return sorted(once, key=lambda theme: (-theme.durable, theme.lesson))


def quote(theme: Theme) -> str:
    """The newest words of a theme, where they say more than the lesson, and where they stand."""
    newest = theme.sightings[0]
    words = " ".join(newest.text.split())
    where = f"{newest.said.at:%Y-%m-%d}, {newest.agent} {newest.native[:8]}"
    if len(theme.lesson) >= _SAME * len(words):
        return where
    return f"“{clipped(words, _QUOTE)}” {where}"
