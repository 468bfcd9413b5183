"""Finds the workflows that a request asks for, by its words. A request about something else must find none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wisen.workflows.request_words import request_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.workflow import Workflow


@dataclass(frozen=True, kw_only=True)
class MatchPolicy:
    """When a request asks for a workflow: rather too seldom than for something else."""

    weight: float = 2.5
    """How much the shared words must say."""
    score: float = 0.4
    single_word: float = 0.6
    """What part of all words one must be to be enough alone."""


class Suggestion(NamedTuple):
    """A workflow for a request."""

    workflow: Workflow
    score: float
    """From 0 to 1: how much of what its requests have in common is in this one, and how much of this one that is."""


def match_request(asked: str, workflows: Iterable[Workflow], policy: MatchPolicy) -> tuple[Suggestion, ...]:
    """Return the workflows that a request asks for, the best first."""
    words = request_words(asked)
    found = []
    for workflow in workflows:
        weights = dict(workflow.words)
        known = [weights[word] for word in words if word in weights]
        shared, everything = sum(known), sum(weights.values())
        if not known or shared < policy.weight:
            continue
        covered = shared / everything
        if len(known) == 1 and covered < policy.single_word:
            continue
        about = len(known) / len(words)
        score = (covered * about) ** 0.5
        if score >= policy.score:
            found.append(Suggestion(workflow, round(score, 3)))
    return tuple(sorted(found, key=lambda each: (-each.score, -each.workflow.sessions, each.workflow.id)))
