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


class Suggestion(NamedTuple):
    """A workflow for a request."""

    workflow: Workflow
    score: float
    """From 0 to 1: how much of what its requests have in common is in this one, and how much of this one that is."""


def match_request(asked: str, workflows: Iterable[Workflow], policy: MatchPolicy | None) -> tuple[Suggestion, ...]:
    """Return the workflows that a request asks for, the best first; without a policy, all that share a word with it."""
    words = request_words(asked)
    found = []
    for workflow in workflows:
        weights = dict(workflow.words)
        shared = sum(weights.get(word, 0.0) for word in words)
        if not shared or (policy is not None and shared < policy.weight):
            continue
        covered = shared / sum(weights.values())
        about = sum(word in weights for word in words) / len(words)
        score = (covered * about) ** 0.5
        if policy is None or score >= policy.score:
            found.append(Suggestion(workflow, round(score, 3)))
    return tuple(sorted(found, key=lambda each: (-each.score, -each.workflow.sessions, each.workflow.id)))
