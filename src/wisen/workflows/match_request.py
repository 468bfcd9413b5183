"""Finds the workflows that a request asks for, by its words. A request about something else must find none."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.request_words import request_score, request_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.workflow import Workflow


class Suggestion(NamedTuple):
    """A workflow for a request."""

    workflow: Workflow
    score: float
    """From 0 to 1: how much of what its requests have in common is in this one, and how much of this one that is."""


def match_request(
    asked: str, workflows: Iterable[Workflow], praise: Mapping[str, int] = MappingProxyType({})
) -> tuple[Suggestion, ...]:
    """Return the workflows that a request asks for, the best first.

    `praise`: for some workflows, by id; among those that fit as well, it counts like sessions.
    """
    words = request_words(asked)
    scored = ((each, request_score(words, dict(each.words))) for each in workflows)
    found = [Suggestion(each, round(score, 3)) for each, score in scored if score]
    return tuple(sorted(found, key=lambda each: (-each.score, -_standing(each.workflow, praise), each.workflow.id)))


def _standing(workflow: Workflow, praise: Mapping[str, int]) -> int:
    return workflow.sessions + praise.get(workflow.id, 0)
