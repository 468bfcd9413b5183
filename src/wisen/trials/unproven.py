"""Before/after check of inferred lines in files, which cannot be randomised: it can only recommend removal.

A rule is born at a peak, so that its failure falls by itself. Whatever does not even fall then does not help; that it
falls proves nothing, and is never said to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.trial import Verdict
from wisen.trials.evidence import USEFUL, EvidenceTally

if TYPE_CHECKING:
    from wisen.model.instruction import Rate

SURELY_WORSE = 0.99
"""How likely its failure became more frequent for a line to have made things worse."""
HARDLY_USEFUL = 0.1
"""How likely three hits in ten went away, at most, for a line to be of no use."""


def unproven(before: Rate, after: Rate) -> Verdict:
    """What the relevant sessions before a line and after it say against it; running where they say nothing."""
    tally = EvidenceTally()
    for rate, given in ((before, False), (after, True)):
        for number in range(rate.of):
            tally.add(0.5, given=given, hit=number < rate.sessions)
    if not before.of or not after.of:
        return Verdict.RUNNING
    if 1 - tally.below(1.0) >= SURELY_WORSE:
        return Verdict.WORSE
    return Verdict.INEFFECTIVE if tally.below(USEFUL) <= HARDLY_USEFUL else Verdict.RUNNING
