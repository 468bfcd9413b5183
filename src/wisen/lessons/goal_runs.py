"""Groups the work of sessions by goal: the same thing requested in several sessions of a project is a known goal.

Requests are compared by their words alone; only the sessions of known goals are read.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.goals import goals_of
from wisen.mining.practice_steps import MAX_REQUEST, is_same_request, name_of_step
from wisen.model.context import NOWHERE
from wisen.model.failure import Ending
from wisen.model.report import Selection
from wisen.text.sameness import LessonIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from wisen.lessons.run_scope import RunScope
    from wisen.model.entry import Entry
    from wisen.model.failure import Goal
    from wisen.model.history import History, Step
    from wisen.store.home import Home
    from wisen.store.sessions import Request

SESSIONS = 3
"""In how many sessions a goal must have been requested to be known."""
FAILED, CLEAN = 2, 2
"""In how many sessions a step must have failed, and the goal been reached without it, to be a practice."""
WINDOW = timedelta(days=90)
"""How far back goals are searched."""


class GoalRun(NamedTuple):
    """The work towards a goal in one session."""

    session: str
    agent: str
    goal: Goal
    asked: str
    steps: tuple[tuple[str, Step], ...]
    """Each call with its name."""

    @property
    def is_clean(self) -> bool:
        """Return whether the goal was reached without a failure."""
        return self.goal.ending in (Ending.DONE, Ending.CHECKED) and not self.goal.failed


class KnownGoal(NamedTuple):
    """A goal that was requested in several sessions of a context."""

    context: str
    runs: tuple[GoalRun, ...]
    """Oldest first."""


def recent_goals(home: Home, scope: RunScope, practices: Sequence[Entry]) -> Iterator[KnownGoal]:
    """Yield the known goals of the last months to which changed sessions worked, if they may teach something."""
    index = home.index
    contexts = None if scope.sessions is None else index.sessions.contexts_of(scope.sessions)
    if contexts is not None and not contexts:
        return
    newest = index.sessions.last_active() or home.clock.now()
    requests = index.sessions.requests(newest - WINDOW, contexts)

    def read(sessions: frozenset[int]) -> Iterator[History]:
        return index.events.histories(Selection(sessions=sessions))

    yield from known_goals(requests, read, practices, scope.sessions)


def known_goals(
    requests: Iterable[Request],
    read: Callable[[frozenset[int]], Iterable[History]],
    practices: Sequence[Entry] = (),
    changed: Collection[int] | None = None,
) -> Iterator[KnownGoal]:
    """Yield the known goals to which a changed session worked (None: any); `read` reads sessions by number.

    A goal teaches something if calls failed in some sessions and in others none did, or if one of the known `practices`
    is about it.
    """
    for some in _group_by_goal(requests):
        sessions = frozenset(each.session for each in some)
        if len(sessions) < SESSIONS or (changed is not None and sessions.isdisjoint(changed)):
            continue
        context = some[0].context
        if _can_teach(some) or _has_practice(context, some, practices):
            messages = {each.message for each in some}
            runs = [run for history in read(sessions) for run in _runs(history, messages)]
            if len({run.session for run in runs}) >= SESSIONS:
                ordered = sorted(runs, key=lambda run: (run.goal.at, run.goal.request))
                yield KnownGoal(context or NOWHERE, tuple(ordered))


def _group_by_goal(requests: Iterable[Request]) -> list[list[Request]]:
    """Return what was requested in the same or similar words in a context, in the order of the first requests.

    One context after another: what makes words comparable takes far more room than the words.
    """
    by_context: dict[str, list[tuple[int, Request]]] = defaultdict(list)
    for place, each in enumerate(requests):
        if each.has_calls and 0 < len(" ".join(each.text.split())) <= MAX_REQUEST:
            by_context[each.context].append((place, each))
    groups: dict[int, list[Request]] = {}
    while by_context:
        _, asked = by_context.popitem()
        groups |= _group_by_words(asked)
    return [groups[place] for place in sorted(groups)]


def _group_by_words(requests: Iterable[tuple[int, Request]]) -> dict[int, list[Request]]:
    """Return what was requested in similar words in one context, by the place of the first request."""
    groups: dict[str, list[Request]] = {}
    first: dict[str, int] = {}
    lookup = LessonIndex()
    for place, each in requests:
        asked = " ".join(each.text.split())
        key = lookup.find(asked) or each.message
        lookup.add(key, asked)
        first.setdefault(key, place)
        groups.setdefault(key, []).append(each)
    return {place: groups[key] for key, place in first.items()}


def _can_teach(requests: Iterable[Request]) -> bool:
    """Whether calls failed in as many sessions as a practice needs, and in as many none did."""
    failed, clean = set[int](), set[int]()
    for each in requests:
        (failed if each.has_failed else clean).add(each.session)
    return len(failed) >= FAILED and len(clean) >= CLEAN


def _has_practice(context: str, requests: Iterable[Request], practices: Iterable[Entry]) -> bool:
    here = [entry for entry in practices if entry.context == (context or NOWHERE)]
    return any(is_same_request(entry, " ".join(each.text.split())) for entry in here for each in requests)


def _runs(history: History, messages: Collection[str]) -> Iterator[GoalRun]:
    turns, steps = {turn.id: turn for turn in history.turns}, {step.call: step for step in history.steps}
    for goal in goals_of(history):
        if goal.request in messages and goal.calls:
            called = tuple((name_of_step(steps[call]), steps[call]) for call in goal.calls)
            asked = " ".join((turns[goal.request].text or "").split())
            yield GoalRun(history.native, history.agent, goal, asked, called)
