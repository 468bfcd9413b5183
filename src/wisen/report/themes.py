"""Groups lessons that say the same in other words, so that recurring ones can be reported.

`text/sameness.py` decides what is the same, as for entries; opposites are never one theme, whatever lies between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.signal import SignalKind, Theme
from wisen.text.sameness import LessonIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.signal import Lesson, SourcedSignal


def group_themes(sightings: Iterable[SourcedSignal]) -> tuple[Theme, ...]:
    """Group the lessons by theme, those of most sessions first, then the newest."""
    lessons = LessonIndex()
    groups: dict[str, list[SourcedSignal]] = {}
    for sighting in sorted(_sightings_with_lesson(sightings), key=lambda each: each.said.at):
        lesson = _lesson(sighting)
        theme = lessons.find(lesson.text, trigger=lesson.trigger)
        if theme is None or theme in lessons.find_opposites(lesson.text):
            theme = str(len(groups))
        groups.setdefault(theme, []).append(sighting)
        lessons.add(theme, lesson.text, trigger=lesson.trigger)
    made = [_theme(group) for group in groups.values()]
    return tuple(sorted(made, key=lambda each: (-each.sessions, -each.sightings[0].said.at.timestamp(), each.lesson)))


def _sightings_with_lesson(sightings: Iterable[SourcedSignal]) -> list[SourcedSignal]:
    """Return one sighting per lesson of a message: a preference takes precedence over a correction."""
    of: dict[tuple[int, str, str], SourcedSignal] = {}
    for each in sightings:
        signal = each.said.signal
        if signal.lesson is None or signal.is_doubtful:
            continue
        key = each.session, each.said.message, signal.lesson.text
        if key not in of or signal.kind is SignalKind.PREFERENCE:
            of[key] = each
    return list(of.values())


def _lesson(sighting: SourcedSignal) -> Lesson:
    lesson = sighting.said.signal.lesson
    if lesson is None:
        raise ValueError("a sighting without a lesson has no theme")
    return lesson


def _theme(group: list[SourcedSignal]) -> Theme:
    """Build a theme from its sightings: the newest is quoted, because the newest statement counts."""
    newest_first = tuple(reversed(group))
    lesson = _lesson(newest_first[0])
    return Theme(
        lesson=lesson.text,
        about=lesson.about,
        forbids=lesson.forbids,
        durable=max(_lesson(each).durable for each in newest_first),
        sightings=newest_first,
        sessions=len({each.session for each in newest_first}),
    )
