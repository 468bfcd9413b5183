"""The verdict on a rule: a function of the sessions of its trial, the same whenever and however often it is asked.

The sessions are gone through in the order of time, and the first one at which a condition holds decides. So a late look
says what an early one would have said, and nobody can stop at a lucky moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wisen.model.exposure import Arm
from wisen.model.instruction import Rate
from wisen.model.trial import JudgedTrial, TrialRow, Verdict
from wisen.trials.evidence import GOOD, HARM, EvidenceTally, RankWager, Wager

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictPolicy:
    """How much evidence decides."""

    good: float = 35
    harm: float = 16
    futile: float = 10
    surely_worse: float = 0.99
    """How likely it hurts for a rule that is known to be of no use to be called worse than that."""
    rails: float = 40
    """Of the mean over all that must not get worse: the more is watched, the more chance would find."""
    sessions: int = 240
    """Relevant sessions after which a trial ends."""
    reopen: float = 10
    """Evidence of harm since it was confirmed with which a rule has to prove itself anew."""


def judge(rows: Iterable[TrialRow], policy: VerdictPolicy | None = None) -> JudgedTrial:
    """What the sessions of one version of one rule say, given in the order of time. A session counts once."""
    policy = policy or VerdictPolicy()
    trial, since, reopened = _Trial(), Wager(HARM), 0
    verdict, decided = Verdict.RUNNING, None
    met: set[str] = set()
    for row in rows:
        if not row.relevant or row.session in met:
            continue
        met.add(row.session)
        if verdict is Verdict.RUNNING:
            trial.add(row)
            verdict = trial.verdict(policy)
            decided = None if verdict is Verdict.RUNNING else row.session
            if verdict not in (Verdict.RUNNING, Verdict.CONFIRMED):
                break
        else:
            for wager in (trial.good, since):
                wager.add(row.chance, given=row.arm is Arm.GIVEN, hit=row.hit)
            if since.value >= policy.reopen:
                trial, since, reopened = _Trial(), Wager(HARM), reopened + 1
                verdict, decided = Verdict.RUNNING, None
    return trial.judged(verdict, decided, policy, since.value, reopened)


@dataclass(slots=True)
class _Trial:
    """What is known of a trial that is not decided."""

    tally: EvidenceTally = field(default_factory=EvidenceTally)
    good: Wager = field(default_factory=lambda: Wager(GOOD))
    harm: Wager = field(default_factory=lambda: Wager(HARM))
    rails: dict[str, RankWager] = field(default_factory=dict)

    def add(self, row: TrialRow) -> None:
        given = row.arm is Arm.GIVEN
        for part in (self.tally, self.good, self.harm):
            part.add(row.chance, given=given, hit=row.hit)
        for name, number in row.rails.items():
            self.rails.setdefault(name, RankWager()).add(row.chance, number, given=given)

    def verdict(self, policy: VerdictPolicy) -> Verdict:
        """The first of the conditions that holds."""
        futile = self.tally.futile() >= policy.futile
        surely_worse = futile and 1 - self.tally.below(1.0) >= policy.surely_worse
        if self.harm.value >= policy.harm or surely_worse or self._derailed(policy):
            return Verdict.WORSE
        if self.good.value >= policy.good:
            return Verdict.CONFIRMED
        if futile:
            return Verdict.INEFFECTIVE
        ended = self.tally.of(given=True) + self.tally.of(given=False) >= policy.sessions
        return Verdict.INCONCLUSIVE if ended else Verdict.RUNNING

    def _derailed(self, policy: VerdictPolicy) -> bool:
        """Whether something that must not get worse did."""
        return sum(rail.value for rail in self.rails.values()) >= policy.rails * max(len(self.rails), 1)

    def judged(
        self, verdict: Verdict, decided: str | None, policy: VerdictPolicy, since: float, reopened: int
    ) -> JudgedTrial:
        """The verdict with its numbers."""
        values = {name: rail.value for name, rail in sorted(self.rails.items())}
        by_rail = verdict is Verdict.WORSE and self._derailed(policy)
        return JudgedTrial(
            verdict=verdict,
            given=Rate(sessions=self.tally.hits(given=True), of=self.tally.of(given=True)),
            withheld=Rate(sessions=self.tally.hits(given=False), of=self.tally.of(given=False)),
            good=self.good.value,
            harm=self.harm.value,
            futile=self.tally.futile(),
            better=self.tally.below(1.0),
            interval=self.tally.interval(),
            rails=values,
            worse_rail=max(values, key=lambda name: values[name]) if by_rail else None,
            decided=decided,
            since=since,
            reopened=reopened,
        )
