"""Hides items from an agent that contain words typed only to a local model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.learner import Learner
    from wisen.model.tombstone import ForgottenItem


def visible_items(learner: Learner, items: Iterable[ForgottenItem]) -> list[ForgottenItem]:
    """Return the items that an agent may see: those without words typed only to a local model."""
    if learner.delivery.delivers_local_words:
        return [*items]
    states = learner.lessons.all()
    deliverable = {each.entry.id for each in learner.delivery.private_words(states).deliverable(states)}
    entries = [each for each in states if each.entry.id not in deliverable]
    turns = [each for each in learner.home.index.memories.every() if each.local]
    ids = {each.entry.name for each in entries} | {each.id for each in turns}
    ids |= {each.id.partition(f":{each.agent}:")[2] for each in turns if each.agent}
    words = {each.text for each in entries} | {each.text for each in turns}
    return [each for each in items if each.id not in ids and not any(word in each.text for word in words)]
