"""What the user keeps correcting, in words that every form of the report shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.signal import SignalKind
from wisen.surfaces.cli.render import clipped, plural
from wisen.text.orders import is_order

if TYPE_CHECKING:
    from wisen.model.report import Report
    from wisen.model.signal import Theme

TITLE = "What you keep correcting"
ONCE = "Said once, and likely meant to last"
_LASTING = 0.6
"""From which likelihood on something said once is told: of five, three are meant to last."""
_QUOTE = 160
_SENTENCE = 140
_SAME = 0.7
"""A quote that is not longer than the lesson by more than this says nothing new."""
_NAMES = {
    SignalKind.CORRECTION: ("correction", "corrections"),
    SignalKind.PREFERENCE: ("preference", "preferences"),
    SignalKind.GAP: ("fact", "facts"),
    SignalKind.PRAISE: ("word of praise", "words of praise"),
    SignalKind.REMEMBER: ("thing to remember", "things to remember"),
    SignalKind.REQUEST: ("wish", "wishes"),
}


def said_in_turns(report: Report) -> str:
    """How many typed turns said what."""
    turns = plural(report.counts.typed_turns, "typed turn")
    parts = [plural(report.signals[kind], *words) for kind, words in _NAMES.items() if report.signals.get(kind)]
    return f"In {turns}: {', '.join(parts)}." if parts else f"Nothing was corrected in {turns}."


def lesson_words(theme: Theme) -> str:
    """What a theme says: the lesson where that is an order, else the user's own words, for a remark is no rule."""
    if is_order(theme.lesson):
        return clipped(theme.lesson, _SENTENCE)
    return f"“{clipped(theme.sightings[0].text, _QUOTE)}”"


def repeated(report: Report) -> list[Theme]:
    """What came up in more than one session."""
    return [theme for theme in report.themes if theme.sessions > 1]


def lasting(report: Report) -> list[Theme]:
    """What came up in one session and is likely meant to last, the likeliest first."""
    once = [
        theme
        for theme in report.themes
        if theme.sessions == 1 and theme.durable >= _LASTING and (is_order(theme.lesson) or not theme.lesson.isascii())
    ]
    return sorted(once, key=lambda theme: (-theme.durable, theme.lesson))


def quote(theme: Theme) -> str:
    """The newest words of a theme, where they say more than the lesson, and where they stand."""
    newest = theme.sightings[0]
    words = " ".join(newest.text.split())
    where = f"{newest.said.at:%Y-%m-%d}, {newest.agent} {newest.native[:8]}"
    if not is_order(theme.lesson) or len(theme.lesson) >= _SAME * len(words):
        return where
    return f"“{clipped(words, _QUOTE)}” {where}"
