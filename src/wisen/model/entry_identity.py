"""Recognizes entries that are already recorded under other ids, by the occurrences they were created for.

Two processes that read the same logs give the same lesson two ids. Its occurrences have the same ids in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.entry import Entry, Move, MoveKind, Occurrence, Proposal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.guard import LearnedRow

_ENTRY_VALUED = (MoveKind.MERGE, MoveKind.CONFLICT, MoveKind.SPLIT, MoveKind.SUPERSEDE)
"""Kinds of moves whose value is the id of an entry."""


def founding_occurrences(rows: Iterable[LearnedRow]) -> dict[str, list[str]]:
    """Return, for each new entry in these rows, the ids of its occurrences; the entry was created for the first."""
    rows = tuple(rows)
    found: dict[str, list[str]] = {row.id: [] for row in rows if isinstance(row, Entry)}
    seen = set[str]()
    for row in rows:
        if isinstance(row, Occurrence) and row.id not in seen:
            seen.add(row.id)  # the first row with an id wins
            if row.entry in found:
                found[row.entry].append(row.id)
    return {entry: ids for entry, ids in found.items() if ids}


def find_known_entries(occurrences: Mapping[str, Sequence[str]], owners: Mapping[str, str]) -> dict[str, str]:
    """Map entries to the ids under which they are already recorded; `owners` maps known occurrences to entries."""
    known = {}
    for entry, ids in occurrences.items():
        recorded = [owners[each] for each in ids if each in owners]
        if recorded and entry not in recorded:
            known[entry] = min(recorded)
    return known


def replace_known_entries(rows: Iterable[LearnedRow], known: Mapping[str, str]) -> list[LearnedRow]:
    """Return the rows without those entries, with references to them pointing to the entry recorded first."""
    if not known:
        return [*rows]
    result: list[LearnedRow] = []
    for row in rows:
        if isinstance(row, Entry):
            result += [] if row.id in known else [row]
        elif isinstance(row, (Occurrence, Proposal)):
            result.append(structs.replace(row, entry=known.get(row.entry, row.entry)))
        elif isinstance(row, Move):
            value = known.get(row.value, row.value) if row.kind in _ENTRY_VALUED else row.value
            result.append(structs.replace(row, subject=known.get(row.subject, row.subject), value=value))
        else:
            result.append(row)
    return result
