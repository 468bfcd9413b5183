"""The newest explicit word of the user wins: of two entries that say the opposite, the one that was said last stands.

What counts is when something was said, not when its log was read nor how often it was said. Nothing is dropped: an
entry that was superseded is kept with the id of the one that took its place, and stands again when it is said again.
Scores decide only between entries that nobody stated (`conflicts.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.context import EVERYWHERE
from wisen.model.entry import REMOVED_PREFIX, Actor, EntryOrigin, EntryStatus, EntryType, MoveKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory
    from wisen.text.sameness import Lessons

_PASSING = re.compile(
    r"\b(?:(?:just |only )?(?:this|for) once|this (?:one )?time|(?:just |only )?for (?:now|today|the moment)|today only"
    r"|temporarily|in this (?:session|chat|conversation)"
    r"|(?:just |only )?for this (?:one|task|change|commit|branch|pr|test|run|file|session)"
    r"|for the time being|until (?:i|we|the|it)\b)",
    re.IGNORECASE,
)
_WORDS = (MoveKind.CONFIRM, MoveKind.TEXT)
"""What a person decides about an entry and says it by, besides approving it."""


class GlobalWordQuestion(NamedTuple):
    """A rule of a project, and what the user said later for all projects: whether that holds there is theirs to say."""

    of_project: EntryState
    of_all: EntryState


class Settlement(NamedTuple):
    """What the user's newest words change."""

    moves: list[Move]
    questions: list[GlobalWordQuestion]


def is_passing(message: str) -> bool:
    """Whether a message asks for something only this time: that takes the place of no rule."""
    return _PASSING.search(message) is not None


def last_said(states: Iterable[EntryState], moves: Iterable[Move]) -> dict[str, datetime]:
    """By entry, when the user last said that it holds: in a session, by approving it, or in other words for it."""
    said = {state.entry.id: state.last for state in states if state.entry.origin is EntryOrigin.STATED}
    for move in moves:
        if move.by is Actor.USER and (move.kind in _WORDS or (move.kind, move.value) == _APPROVED):
            said[move.subject] = max(said.get(move.subject, move.at), move.at)
    return said


_APPROVED = (MoveKind.STATUS, EntryStatus.PROMOTED.value)


def settle_by_newest(
    states: Sequence[EntryState],
    moves: Sequence[Move],
    is_word: Callable[[EntryState], bool],
    said_in: Callable[[str, str], datetime | None],
    factory: RowFactory,
) -> Settlement:
    """Which entries are superseded from now on, or stand again, and what only the user can decide.

    `is_word`: whether an entry is the user's word and meant to last, so that it can take the place of another.
    `said_in`: when an entry was last said in a context.
    """
    from wisen.text.sameness import Lessons

    said = last_said(states, moves)
    removed = _removed(moves)
    learnt = [each for each in states if each.entry.type is EntryType.LEARNING and not each.merged_into]
    live = [each for each in learnt if not each.is_closed or each.entry.id in removed]
    by_id = {each.entry.id: each for each in live}
    words = [each for each in live if each.entry.id in said and is_word(each) and not is_passing(each.entry.details)]
    lookups: dict[str, Lessons] = defaultdict(Lessons)
    for each in live:
        lookups[each.context].add(each.entry.id, each.text)
    newest: dict[str, EntryState] = {}
    for word in words:
        for id_ in lookups[word.context].opposites(word.text):
            if id_ != word.entry.id and _order(word, said) > _order(by_id[id_], said):
                _note(newest, id_, word, said)
    questions = []
    for of_project, of_all in _across(words, lookups[EVERYWHERE], said):
        here = said_in(of_all.entry.id, of_project.context)
        if here is not None and here > said[of_project.entry.id]:
            _note(newest, of_project.entry.id, of_all, said)
        elif said[of_all.entry.id] > said[of_project.entry.id]:
            questions.append(GlobalWordQuestion(of_project, of_all))
    found = []
    decided = {move.subject: move for move in moves if move.kind is MoveKind.SUPERSEDE and move.by is Actor.USER}
    for each in states:
        by = newest.get(each.entry.id)
        mine = decided.get(each.entry.id)
        if mine is not None and mine.value in by_id and mine.at >= said.get(each.entry.id, mine.at):
            by = by_id[mine.value]
        if not each.is_closed and each.superseded_by != (by.entry.id if by else ""):
            found.append(_moved(each, by, said, factory))
    over = {move.subject for move in found if move.value}
    return Settlement(found, [each for each in questions if each.of_project.entry.id not in over])


def _removed(moves: Iterable[Move]) -> set[str]:
    """The rules that the user took out of their files: that does not bring back what they had said before."""
    last = {move.subject: move for move in moves if move.kind is MoveKind.STATUS}
    return {id_ for id_, move in last.items() if move.by is Actor.USER and move.why.startswith(REMOVED_PREFIX)}


def _order(state: EntryState, said: Mapping[str, datetime]) -> tuple[bool, float, str]:
    """What nobody stated gives way to any word; of two words said in the same moment the one recorded last stands."""
    at = said.get(state.entry.id)
    return (at is not None, at.timestamp() if at else 0.0, state.entry.id)


def _note(newest: dict[str, EntryState], id_: str, word: EntryState, said: Mapping[str, datetime]) -> None:
    known = newest.get(id_)
    if known is None or _order(word, said) > _order(known, said):
        newest[id_] = word


def _across(
    words: Sequence[EntryState], everywhere: Lessons, said: Mapping[str, datetime]
) -> Iterable[tuple[EntryState, EntryState]]:
    """The words of projects with those for all projects that say the opposite."""
    of_all = {each.entry.id: each for each in words if each.context == EVERYWHERE}
    for word in words if of_all else ():
        if word.context != EVERYWHERE and not word.is_over:
            for id_ in everywhere.opposites(word.text):
                if id_ in of_all and not of_all[id_].is_over and id_ in said:
                    yield word, of_all[id_]


def _moved(state: EntryState, by: EntryState | None, said: Mapping[str, datetime], factory: RowFactory) -> Move:
    id_ = state.entry.id
    if by is None:
        return factory.build_move(id_, MoveKind.SUPERSEDE, "", why="it is the newest word again")
    why = f"{by.entry.name} was said later, on {said[by.entry.id]:%Y-%m-%d}, and says the opposite"
    return factory.build_move(id_, MoveKind.SUPERSEDE, by.entry.id, why=why)
