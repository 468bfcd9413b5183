"""What a check of the battery is: a run that is repeated with many seeds, and counts its trials and failures."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONFIDENCE = 0.95


@dataclass
class Tally:
    """How many trials there were, and what went wrong in those that failed."""

    trials: int = 0
    failures: list[str] = field(default_factory=list)

    def expect(self, holds: bool, problem: str) -> None:
        """Count one trial; `problem` says what went wrong, if it did not hold."""
        self.trials += 1
        if not holds:
            self.failures.append(problem)


@dataclass(frozen=True)
class Check:
    """One thing that is tried over and over. `run` gets a seed and an empty folder, and gives the same for the same."""

    test: str
    """Which line of the battery this belongs to: T1 and so on; X if to none."""
    name: str
    what: str
    """What must not happen, in one line."""
    run: Callable[[int, Path], Tally]
    quick: int
    """How many runs `make test` does."""
    full: int
    """How many runs `make test-long` does."""
    needs: tuple[str, ...] = ()
    """What it needs beside Python: see `COMPONENTS` in tests/conftest.py."""

    @property
    def id(self) -> str:
        """The test and the name: T1-learn."""
        return f"{self.test}-{self.name}"


def order_of(test: str) -> int:
    """Tests by their number; X, what belongs to none, comes last."""
    return int(test[1:] or sys.maxsize)


def upper_bound(failures: int, trials: int) -> float:
    """The largest rate of failure that still fits what was seen, with a confidence of 95% (Clopper and Pearson)."""
    if trials == 0 or failures >= trials:
        return 1.0
    low, high = failures / trials, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(failures, trials, middle) > 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def _at_most(failures: int, trials: int, rate: float) -> float:
    """How likely so many failures or fewer are."""
    term = total = (1 - rate) ** trials
    for number in range(failures):
        term *= (trials - number) / (number + 1) * rate / (1 - rate)
        total += term
    return total
