"""Whether an entry stands, so that it is told at each start; and why not, for people.

What stands is what the user said with words by which it lasts, said again so, confirmed or approved. How likely a
classifier takes something to be meant to last decides nothing here. What does not stand is of the moment: it is told
by what calls it up, or found when somebody asks.
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
    """Why an entry is told at each start, or why not; the value tells it to a person."""

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
        """Whether what it is said of is told at each start."""
        return self in _STANDS


_STANDS = frozenset(
    {
        EntryStanding.APPROVED,
        EntryStanding.CONFIRMED,
        EntryStanding.MARKED,
        EntryStanding.REPEATED,
        EntryStanding.FILED,
    }
)
_LESSONS = (Category.CORRECTION, Category.PREFERENCE)
"""What can be told as a rule: gaps, insights and best practices are entries of their own kind."""
_UNWORDED = (DirectiveForm.QUESTION, DirectiveForm.COMPLAINT)
"""Forms that tell what to do, and would be no rule as a line of a file."""
_MANY = 4_096


def standing_of(state: EntryState) -> EntryStanding:
    """Why an entry is told at each start, or why not."""
    entry = state.entry
    if state.status is EntryStatus.PROMOTED:
        return EntryStanding.APPROVED if state.confirmed else EntryStanding.FILED
    if state.confirmed and entry.type is EntryType.LEARNING:
        return EntryStanding.CONFIRMED
    if entry.type is not EntryType.LEARNING or entry.category not in _LESSONS:
        return EntryStanding.OTHER_KIND
    return _standing_by_quotes(state) if entry.origin is EntryOrigin.STATED else EntryStanding.UNSAID


def _standing_by_quotes(state: EntryState) -> EntryStanding:
    entry = state.entry
    if state.lasting:
        return EntryStanding.REPEATED
    if entry.standing or _is_asked_to_keep(entry):
        return EntryStanding.MARKED
    read = _read_standing(state.text, entry.details)
    if entry.standing is not None and (read.is_standing or read is EntryStanding.REMARK):
        return EntryStanding.UNMARKED  # recorded as a lesson of the moment: by the turn, not by its words alone
    return read


def is_lesson(state: EntryState) -> bool:
    """Whether the words of an entry tell what to do, or something calls it up: else it is a remark."""
    entry = state.entry
    told = bool(entry.standing) or _is_asked_to_keep(entry) or state.trigger is not None
    return told or bool(_directives(state.text, entry.details))


def is_lasting_entry(state: EntryState) -> bool:
    """Whether the user told what to do, and not for now alone: it can take the place of what they said before."""
    standing = standing_of(state)
    return standing.is_standing or (standing is EntryStanding.UNMARKED and is_lesson(state))


def needs_wording(state: EntryState) -> bool:
    """Whether the words of an entry are no rule for a file as they are: they point at something, ask, or only tell."""
    if state.confirmed:
        return False
    read = directives_in(state.text)
    if read and state.is_standing:  # to somebody who was not there it says something, or it would not stand
        return any(each.form in _UNWORDED for each in read)
    if read:
        return any(not each.stands_alone or each.passing or each.form in _UNWORDED for each in read)
    # A fact tells nothing to do; somebody asked for it to be kept, or a person worded it so.
    is_fact = (
        state.entry.category not in _LESSONS or standing_of(state).is_standing or state.text != state.entry.summary
    )
    return not (is_fact and stands_alone(state.text))


def _is_asked_to_keep(entry: Entry) -> bool:
    """Whether the user asked for it to be remembered, in a version that kept that as certainty."""
    return entry.standing is None and entry.category is Category.PREFERENCE and entry.durable >= 1


@lru_cache(maxsize=_MANY)
def _read_standing(text: str, message: str) -> EntryStanding:
    found = _directives(text, message)
    if any(each.passing for each in found) or is_temporary(text) or is_temporary(message):
        return EntryStanding.PASSING
    if not found:
        return EntryStanding.REMARK
    if any(each.standing for each in found):
        return EntryStanding.MARKED
    return EntryStanding.POINTS if not any(each.stands_alone for each in found) else EntryStanding.UNMARKED


@lru_cache(maxsize=_MANY)
def _directives(text: str, message: str) -> tuple[Directive, ...]:
    """The directives of an entry's words, and those of its message that are the same, where a word was left out."""
    own = directives_in(text)
    words = _plain(text)
    of_message = directives_in(message) if message else ()
    same = [each for each in of_message if (plain := _plain(each.text)) and (plain in words or words in plain)]
    return (*own, *same)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!。！")
