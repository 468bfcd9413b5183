"""Finds steps that are better left out on the way to a goal, and records them as best practices: hints only.

A goal is known when it was requested in several sessions. A step that failed there every time, and that other sessions
did without and then succeeded without a failure, is better left out. Fewer steps alone prove nothing: there may have
been less work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.lessons.goal_runs import CLEAN, FAILED, GoalRun, KnownGoal
from wisen.mining.practice_steps import MAX_REQUEST, is_same_request, leave_out_action
from wisen.model.entry import (
    Category,
    Entry,
    EntryOrigin,
    EntrySource,
    EntryStatus,
    EntryType,
    Move,
    MoveKind,
    Occurrence,
)
from wisen.model.entry_names import entry_name
from wisen.model.event import Status as End

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.history import Step
    from wisen.store.row_factory import RowFactory

_SHOWN_STEPS = 6


class _Practice(Struct, frozen=True):
    """A step that is better left out."""

    context: str
    asked: str
    step: str
    failures: tuple[tuple[GoalRun, Step], ...]
    clean: tuple[GoalRun, ...]


def record_practices(
    goals: Iterable[KnownGoal],
    known: Sequence[EntryState],
    seen: Collection[str],
    factory: RowFactory,
) -> list[Entry | Occurrence | Move]:
    """Return rows for new best practices, and for those that no longer hold; `seen` was recorded before."""
    before = known_practices(known)
    names = {state.entry.name for state in known}
    pending = [state.entry for state in before if state.status is EntryStatus.PENDING and not state.confirmed]
    over: list[Entry] = []
    rows: list[Entry | Occurrence | Move] = []
    for goal in goals:
        works = _working_steps(goal.runs)
        for practice in _practices(goal, works):
            entry = next((state.entry for state in before if _is_same_practice(state.entry, practice)), None)
            if entry is None:
                entry = _entry(practice, names, factory)
                names.add(entry.name)
                rows.append(entry)
            made = (_occurrence(run, step, entry, factory) for run, step in practice.failures)
            rows += [each for each in made if each.id not in seen]
        over += [entry for entry in pending if _worked_since(entry, goal, works)]
    done = (
        factory.build_move(entry.id, MoveKind.STATUS, EntryStatus.RESOLVED, why="it worked since") for entry in over
    )
    return [*rows, *done]


def _worked_since(entry: Entry, goal: KnownGoal, works: Collection[str]) -> bool:
    """Whether the step that a practice leaves out worked on the way to its goal."""
    return (
        entry.context == goal.context
        and entry.action in map(leave_out_action, works)
        and is_same_request(entry, _most_common_request(goal.runs))
    )


def known_practices(states: Iterable[EntryState]) -> list[EntryState]:
    """Return the best practices that are recorded."""
    return [state for state in states if _is_practice(state.entry) and not state.merged_into]


def _practices(goal: KnownGoal, works: Collection[str]) -> Iterator[_Practice]:
    """Yield the steps that are better left out; `works`: those that worked at least once."""
    context, runs = goal
    failures: dict[str, list[tuple[GoalRun, Step]]] = defaultdict(list)
    for run in runs:
        for name, step in run.steps:
            if name not in works and step.status in (End.FAILED, End.MASKED):
                failures[name].append((run, step))
    for name, found in failures.items():
        clean = [run for run in runs if run.is_clean and all(each != name for each, _ in run.steps)]
        many = (len({run.session for run, _ in found}), len({run.session for run in clean}))
        if many[0] >= FAILED and many[1] >= CLEAN:
            yield _Practice(context, _most_common_request(runs), name, tuple(found), tuple(clean))


def _most_common_request(runs: Iterable[GoalRun]) -> str:
    """Return the most common wording of the request."""
    return Counter(run.asked for run in runs).most_common(1)[0][0]


def _working_steps(runs: Iterable[GoalRun]) -> set[str]:
    """Return the steps that worked at least once."""
    return {name for run in runs for name, step in run.steps if step.status is End.OK}


def _is_practice(entry: Entry) -> bool:
    return entry.category is Category.BEST_PRACTICE and entry.origin is EntryOrigin.MEASURED


def _is_same_practice(entry: Entry, practice: _Practice) -> bool:
    alike = entry.context == practice.context and entry.action == leave_out_action(practice.step)
    return alike and is_same_request(entry, practice.asked)


def _entry(practice: _Practice, names: Collection[str], factory: RowFactory) -> Entry:
    id_, last = factory.ids.new(), practice.clean[-1]
    way = [name for name, _ in last.steps]
    more = f" and {len(way) - _SHOWN_STEPS} more" if len(way) > _SHOWN_STEPS else ""
    many = (len({run.session for run, _ in practice.failures}), len({run.session for run in practice.clean}))
    return Entry(
        id=id_,
        name=entry_name(EntryType.LEARNING, last.goal.at, id_, names),
        machine=factory.machine,
        context=practice.context,
        at=factory.clock.now(),
        type=EntryType.LEARNING,
        category=Category.BEST_PRACTICE,
        summary=f"Asked to “{practice.asked}”, leave out {practice.step}: it always failed, and was not needed.",
        details=(
            f"It failed in {many[0]} sessions. {many[1]} got there without it and without a failure, "
            f"the last by: {', '.join(way[:_SHOWN_STEPS])}{more} (session {last.session})."
        ),
        action=leave_out_action(practice.step),
        setting=practice.asked,
        source=EntrySource.SELF_DISCOVERY,
        origin=EntryOrigin.MEASURED,
    )


def _occurrence(run: GoalRun, step: Step, entry: Entry, factory: RowFactory) -> Occurrence:
    identity = "\0".join((run.agent, run.session, step.call, entry.action)).encode("utf-8", "surrogateescape")
    return Occurrence(
        id=blake2b(identity, digest_size=13).hexdigest(),
        entry=entry.id,
        machine=factory.machine,
        context=entry.context,
        agent=run.agent,
        session=run.session,
        message=step.call,
        at=step.at,
        quote=" ".join((step.text or "").split())[:MAX_REQUEST],
    )
