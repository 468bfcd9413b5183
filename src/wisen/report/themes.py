"""What the user keeps correcting: the lessons in force that they stated, with where each was said.

A theme is a lesson, and what is the same lesson was decided when it was recorded; lessons of several projects that were
said in the same words are one theme.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.model.entry import Category, EntryOrigin
from wisen.model.signal import LessonTopic, Theme

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry import Sighting
    from wisen.model.entry_state import EntryState

_CATEGORIES = (Category.CORRECTION, Category.PREFERENCE)


def build_themes(
    states: Sequence[EntryState],
    sightings: Iterable[Sighting],
    sessions: Collection[tuple[str, str]] | None = None,
    since: datetime | None = None,
) -> tuple[Theme, ...]:
    """Return what was said in these sessions (agent and session; None for all), those of most sessions first."""
    by_id = {state.entry.id: state for state in states}
    groups: dict[str, list[tuple[Sighting, EntryState]]] = defaultdict(list)
    for each in sightings:
        state = by_id.get(each.entry)
        while state is not None and state.merged_into in by_id:
            state = by_id[state.merged_into]
        if state is None or not _is_theme(state) or (since is not None and each.at < since):
            continue
        if sessions is None or (each.agent, each.session) in sessions:
            groups[_words(state.text)].append((each, state))
    themes = [_theme(group) for group in groups.values()]
    return tuple(sorted(themes, key=lambda each: (-each.sessions, -each.last.timestamp(), each.lesson)))


def _is_theme(state: EntryState) -> bool:
    entry = state.entry
    return entry.origin is EntryOrigin.STATED and entry.category in _CATEGORIES and not state.is_over


def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _theme(group: list[tuple[Sighting, EntryState]]) -> Theme:
    """Build a theme: the newest wording is quoted, because the newest statement counts, unless a person chose one."""
    newest, state = max(group, key=lambda each: (each[0].at, each[0].message))
    is_reworded = state.text != state.entry.summary
    return Theme(
        entry=state.entry.name,
        lesson=state.text if is_reworded else newest.quote,
        about=state.entry.about or LessonTopic.FACT,
        durable=max(each.durable for _, each in group),
        is_standing=any(each.is_standing for _, each in group),
        sessions=len({(each.agent, each.session) for each, _ in group}),
        times=len({(each.agent, each.session, each.message) for each, _ in group}),
        last=newest.at,
        agent=newest.agent,
        session=newest.session,
    )
