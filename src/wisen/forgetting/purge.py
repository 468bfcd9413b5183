"""Finds stored text that today's safety rules forbid; it is counted and never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.forgetting.row_texts import texts_in
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.forgetting.erasure_search import ErasureMatches
    from wisen.model.tombstone import IndexedText

_RELATED = "beside it"
"""In place of a rule, for what is removed only because of what it belongs to."""


class UnsafeText:
    """Matches every text that a safety rule forbids to store."""

    words = None

    def holds(self, text: str) -> bool:
        """Whether a rule forbids a text."""
        return rule_against(text) is not None


def broken_rules(matches: ErasureMatches, traces: Iterable[IndexedText]) -> Iterator[tuple[str, str]]:
    """Yield the broken rule and the kind of everything to remove."""
    for key, row in matches.rows.items():
        yield _first_rule(texts_in(row)), key.partition(":")[0]
    texts: dict[tuple[str, str, str], list[str]] = {event: [] for event in matches.events}
    for trace in traces:
        if (event := trace[:3]) in texts:
            texts[event].append(trace.text)
    for event_texts in texts.values():
        yield _first_rule(event_texts), "event"
    for thing in matches.things:
        if thing.kind in ("memory", "page", "answer"):
            yield _first_rule([thing.text]), thing.kind


def _first_rule(texts: Iterable[str]) -> str:
    return next((rule for text in texts if (rule := rule_against(text)) is not None), _RELATED)
