"""The probability that chance alone does what a line seems to do: exact, and by comparison with placebo dates."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MIN_SESSIONS = 3
"""Sessions that must have failed before anything is reported about a failure."""
MAX_CHANCE = 0.01
"""The highest probability of chance doing as much, over all lines together, for a line to be named."""
PLACEBOS = 100
"""How many placebo dates are needed to estimate what chance does."""
_PLACEBO_MARGIN = 3
"""How many sessions a placebo date is away from the line, and from the first and the last session."""


def is_rare_at_placebos(failures: Sequence[Sequence[int]], sessions: int, span: range, chance: float) -> bool:
    """Whether the statistic that has this chance is rarely as low for any failure at any date without the line.

    `failures`: for each kind of failure the sessions in which it happened, in order; `span`: the sessions with the
    line. A date is the first of as many sessions as the line was there for.
    """
    dates = range(_PLACEBO_MARGIN, sessions - _PLACEBO_MARGIN)
    left_out = range(max(span.start - _PLACEBO_MARGIN + 1, dates.start), min(span.start + _PLACEBO_MARGIN, dates.stop))
    placebos = len(failures) * (len(dates) - len(left_out))
    if placebos < PLACEBOS:
        return False
    low = 0
    for failing in failures:
        for stretch, before, after in _stretches(failing, dates, len(span)):
            low += sum(
                len(part) - _overlap(part, left_out)
                for part in _low_parts(stretch, before, after, sessions, len(span), chance)
            )
            if low > MAX_CHANCE * placebos:
                return False
    return True


def _stretches(failing: Sequence[int], dates: range, width: int) -> Iterator[tuple[range, int, int]]:
    """Yield the dates, in stretches with the same number of failing sessions before and after, with both numbers."""
    if len(failing) < MIN_SESSIONS:
        return
    changes = {at for each in failing for at in (each + 1, each - width + 1) if dates.start < at < dates.stop}
    starts = sorted({dates.start, *changes}) if dates else []
    for first, last in zip(starts, [*starts[1:], dates.stop], strict=True):
        before = bisect_left(failing, first)
        after = bisect_left(failing, first + width) - before
        if max(before, after) >= MIN_SESSIONS:
            yield range(first, last), before, after


def _low_parts(
    stretch: range, before: int, after: int, sessions: int, width: int, chance: float
) -> tuple[range, range]:
    """Return the dates of a stretch at which chance has at most this probability: those at its start and at its end.

    The later the date, the smaller the share of sessions after it: the more unlikely is any number after it, and the
    less unlikely any number before it.
    """

    def share(date: int) -> float:
        of_after = min(width, sessions - date)
        return of_after / (date + of_after)

    def is_low_after(date: int) -> bool:
        return _is_tail_within(after, before + after, share(date), chance)

    def is_high_before(date: int) -> bool:
        return not _is_tail_within(before, before + after, 1 - share(date), chance)

    fewer = range(stretch.start, _first(stretch, is_high_before))
    return fewer, range(max(_first(stretch, is_low_after), fewer.stop), stretch.stop)


def _first(dates: range, holds: Callable[[int], bool]) -> int:
    """Return the first date for which something holds, which then holds for all later ones; the end if for none."""
    if not holds(dates[-1]):
        return dates.stop
    return dates.start + bisect_left(dates, True, key=holds)


def _overlap(one: range, other: range) -> int:
    return len(range(max(one.start, other.start), min(one.stop, other.stop)))


def _is_tail_within(hits: int, trials: int, share: float, chance: float) -> bool:
    """Whether at least this many hits have at most this probability, which is small."""
    # At least the expected number of hits has half of the probability; and the tail is not less than its first term.
    if hits <= trials * share or _log_term(hits, trials, share) > math.log(chance or 5e-324):
        return False
    return binomial_tail(hits, trials, share) <= chance


def binomial_tail(hits: int, trials: int, share: float) -> float:
    """Return the binomial probability of at least this many hits, each with this share."""
    if hits <= 0 or share >= 1:
        return 1.0
    if share <= 0:
        return 0.0
    return math.fsum(math.exp(_log_term(each, trials, share)) for each in range(hits, trials + 1))


def _log_term(hits: int, trials: int, share: float) -> float:
    """Return the logarithm of the probability of exactly this many hits, which may be too small for a float."""
    ways = math.lgamma(trials + 1) - math.lgamma(hits + 1) - math.lgamma(trials - hits + 1)
    return ways + hits * math.log(share) + (trials - hits) * math.log1p(-share)


def ratio_interval(after: int, before: int, weight_after: float, weight_before: float) -> tuple[float, float]:
    """Return the exact 95% interval of the ratio of two rates, given how many failed in total."""
    trials, scale = after + before, weight_before / weight_after
    low = _share_for_tail(after, trials, 0.025) if after else 0.0
    high = _share_for_tail(after + 1, trials, 0.975) if before else 1.0
    return low / (1 - low) * scale if low < 1 else math.inf, high / (1 - high) * scale if high < 1 else math.inf


def _share_for_tail(hits: int, trials: int, chance: float) -> float:
    """Find the share with which at least this many hits have this probability."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_tail(hits, trials, middle) < chance else (low, middle)
    return (low + high) / 2
