"""What the rules of safety refuse today, wherever it stands; it is counted and never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.forgetting.find import words_in
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.forgetting.find import Found
    from wisen.model.tombstone import IndexedText

_BESIDE = "beside it"
"""In the place of a rule, for what goes only because of what it belongs to."""


class Refused:
    """Every text that a rule forbids to keep."""

    def holds(self, text: str) -> bool:
        """Whether there is a rule against a text."""
        return rule_against(text) is not None


def refusals(found: Found, traces: Iterable[IndexedText]) -> Iterator[tuple[str, str]]:
    """The rule and the kind of place of everything that goes."""
    for key, row in found.rows.items():
        yield _rule(words_in(row)), key.partition(":")[0]
    texts: dict[tuple[str, str, str], list[str]] = {event: [] for event in found.events}
    for trace in traces:
        if (event := trace[:3]) in texts:
            texts[event].append(trace.text)
    for told in texts.values():
        yield _rule(told), "event"
    for thing in found.things:
        if thing.kind in ("memory", "page", "answer"):
            yield _rule([thing.text]), thing.kind


def _rule(texts: Iterable[str]) -> str:
    return next((rule for text in texts if (rule := rule_against(text)) is not None), _BESIDE)
