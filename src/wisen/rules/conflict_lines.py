"""Formats the conflicts of a context, and how they were settled, as lines of its corrections.md."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.rules.rule_page import RuleLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.entry_state import EntryState

HEADING = "conflicts"


def conflict_lines(here: Iterable[EntryState], by_id: Mapping[str, EntryState]) -> list[RuleLine]:
    """Return a line for each two entries of which one superseded the other, or that a person must decide between."""
    found: dict[str, RuleLine] = {}
    for state in here:
        by = by_id.get(state.superseded_by)
        if by is not None and not state.is_closed:
            what = f"“{state.text}” against “{by.text}”: the latter was stated later and is in force"
            _add_line(found, state, by, what)
        for other in map(by_id.get, state.conflicts):
            if other is not None and not state.is_over and not other.is_over:
                what = f"“{state.text}” against “{other.text}”: decide with: wisen lessons resolve NAME"
                _add_line(found, state, other, what)
    return [found[id_] for id_ in sorted(found)]


def _add_line(found: dict[str, RuleLine], one: EntryState, other: EntryState, what: str) -> None:
    pair = "\0".join(sorted((one.entry.id, other.entry.id))).encode("utf-8", "surrogateescape")
    id_ = f"C-{blake2b(pair, digest_size=4).hexdigest()}"
    found.setdefault(id_, RuleLine(id=id_, text=what, sources=(one.entry.name, other.entry.name), about=HEADING))
