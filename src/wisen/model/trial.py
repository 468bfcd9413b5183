"""Trials: what each session got of a rule on trial, what came of it, and what that says about the rule."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - rows are read back by their types
from datetime import datetime  # noqa: TC003 - as above
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from wisen.model.exposure import Arm  # noqa: TC001 - as above
from wisen.model.instruction import Rate  # noqa: TC001 - as above


class TrialRow(Struct, frozen=True, kw_only=True):
    """One session of a trial. The arm is what the coin said, whatever was then done: intention to treat."""

    session: str
    rule: str
    version: str
    """Of its wording: other words are another trial."""
    arm: Arm
    chance: float
    """With which probability the coin gives the rule to this session; noted when it was thrown."""
    relevant: bool
    """Whether the rule's trigger fired, told by the same code in both arms and blind to what came of it."""
    hit: bool
    """Whether what the rule is against happened in the session, however often."""
    rails: Mapping[str, int] = {}
    """What must not get worse: corrections, failures, interrupts, tokens of the session."""


class TrialOutcome(Struct, frozen=True, kw_only=True):
    """What a session showed about a subject on trial, noted once when it is over; logs do not stay."""

    id: str
    """Made of the session and the subject, so that the same outcome is noted once."""
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
    rails: Mapping[str, int] = {}


class Verdict(StrEnum):
    """What a trial says about a rule."""

    CONFIRMED = "confirmed"
    INEFFECTIVE = "ineffective"
    WORSE = "made worse"
    INCONCLUSIVE = "inconclusive"
    RUNNING = "running"


class TrialJudgment(Struct, frozen=True, kw_only=True):
    """A verdict with the numbers it stands on, as they were when it was reached."""

    verdict: Verdict
    given: Rate
    """Sessions with what the rule is against, of the relevant ones that got the rule."""
    withheld: Rate
    """The same of those that did not."""
    good: float
    """Evidence that it helps: 30 means that chance alone reaches this in one of 30 trials at most.

    Sessions after it was confirmed go on counting here, so that it may stand among many rules."""
    harm: float
    """Evidence that it makes things worse."""
    futile: float
    """Evidence that it takes away less than the smallest share that is worth a rule."""
    better: float
    """How likely it helps at all, for people to read; trials are not decided by it alone."""
    interval: tuple[float, float] | None
    """95% of how often it happens with the rule, as a multiple of without; None if one is unknown."""
    rails: Mapping[str, float] = {}
    """Evidence of harm for each thing that must not get worse."""
    worse_rail: str | None = None
    """The one that got worst, where that is why the rule goes."""
    decided: str | None = None
    """The session that decided it."""
    since: float = 1.0
    """Evidence of harm in the sessions after it was confirmed."""
    reopened: int = 0
    """How often a confirmed rule had to prove itself anew, because it seemed to hurt."""

    @property
    def sessions(self) -> int:
        """The relevant sessions of the trial."""
        return self.given.of + self.withheld.of

    @property
    def description(self) -> str:
        """The whole in a sentence for a person."""
        if not self.sessions:
            return "no session yet in which it mattered"
        seen = (
            f"seen in {self.withheld.sessions:,} of {_count(self.withheld.of)} without it, "
            f"{self.given.sessions:,} of {self.given.of:,} with it; {self.verdict.value}"
        )
        return f"{seen} ({self.worse_rail})" if self.worse_rail else seen

    @property
    def interval_text(self) -> str:
        """The interval for a person."""
        if self.interval is None:
            return "nothing to compare yet"
        low, high = self.interval
        return f"95% {low:.2f}–{high:.2f} times as often"


class Trial(NamedTuple):
    """How the trial of one version of a rule or fix stands."""

    subject: str
    version: str
    judged: TrialJudgment
    rows: tuple[TrialRow, ...]
    """The sessions that are over, in the order of their coins."""
    last: datetime
    """When its coin was thrown last."""
    chance: float
    """With which probability the next session gets it, where it goes on."""
    stands: bool
    """Whether it is confirmed also among all that are on trial together."""

    @property
    def id(self) -> str:
        """As exposures and snapshots name it."""
        return f"{self.subject}:{self.version}"


class BeforeAfter(Struct, frozen=True, kw_only=True):
    """What is told of a rule that was never withheld: its sessions before and after it came. It is no proof."""

    day: int | None
    """The day after it came whose look this is; None while it is too early."""
    before: Rate
    after: Rate
    drift: float = 1.0
    """How much more often everything else happened afterwards."""
    chance: float | None = None
    """How often the same was seen on dates when nothing happened; None where there are too few."""
    placebos: int = 0
    """How many such dates there are."""
    helped: bool = False

    @property
    def description(self) -> str:
        """The whole in a sentence for a person; never more than "likely helped"."""
        if self.day is None:
            return "too early to tell"
        return (
            f"seen in {self.before.sessions:,} of {_count(self.before.of)} before it, "
            f"{self.after.sessions:,} of {self.after.of:,} after; "
            f"{'likely helped' if self.helped else Verdict.INCONCLUSIVE.value}"
        )


class Portfolio(Struct, frozen=True, kw_only=True):
    """What all hints together do: troubles per session with them and without."""

    with_hints: float
    """Failures and corrections per session."""
    without: float
    sessions_with: int
    sessions_without: int
    ratio: float | None
    """With, as a multiple of without; None while there is nothing to compare."""
    interval: tuple[float, float] | None
    """95% of it."""
    good: float
    """Evidence that the hints help."""
    harm: float
    """Evidence that they hurt."""

    @property
    def description(self) -> str:
        """The whole in a sentence for a person."""
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
    """What is to be done about a change now."""

    NOTHING = "nothing"
    CHECK = "check"
    REMIND = "remind"
    """It is overdue: tell."""
    EXTEND = "extend"
    """It gets more time, and whoever knows is asked for evidence."""
    REVERT = "take out"
    """It was only inferred, and nothing ever spoke for it."""
    ASK = "ask"
    """The user stated or approved it: he is asked, and it stays."""


class TrialStandings(NamedTuple):
    """How trials stand: with which chance what is on trial goes on, and where experiments are welcome."""

    chances: Mapping[str, float | None]
    """With which probability the next session gets it, by id and version; None where the trial has ended it."""
    first_chance: float
    """Of what has no trial yet."""
    said: Mapping[str, bool]
    """What the user said about experiments in a context."""
    everywhere: bool
    """What they said about all others."""
    holdout: float
    """The share of sessions that get no hint on trial."""

    def chance_of(self, id_: str) -> float | None:
        """With which probability the next session gets something; None where a trial has ended it."""
        return self.chances.get(id_, self.first_chance)

    def allows_experiments(self, context: str) -> bool:
        """Whether experiments are welcome in a context."""
        return self.said.get(context, self.everywhere)
