"""What the rules of safety refuse today, wherever it stands; it is counted and never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.forgetting.erasure_search import texts_in
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.forgetting.erasure_search import ErasureMatches
    from wisen.model.tombstone import IndexedText

_RELATED = "beside it"
"""In the place of a rule, for what goes only because of what it belongs to."""


class UnsafeText:
    """Every text that a rule forbids to keep."""

    def holds(self, text: str) -> bool:
        """Whether there is a rule against a text."""
        return rule_against(text) is not None


def broken_rules(matches: ErasureMatches, traces: Iterable[IndexedText]) -> Iterator[tuple[str, str]]:
    """The rule and the kind of place of everything that goes."""
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
