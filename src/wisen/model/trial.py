"""Trials: which sessions got a rule on trial, the outcomes, and the verdict about the rule."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - rows are read back by their types
from datetime import datetime  # noqa: TC003 - as above
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from wisen.model.exposure import Arm  # noqa: TC001 - as above
from wisen.model.instruction import Rate  # noqa: TC001 - as above


class TrialRow(Struct, frozen=True, kw_only=True):
    """One session of a trial. The arm is what was drawn, whatever happened afterwards: intention to treat."""

    session: str
    rule: str
    version: str
    """The version of its wording: a new wording is a new trial."""
    arm: Arm
    chance: float
    """The probability with which the rule is given to this session, recorded at the draw."""
    relevant: bool
    """Whether the rule's trigger fired, decided by the same code in both arms and blind to the outcome."""
    hit: bool
    """Whether what the rule is against happened in the session, however often."""
    guardrails: Mapping[str, int] = field(default_factory=dict, name="rails")
    """What must not get worse: corrections, failures and interrupts."""


class TrialOutcome(Struct, frozen=True, kw_only=True):
    """What a session showed about a subject on trial, recorded once when it is over, because logs are not kept."""

    id: str
    """Derived from the session and the subject, so that the same outcome is recorded once."""
    machine: str
    agent: str
    session: str
    """The agent's own id of the session."""
    subject: str
    version: str
    at: datetime
    """When the session began."""
    relevant: bool
    hit: bool
    guardrails: Mapping[str, int] = field(default_factory=dict, name="rails")


class Verdict(StrEnum):
    """What a trial says about a rule."""

    CONFIRMED = "confirmed"
    INEFFECTIVE = "ineffective"
    WORSE = "made worse"
    INCONCLUSIVE = "inconclusive"
    RUNNING = "running"


class TrialJudgment(Struct, frozen=True, kw_only=True):
    """A verdict with the numbers it is based on, at the time it was reached."""

    verdict: Verdict
    given: Rate
    """Of the relevant sessions with the rule, those in which what it is against happened."""
    withheld: Rate
    """The same for sessions without the rule."""
    good: float
    """Evidence that it helps: 30 means that chance alone reaches this in at most one of 30 trials.

    Sessions after the confirmation still count, so that it can hold among many rules.
    """
    harm: float
    """Evidence that it makes things worse."""
    futile: float
    """Evidence that it prevents less than the smallest share worth a rule."""
    better: float
    """The probability that it helps at all, for people to read; trials are not decided by it alone."""
    interval: tuple[float, float] | None
    """The 95% interval of the rate with the rule relative to without; None if one is unknown."""
    guardrails: Mapping[str, float] = field(default_factory=dict, name="rails")
    """Evidence of harm for each thing that must not get worse."""
    worst_guardrail: str | None = field(default=None, name="worse_rail")
    """The one that got worst, if that is why the rule is dropped."""
    decided: str | None = None
    """The session that decided it."""
    since: float = 1.0
    """Evidence of harm in the sessions after it was confirmed."""
    reopened: int = 0
    """How often a confirmed rule was put on trial again because it seemed to do harm."""

    @property
    def sessions(self) -> int:
        """The relevant sessions of the trial."""
        return self.given.of + self.withheld.of

    @property
    def description(self) -> str:
        """Return a one-sentence summary for a person."""
        if not self.sessions:
            return "no session yet in which it mattered"
        seen = (
            f"seen in {self.withheld.sessions:,} of {_count(self.withheld.of)} without it, "
            f"{self.given.sessions:,} of {self.given.of:,} with it; {self.verdict.value}"
        )
        return f"{seen} ({self.worst_guardrail})" if self.worst_guardrail else seen

    @property
    def interval_text(self) -> str:
        """Return the interval as text."""
        if self.interval is None:
            return "nothing to compare yet"
        low, high = self.interval
        return f"95% {low:.2f}–{high:.2f} times as often"


class Trial(NamedTuple):
    """The current state of the trial of one version of a rule or fix."""

    subject: str
    version: str
    judged: TrialJudgment
    rows: tuple[TrialRow, ...]
    """The finished sessions, in the order of their draws."""
    last: datetime
    """When the last draw was."""
    chance: float
    """The probability with which the next session gets it, while the trial continues."""
    stands: bool
    """Whether it is also confirmed among all rules on trial together."""

    @property
    def id(self) -> str:
        """Return the id that exposures and snapshots use."""
        return f"{self.subject}:{self.version}"


class BeforeAfter(Struct, frozen=True, kw_only=True):
    """A comparison of sessions before and after a rule was added, if it was never withheld. It is no proof."""

    day: int | None
    """The day after its addition on which this comparison was made; None while it is too early."""
    before: Rate
    after: Rate
    drift: float = 1.0
    """How much more often everything else happened afterwards."""
    chance: float | None = None
    """How often the same was seen around dates without a change; None if there are too few."""
    placebos: int = 0
    """How many such dates there are."""
    helped: bool = False

    @property
    def description(self) -> str:
        """Return a one-sentence summary for a person; never more than "likely helped"."""
        if self.day is None:
            return "too early to tell"
        return (
            f"seen in {self.before.sessions:,} of {_count(self.before.of)} before it, "
            f"{self.after.sessions:,} of {self.after.of:,} after; "
            f"{'likely helped' if self.helped else Verdict.INCONCLUSIVE.value}"
        )


class Portfolio(Struct, frozen=True, kw_only=True):
    """The effect of all hints together: failures and corrections per session with and without them."""

    with_hints: float
    """Failures and corrections per session."""
    without: float
    sessions_with: int
    sessions_without: int
    ratio: float | None
    """With hints relative to without; None while there is nothing to compare."""
    interval: tuple[float, float] | None
    """Its 95% interval."""
    good: float
    """Evidence that the hints help."""
    harm: float
    """Evidence that they do harm."""

    @property
    def description(self) -> str:
        """Return a one-sentence summary for a person."""
        if not self.sessions_with or not self.sessions_without:
            return "no session with and without hints to compare yet"
        text = (
            f"{self.without:.2f} failures and corrections in each of {_count(self.sessions_without)} without hints, "
            f"{self.with_hints:.2f} in each of {self.sessions_with:,} with them"
        )
        if self.ratio is None or self.interval is None:
            return text
        low, high = self.interval
        return f"{text} ({self.ratio:.2f} times as many, 95% {low:.2f}–{high:.2f})"


def _count(number: int) -> str:
    return f"{number:,} session{'' if number == 1 else 's'}"


class CheckAction(StrEnum):
    """What to do about a change now."""

    NOTHING = "nothing"
    CHECK = "check"
    REMIND = "remind"
    """It is overdue: remind the user."""
    EXTEND = "extend"
    """It gets more time, and evidence is asked for."""
    REVERT = "take out"
    """It was only inferred, and nothing ever supported it."""
    ASK = "ask"
    """The user stated or approved it: ask them, and keep it meanwhile."""


class TrialStandings(NamedTuple):
    """The state of all trials: the probabilities of what is on trial, and where experiments are allowed."""

    chances: Mapping[str, float | None]
    """By id and version, the probability with which the next session gets it; None if the trial has ended."""
    first_chance: float
    """The probability for what has no trial yet."""
    answers: Mapping[str, bool]
    """The user's answers about experiments, by context."""
    everywhere: bool
    """Their answer for all other contexts."""
    holdout: float
    """The share of sessions that get no hint on trial."""

    def chance_of(self, id_: str) -> float | None:
        """Return the probability with which the next session gets something; None if its trial has ended."""
        return self.chances.get(id_, self.first_chance)

    def allows_experiments(self, context: str) -> bool:
        """Return whether experiments are allowed in a context."""
        return self.answers.get(context, self.everywhere)
