"""Computes the verdict on a rule as a pure function of the sessions of its trial, however often it is called.

The sessions are processed in chronological order, and the first one at which a condition is met decides. So a late
look says what an early one would have said, and nobody can stop at a lucky moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wisen.model.exposure import Arm
from wisen.model.instruction import Rate
from wisen.model.trial import TrialJudgment, TrialRow, Verdict
from wisen.trials.evidence import GOOD, HARM, EvidenceTally, RankWager, Wager

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictPolicy:
    """How much evidence each verdict needs."""

    good: float = 35
    harm: float = 16
    futile: float = 10
    surely_worse: float = 0.99
    """The probability of harm from which a rule known to be useless is called worse."""
    guardrails: float = 40
    """Threshold of the mean over all guardrails: the more are watched, the more chance would find."""
    sessions: int = 240
    """Relevant sessions after which a trial ends."""
    reopen: float = 10
    """Evidence of harm since confirmation from which a rule has to prove itself again."""


def judge(rows: Iterable[TrialRow], policy: VerdictPolicy | None = None) -> TrialJudgment:
    """Judge one version of one rule by its sessions in chronological order. A session counts once."""
    policy = policy or VerdictPolicy()
    trial, since, reopened = _TrialState(), Wager(HARM), 0
    verdict, decided = Verdict.RUNNING, None
    seen: set[str] = set()
    for row in rows:
        if not row.relevant or row.session in seen:
            continue
        seen.add(row.session)
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
                trial, since, reopened = _TrialState(), Wager(HARM), reopened + 1
                verdict, decided = Verdict.RUNNING, None
    return trial.summarize(verdict, decided, policy, since.value, reopened)


@dataclass(slots=True)
class _TrialState:
    """The evidence of an undecided trial."""

    tally: EvidenceTally = field(default_factory=EvidenceTally)
    good: Wager = field(default_factory=lambda: Wager(GOOD))
    harm: Wager = field(default_factory=lambda: Wager(HARM))
    guardrails: dict[str, RankWager] = field(default_factory=dict)

    def add(self, row: TrialRow) -> None:
        given = row.arm is Arm.GIVEN
        for part in (self.tally, self.good, self.harm):
            part.add(row.chance, given=given, hit=row.hit)
        for name, number in row.guardrails.items():
            self.guardrails.setdefault(name, RankWager()).add(row.chance, number, given=given)

    def verdict(self, policy: VerdictPolicy) -> Verdict:
        """Return the first verdict whose condition is met."""
        futile = self.tally.futility() >= policy.futile
        surely_worse = futile and 1 - self.tally.probability_below(1.0) >= policy.surely_worse
        if self.harm.value >= policy.harm or surely_worse or self._has_worse_guardrail(policy):
            return Verdict.WORSE
        if self.good.value >= policy.good:
            return Verdict.CONFIRMED
        if futile:
            return Verdict.INEFFECTIVE
        ended = self.tally.sessions(given=True) + self.tally.sessions(given=False) >= policy.sessions
        return Verdict.INCONCLUSIVE if ended else Verdict.RUNNING

    def _has_worse_guardrail(self, policy: VerdictPolicy) -> bool:
        """Whether the mean evidence over all guardrails reaches its threshold."""
        return sum(guardrail.value for guardrail in self.guardrails.values()) >= policy.guardrails * max(
            len(self.guardrails), 1
        )

    def summarize(
        self, verdict: Verdict, decided: str | None, policy: VerdictPolicy, since: float, reopened: int
    ) -> TrialJudgment:
        """Return the verdict with its numbers."""
        values = {name: guardrail.value for name, guardrail in sorted(self.guardrails.items())}
        by_guardrail = verdict is Verdict.WORSE and self._has_worse_guardrail(policy)
        return TrialJudgment(
            verdict=verdict,
            given=Rate(sessions=self.tally.hits(given=True), of=self.tally.sessions(given=True)),
            withheld=Rate(sessions=self.tally.hits(given=False), of=self.tally.sessions(given=False)),
            good=self.good.value,
            harm=self.harm.value,
            futile=self.tally.futility(),
            better=self.tally.probability_below(1.0),
            interval=self.tally.interval(),
            guardrails=values,
            worst_guardrail=max(values, key=lambda name: values[name]) if by_guardrail else None,
            decided=decided,
            since=since,
            reopened=reopened,
        )
