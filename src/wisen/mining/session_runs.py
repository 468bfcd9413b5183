"""Makes the runs of a session: for each goal the request, the steps that were taken for it, and how it turned out.

What is kept of requests and arguments has passed the same rules as every stored text: the words of a step that hold a
secret, private data or a path in somebody's home are left out.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.mining.run_steps import steps_of
from wisen.model.history import UserAction
from wisen.model.work_outcome import JudgedOutcome, OutcomeReason, WorkOutcome
from wisen.model.workflow import WorkflowRun
from wisen.safety.withhold import rule_against
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.failure import Goal, SessionFindings
    from wisen.model.history import History, Turn
    from wisen.model.workflow import RunStep

MAX_ASKED = 400
"""How much of a request is kept: its words are what a later one is compared with."""
MAX_STEPS = 120
"""How many steps of a run are kept: a longer one is no workflow that somebody repeats as a whole."""
UNJUDGED = JudgedOutcome(outcome=WorkOutcome.UNKNOWN, reason=OutcomeReason.NO_EVIDENCE)
_HOME_PATH = lazy_regex(r"(?:^|[\s=:'\"@(])(?:/home/|/Users/|/root/|~/|[A-Za-z]:\\Users\\)")
NO_OUTCOMES: Mapping[str, JudgedOutcome] = MappingProxyType({})
NO_FOLDERS: Mapping[str, Sequence[str]] = MappingProxyType({})


def workflow_runs(
    history: History,
    goals: Iterable[Goal],
    outcomes: Mapping[str, JudgedOutcome] = NO_OUTCOMES,
    folders: Mapping[str, Sequence[str]] = NO_FOLDERS,
) -> tuple[WorkflowRun, ...]:
    """Return a run for each goal for which something was done, in order.

    `outcomes`: how goals turned out, by the id of the request. `folders`: absolute paths of each context.
    """
    calls = {step.call: step for step in history.steps}
    turns = {turn.id: turn for turn in history.turns}
    rejected = {turn.call for turn in history.turns if turn.action is UserAction.REJECTED}
    found = []
    for goal in goals:
        made = [calls[call] for call in goal.calls if call in calls and call not in rejected]
        turn = turns.get(goal.request)
        if turn is None:
            continue
        context = turn.context or next((step.context for step in made if step.context), "")
        steps = steps_of(made, folders.get(context, ()))[:MAX_STEPS]
        if steps:
            judged = outcomes.get(goal.request, UNJUDGED)
            found.append(_run(history, goal, turn, context, _without_private_words(steps), judged))
    return tuple(found)


def judge_runs(history: History, found: SessionFindings) -> SessionFindings:
    """Return the findings of a session with runs that say how they turned out: known once signals are."""
    if not found.runs:
        return found
    from wisen.mining.work_outcomes import judge_outcomes

    judged = judge_outcomes(history, found.goals, found.signals)
    outcomes = dict(zip((goal.request for goal in found.goals), judged, strict=True))
    runs = tuple(
        structs.replace(run, outcome=outcomes[run.request].outcome, reason=outcomes[run.request].reason)
        for run in found.runs
    )
    return structs.replace(found, runs=runs)


def _run(
    history: History, goal: Goal, turn: Turn, context: str, steps: tuple[RunStep, ...], judged: JudgedOutcome
) -> WorkflowRun:
    asked = " ".join((turn.text or "").split())[:MAX_ASKED]
    return WorkflowRun(
        session=history.session,
        agent=history.agent,
        native=history.native,
        request=goal.request,
        asked="" if asked and rule_against(asked) is not None else asked,
        context=context,
        at=goal.at,
        ended=goal.ended,
        steps=steps,
        outcome=judged.outcome,
        reason=judged.reason,
        calls=len(goal.calls),
        local=turn.local,
    )


def _without_private_words(steps: tuple[RunStep, ...]) -> tuple[RunStep, ...]:
    """Return steps without the words of those that may not be kept; most runs hold none, so all are read at once."""
    text = "\n".join(word for step in steps for word in step.words)
    if not _HOME_PATH.search(text) and rule_against(text) is None:
        return steps
    return tuple(structs.replace(step, words=()) if _is_private(step) else step for step in steps)


def _is_private(step: RunStep) -> bool:
    text = " ".join(step.words)
    return bool(_HOME_PATH.search(text)) or rule_against(text) is not None or rule_against(step.key) is not None
