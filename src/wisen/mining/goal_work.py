"""Gathers the work towards each goal of a session: its steps, what they did, and what the user did meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.work_traces import Trace, trace_of
from wisen.model.event import MessageOrigin
from wisen.model.history import UserAction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.model.failure import Goal
    from wisen.model.history import History, Step, Turn

_QUESTIONS = frozenset("AskUserQuestion request_user_input ask_user ask_followup_question".split())
"""Tools that ask the user: rejecting one is an answer, no objection to the work."""


class MadeStep(NamedTuple):
    """A step of the work, by its place in the session, and what it did."""

    place: int
    trace: Trace


class GoalWork(NamedTuple):
    """The work towards one goal, and what came after it."""

    goal: Goal
    request: str
    steps: tuple[Step, ...]
    made: tuple[MadeStep, ...]
    """The steps that did something."""
    edits: tuple[MadeStep, ...]
    files: frozenset[str]
    """What was edited."""
    acts: tuple[Turn, ...]
    """What the user did from the first step on, before the next goal."""
    following: Turn | None
    """The request of the next goal."""

    @property
    def publishes(self) -> bool:
        """Return whether it committed or published something."""
        return any(each.trace.publishes for each in self.made)

    @property
    def is_delivery(self) -> bool:
        """Return whether it only committed or published what had been made before."""
        return self.publishes and all(each.trace.delivers for each in self.made if each.trace.acts)

    @property
    def is_cut_short(self) -> bool:
        """Return whether the next request was typed while the work was under way: its end is no ending."""
        return self.following is not None and self.following.origin == MessageOrigin.QUEUED


def works_of(history: History, goals: Sequence[Goal]) -> list[GoalWork]:
    """The work towards each goal. What is no longer in the session is left out."""
    turns = {turn.id: turn for turn in history.turns}
    places = {step.call: number for number, step in enumerate(history.steps)}
    found = []
    for number, goal in enumerate(goals):
        turn = turns.get(goal.request)
        following = turns.get(goals[number + 1].request) if number + 1 < len(goals) else None
        within = [places[call] for call in goal.calls if call in places]
        made = tuple(
            MadeStep(place, trace) for place in within if (trace := trace_of(history.steps[place])).is_something
        )
        edits = tuple(each for each in made if each.trace.edited)
        found.append(
            GoalWork(
                goal=goal,
                request=(turn.text if turn is not None else None) or "",
                steps=tuple(history.steps[place] for place in within),
                made=made,
                edits=edits,
                files=frozenset(path for each in edits for path in each.trace.edited),
                acts=tuple(_acts(history, goal, within, following)),
                following=following,
            )
        )
    return found


def _acts(history: History, goal: Goal, within: Sequence[int], following: Turn | None) -> Iterator[Turn]:
    """What the user did during the work. What was typed before the first call belongs to the request."""
    tools = {history.steps[place].call: history.steps[place].tool for place in within}
    for turn in history.turns if within else ():
        is_during = turn.at >= goal.at and turn.before > within[0] and (following is None or turn.at < following.at)
        is_answer = turn.action is not UserAction.SAID and tools.get(turn.call) in _QUESTIONS
        if is_during and not is_answer:
            yield turn
