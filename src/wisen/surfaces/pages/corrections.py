"""Texts about repeated corrections that all report formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.signal import SignalKind
from wisen.surfaces.cli.render import clip, plural

if TYPE_CHECKING:
    from wisen.model.report import Report
    from wisen.model.signal import Theme

TITLE = "What you keep correcting"
LASTING_TITLE = "Said in one session, and meant to last"
_MAX_QUOTE = 160
_NAMES = {
    SignalKind.CORRECTION: ("correction", "corrections"),
    SignalKind.PREFERENCE: ("preference", "preferences"),
    SignalKind.GAP: ("fact", "facts"),
    SignalKind.PRAISE: ("word of praise", "words of praise"),
    SignalKind.REMEMBER: ("thing to remember", "things to remember"),
    SignalKind.REQUEST: ("wish", "wishes"),
}


def describe_signals(report: Report) -> str:
    """Describe how many signals of each kind were found in typed turns."""
    turns = plural(report.counts.typed_turns, "typed turn")
    parts = [plural(report.signals[kind], *words) for kind, words in _NAMES.items() if report.signals.get(kind)]
    return f"In {turns}: {', '.join(parts)}." if parts else f"Nothing was corrected in {turns}."


def quote_lesson(theme: Theme) -> str:
    """Quote a theme in the user's newest wording."""
    return f"“{clip(theme.lesson, _MAX_QUOTE)}”"


def repeated_themes(report: Report) -> list[Theme]:
    """Return the themes that came up in more than one session."""
    return [theme for theme in report.themes if theme.sessions > 1]


def lasting_themes(report: Report) -> list[Theme]:
    """Return the themes of one session that the user explicitly wants to last, newest first."""
    themes = [theme for theme in report.themes if theme.sessions == 1 and theme.is_standing]
    return sorted(themes, key=lambda theme: (-theme.last.timestamp(), theme.lesson))


def describe_sightings(theme: Theme) -> str:
    """Describe how often a theme was said, and where it was said last."""
    where = f"{theme.last:%Y-%m-%d}, {theme.agent} {theme.session[:8]}"
    return f"said {theme.times:,} times, last on {where}" if theme.times > 1 else where
