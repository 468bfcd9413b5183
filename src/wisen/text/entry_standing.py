"""Decides whether an entry is delivered at every session start, and gives the reason for people.

Standing entries are those that the user stated with lasting words, repeated that way, confirmed or approved. How
likely a classifier considers an entry to be lasting has no influence here. Other entries are of the moment: they are
delivered when their trigger matches, or found when somebody searches.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.model.entry import Category, EntryOrigin, EntryStatus, EntryType
from wisen.text.directives import directives_in
from wisen.text.lasting_words import is_temporary
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from wisen.model.directive import Directive
    from wisen.model.entry import Entry
    from wisen.model.entry_state import EntryState


class EntryStanding(StrEnum):
    """Why an entry is delivered at every session start, or why not; the value is shown to people."""

    APPROVED = "you approved it"
    CONFIRMED = "you confirmed it"
    MARKED = "you said that it lasts"
    REPEATED = "you said it again, and that it lasts"
    FILED = "your profile put it into its file"
    PASSING = "you said that it holds for now"
    POINTS = "it points at something that only you saw"
    UNMARKED = "nothing in it says that it lasts"
    REMARK = "it does not tell what to do"
    UNSAID = "you did not say it"
    OTHER_KIND = "it is recorded, and is no rule"

    @property
    def is_standing(self) -> bool:
        """Whether such an entry is delivered at every session start."""
        return self in _STANDING_REASONS


_STANDING_REASONS = frozenset(
    {
        EntryStanding.APPROVED,
        EntryStanding.CONFIRMED,
        EntryStanding.MARKED,
        EntryStanding.REPEATED,
        EntryStanding.FILED,
    }
)
_LESSON_CATEGORIES = (Category.CORRECTION, Category.PREFERENCE)
"""Categories that can become rules: gaps, insights and best practices are entries of their own kind."""
_UNSUITABLE_FORMS = (DirectiveForm.QUESTION, DirectiveForm.COMPLAINT)
"""Forms of a directive that would not read as a rule in a file."""
_MAX_CACHED = 4_096


def standing_of(state: EntryState) -> EntryStanding:
    """Return why an entry is delivered at every session start, or why not."""
    entry = state.entry
    if state.status is EntryStatus.PROMOTED:
        return EntryStanding.APPROVED if state.confirmed else EntryStanding.FILED
    if state.confirmed and entry.type is EntryType.LEARNING:
        return EntryStanding.CONFIRMED
    if entry.type is not EntryType.LEARNING or entry.category not in _LESSON_CATEGORIES:
        return EntryStanding.OTHER_KIND
    return _standing_by_quotes(state) if entry.origin is EntryOrigin.STATED else EntryStanding.UNSAID


def is_standing(state: EntryState) -> bool:
    """Return `standing_of(state).is_standing`, without reading the words where they do not matter."""
    entry = state.entry
    is_read = entry.origin is EntryOrigin.STATED and entry.standing is False and not state.lasting
    if is_read and not state.confirmed and state.status is not EntryStatus.PROMOTED:
        return False  # its words and its turn were read when it was recorded
    return standing_of(state).is_standing


def _standing_by_quotes(state: EntryState) -> EntryStanding:
    entry = state.entry
    if state.lasting:
        return EntryStanding.REPEATED
    if entry.standing or _was_asked_to_remember(entry):
        return EntryStanding.MARKED
    reading = _read_standing(state.text, entry.details)
    if entry.standing is not None and (reading.is_standing or reading is EntryStanding.REMARK):
        return EntryStanding.UNMARKED  # recorded as a lesson of the moment because of its turn, not only its words
    return reading


def is_lesson(state: EntryState) -> bool:
    """Whether an entry says what to do or has a trigger: otherwise it is a remark."""
    entry = state.entry
    is_statement = bool(entry.standing) or _was_asked_to_remember(entry) or state.trigger is not None
    return is_statement or bool(_directives(state.text, entry.details))


def is_lasting_entry(state: EntryState) -> bool:
    """Whether the user said what to do, and not only for now: it can replace what they said before."""
    standing = standing_of(state)
    return standing.is_standing or (standing is EntryStanding.UNMARKED and is_lesson(state))


def needs_wording(state: EntryState) -> bool:
    """Whether an entry must be reworded to be a rule in a file: it refers to something, asks or only describes."""
    if state.confirmed:
        return False
    directives = directives_in(state.text)
    if directives and state.is_standing:  # it makes sense without context, otherwise it would not be standing
        return any(each.form in _UNSUITABLE_FORMS for each in directives)
    if directives:
        return any(not each.stands_alone or each.passing or each.form in _UNSUITABLE_FORMS for each in directives)
    # A fact does not say what to do; somebody asked to remember it, or a person worded it that way.
    is_fact = (
        state.entry.category not in _LESSON_CATEGORIES
        or standing_of(state).is_standing
        or state.text != state.entry.summary
    )
    return not (is_fact and stands_alone(state.text))


def _was_asked_to_remember(entry: Entry) -> bool:
    """Whether the user asked to remember it, as an earlier version recorded it: as certainty."""
    return entry.standing is None and entry.category is Category.PREFERENCE and entry.durable >= 1


@lru_cache(maxsize=_MAX_CACHED)
def _read_standing(text: str, message: str) -> EntryStanding:
    directives = _directives(text, message)
    if any(each.passing for each in directives) or is_temporary(text) or is_temporary(message):
        return EntryStanding.PASSING
    if not directives:
        return EntryStanding.REMARK
    if any(each.standing for each in directives):
        return EntryStanding.MARKED
    return EntryStanding.POINTS if not any(each.stands_alone for each in directives) else EntryStanding.UNMARKED


@lru_cache(maxsize=_MAX_CACHED)
def _directives(text: str, message: str) -> tuple[Directive, ...]:
    """Return the directives of an entry's text, and those of its message that match it apart from omitted words."""
    of_text = directives_in(text)
    normalized = _normalize(text)
    of_message = directives_in(message) if message else ()
    matching = [
        each for each in of_message if (plain := _normalize(each.text)) and (plain in normalized or normalized in plain)
    ]
    return (*of_text, *matching)


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!。！")
