"""Before/after check of inferred lines in files, which cannot be randomized: it can only recommend removal.

A rule is created at a peak, so its failure declines by itself. If it does not even decline, the rule does not help;
that it declines proves nothing, and is never reported as proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.trial import Verdict
from wisen.trials.evidence import USEFUL, EvidenceTally

if TYPE_CHECKING:
    from wisen.model.instruction import Rate

SURELY_WORSE = 0.99
"""The probability that its failure became more frequent, from which a line counts as worse."""
HARDLY_USEFUL = 0.1
"""The probability that three hits in ten went away, up to which a line counts as ineffective."""


def judge_inferred_line(before: Rate, after: Rate) -> Verdict:
    """Judge a line by the relevant sessions before and after it; RUNNING where they say nothing against it."""
    tally = EvidenceTally()
    for rate, given in ((before, False), (after, True)):
        for number in range(rate.of):
            tally.add(0.5, given=given, hit=number < rate.sessions)
    if not before.of or not after.of:
        return Verdict.RUNNING
    if 1 - tally.probability_below(1.0) >= SURELY_WORSE:
        return Verdict.WORSE
    return Verdict.INEFFECTIVE if tally.probability_below(USEFUL) <= HARDLY_USEFUL else Verdict.RUNNING
