"""Tells which entries were recorded before under other ids: an entry is known by the sights that it was made for.

Two processes that read the same logs give the same lesson two ids. The sights of it have the same ids for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.entry import Entry, Move, MoveKind, Occurrence, Proposal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.guard import LearnedRow

_NAMING = (MoveKind.MERGE, MoveKind.CONFLICT, MoveKind.SPLIT, MoveKind.SUPERSEDE)
"""Decisions whose value is the id of an entry."""


def founding_occurrences(rows: Iterable[LearnedRow]) -> dict[str, list[str]]:
    """By entry that is new in these rows, the ids of the occurrences that came with it; the first founded it."""
    rows = tuple(rows)
    found: dict[str, list[str]] = {row.id: [] for row in rows if isinstance(row, Entry)}
    taken = set[str]()
    for row in rows:
        if isinstance(row, Occurrence) and row.id not in taken:
            taken.add(row.id)  # the first row with an id stands
            if row.entry in found:
                found[row.entry].append(row.id)
    return {entry: sights for entry, sights in found.items() if sights}


def find_known_entries(sights: Mapping[str, Sequence[str]], owners: Mapping[str, str]) -> dict[str, str]:
    """The entries that were recorded before, and under which id; `owners` says whose each known sight is."""
    found = {}
    for entry, seen in sights.items():
        others = [owners[each] for each in seen if each in owners]
        if others and entry not in others:
            found[entry] = min(others)
    return found


def replace_known_entries(rows: Iterable[LearnedRow], known: Mapping[str, str]) -> list[LearnedRow]:
    """The rows without those entries, and with whatever names one of them naming the one that was there first."""
    if not known:
        return [*rows]
    kept: list[LearnedRow] = []
    for row in rows:
        if isinstance(row, Entry):
            kept += [] if row.id in known else [row]
        elif isinstance(row, (Occurrence, Proposal)):
            kept.append(structs.replace(row, entry=known.get(row.entry, row.entry)))
        elif isinstance(row, Move):
            value = known.get(row.value, row.value) if row.kind in _NAMING else row.value
            kept.append(structs.replace(row, subject=known.get(row.subject, row.subject), value=value))
        else:
            kept.append(row)
    return kept
