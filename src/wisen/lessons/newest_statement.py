"""Lets the user's newest explicit statement win: of two entries that say the opposite, the later one is in force.

What counts is when something was said, not when its log was read or how often it was said. Nothing is dropped: a
superseded entry keeps the id of the one that replaced it, and is in force again when it is said again.
Scores decide only between entries that nobody stated (`conflicts.py`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.context import EVERYWHERE
from wisen.model.entry import REMOVED_PREFIX, Actor, EntryOrigin, EntryStatus, EntryType, MoveKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory
    from wisen.text.sameness import LessonIndex

_PASSING = lazy_regex(
    r"\b(?:(?:just |only )?(?:this|for) once|this (?:one )?time|(?:just |only )?for (?:now|today|the moment)|today only"
    r"|temporarily|in this (?:session|chat|conversation)"
    r"|(?:just |only )?for this (?:one|task|change|commit|branch|pr|test|run|file|session)"
    r"|for the time being|until (?:i|we|the|it)\b)",
    re.IGNORECASE,
)
_WORDS = (MoveKind.CONFIRM, MoveKind.TEXT)
"""Decisions by which a person restates an entry, besides approving it."""


class GlobalOverrideQuestion(NamedTuple):
    """A rule of a project, and what the user later said for all projects: only they know whether it holds there."""

    of_project: EntryState
    of_all: EntryState


class Settlement(NamedTuple):
    """What the user's newest statements change."""

    moves: list[Move]
    questions: list[GlobalOverrideQuestion]


def is_temporary(message: str) -> bool:
    """Whether a message asks for something only this time: it replaces no rule."""
    return _PASSING.search(message) is not None


def last_stated(states: Iterable[EntryState], moves: Iterable[Move]) -> dict[str, datetime]:
    """Return, by entry, when the user last said that it holds: in a session, by approving it, or by rewording it."""
    times = {state.entry.id: state.last for state in states if state.entry.origin is EntryOrigin.STATED}
    for move in moves:
        if move.by is Actor.USER and (move.kind in _WORDS or (move.kind, move.value) == _APPROVED):
            times[move.subject] = max(times.get(move.subject, move.at), move.at)
    return times


_APPROVED = (MoveKind.STATUS, EntryStatus.PROMOTED.value)


def settle_by_newest(
    states: Sequence[EntryState],
    moves: Sequence[Move],
    is_lasting: Callable[[EntryState], bool],
    said_in: Callable[[str, str], datetime | None],
    factory: RowFactory,
    *,
    is_concerned: Callable[[str], bool] = lambda _context: True,
) -> Settlement:
    """Return which entries are superseded from now on, or in force again, and what only the user can decide.

    `is_concerned`: whether entries of a context may have changed; those of others stay as they are, but a person may
    have named one of them as what replaces an entry.
    `is_lasting`: whether an entry is a lasting statement of the user, so that it can replace another.
    `said_in`: when an entry was last said in a context.
    """
    from wisen.text.sameness import LessonIndex

    stated = last_stated(states, moves)
    removed = _removed_by_user(moves)
    learnt = [each for each in states if each.entry.type is EntryType.LEARNING and not each.merged_into]
    live = [each for each in learnt if not each.is_closed or each.entry.id in removed]
    by_id = {each.entry.id: each for each in live}
    concerned = [each for each in live if is_concerned(each.context)]
    statements = [each for each in concerned if each.entry.id in stated and not is_temporary(each.entry.details)]
    lookups: dict[str, LessonIndex] = defaultdict(LessonIndex)
    for each in concerned:
        lookups[each.context].add(each.entry.id, each.text)
    newest: dict[str, EntryState] = {}
    for statement in statements:
        older = [
            id_
            for id_ in lookups[statement.context].find_opposites(statement.text)
            if id_ != statement.entry.id and _order(statement, stated) > _order(by_id[id_], stated)
        ]
        for id_ in older if older and is_lasting(statement) else ():  # reading whether it lasts is slow
            _keep_newest(newest, id_, statement, stated)
    questions = []
    across = _opposites_across_projects(statements, lookups[EVERYWHERE], stated)
    for of_project, of_all in (pair for pair in across if all(map(is_lasting, pair))):
        here = said_in(of_all.entry.id, of_project.context)
        if here is not None and here > stated[of_project.entry.id]:
            _keep_newest(newest, of_project.entry.id, of_all, stated)
        elif stated[of_all.entry.id] > stated[of_project.entry.id]:
            questions.append(GlobalOverrideQuestion(of_project, of_all))
    updates = []
    decided = {move.subject: move for move in moves if move.kind is MoveKind.SUPERSEDE and move.by is Actor.USER}
    for each in (state for state in states if is_concerned(state.context)):
        by = newest.get(each.entry.id)
        decision = decided.get(each.entry.id)
        if decision is not None and decision.value in by_id and decision.at >= stated.get(each.entry.id, decision.at):
            by = by_id[decision.value]
        if not each.is_closed and each.superseded_by != (by.entry.id if by else ""):
            updates.append(_supersede_move(each, by, stated, factory))
    over = {move.subject for move in updates if move.value}
    return Settlement(updates, [each for each in questions if each.of_project.entry.id not in over])


def _removed_by_user(moves: Iterable[Move]) -> set[str]:
    """Return the rules that the user removed from their files: that does not restore what they had said before."""
    last = {move.subject: move for move in moves if move.kind is MoveKind.STATUS}
    return {id_ for id_, move in last.items() if move.by is Actor.USER and move.why.startswith(REMOVED_PREFIX)}


def _order(state: EntryState, said: Mapping[str, datetime]) -> tuple[bool, float, str]:
    """Order entries: inferred before stated, then by time; on a tie the one recorded last wins."""
    at = said.get(state.entry.id)
    return (at is not None, at.timestamp() if at else 0.0, state.entry.id)


def _keep_newest(newest: dict[str, EntryState], id_: str, word: EntryState, said: Mapping[str, datetime]) -> None:
    known = newest.get(id_)
    if known is None or _order(word, said) > _order(known, said):
        newest[id_] = word


def _opposites_across_projects(
    words: Sequence[EntryState], everywhere: LessonIndex, said: Mapping[str, datetime]
) -> Iterable[tuple[EntryState, EntryState]]:
    """Yield the statements of projects with the opposite ones for all projects."""
    of_all = {each.entry.id: each for each in words if each.context == EVERYWHERE}
    for word in words if of_all else ():
        if word.context != EVERYWHERE and not word.is_over:
            for id_ in everywhere.find_opposites(word.text):
                if id_ in of_all and not of_all[id_].is_over and id_ in said:
                    yield word, of_all[id_]


def _supersede_move(
    state: EntryState, by: EntryState | None, said: Mapping[str, datetime], factory: RowFactory
) -> Move:
    id_ = state.entry.id
    if by is None:
        return factory.build_move(id_, MoveKind.SUPERSEDE, "", why="it is the newest word again")
    why = f"{by.entry.name} was said later, on {said[by.entry.id]:%Y-%m-%d}, and says the opposite"
    return factory.build_move(id_, MoveKind.SUPERSEDE, by.entry.id, why=why)
