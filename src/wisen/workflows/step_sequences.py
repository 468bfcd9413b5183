"""Compares the steps of runs: repeats are folded, and two sequences are aligned by what they share in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_MAX_BLOCK = 4
"""How many steps a repeated part has at most: edit, test, fix, test."""
MAX_LENGTH = 60
"""How many steps of a folded run are compared."""


def fold_repeats(keys: Iterable[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the steps with each repeated part once, and the steps that were repeated.

    What is repeated may hold repeats itself: shorter ones are folded first, until nothing changes.
    """
    folded, repeated, before = list(keys), set[str](), -1
    while before != len(folded):
        before = len(folded)
        for size in range(1, _MAX_BLOCK + 1):
            at = 0
            while at + 2 * size <= len(folded):
                block = folded[at : at + size]
                if folded[at + size : at + 2 * size] == block:
                    del folded[at + size : at + 2 * size]
                    repeated.update(block)
                else:
                    at += 1
    return tuple(folded[:MAX_LENGTH]), frozenset(repeated)


def shared_in_order(
    one: Sequence[str], other: Sequence[str], weight: Callable[[str], float] = lambda _: 1.0
) -> list[str]:
    """Return the steps that are in both runs in the same order, of the highest total weight; gaps do not matter."""
    best = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        row, below, key = best[i], best[i + 1], one[i]
        worth = weight(key) if key in other else 0.0
        for j in range(len(other) - 1, -1, -1):
            longest = below[j] if below[j] >= row[j + 1] else row[j + 1]
            if worth and key == other[j] and below[j + 1] + worth > longest:
                longest = below[j + 1] + worth
            row[j] = longest
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            found.append(one[i])
            i, j = i + 1, j + 1
    return found


def sequence_f1(one: Sequence[str], other: Sequence[str]) -> float:
    """Return how much two sequences share in order, from 0 to 1."""
    if not one and not other:
        return 1.0
    return 2 * len(shared_in_order(one, other)) / (len(one) + len(other))
