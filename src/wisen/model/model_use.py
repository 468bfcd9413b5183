"""Settings for language models, and records of what their use cost. No model is required."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - the type of a field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.model.policy import setting

if TYPE_CHECKING:
    from collections.abc import Iterable

NANOS = 1_000_000_000
"""Money is counted in whole billionths, so that sums are exact."""
_MILLION = 1_000_000
MODEL_WORK_DIR = ("models", "work")
"""The directory below the home in which agents' programs run as models. Nothing is learned from what happens there."""
ABSENT_PRICE_INPUT, ABSENT_PRICE_OUTPUT = 15.0, 75.0
"""What a million tokens count against the money cap if the price is unknown: as much as the most expensive models."""


class Tier(StrEnum):
    """How demanding a question is."""

    NANO = "nano"
    """Small and frequent: a label."""
    HEAVY = "heavy"
    """Rare, and worth a large model."""


@dataclass(frozen=True, kw_only=True)
class PricePolicy:
    """The price of a model."""

    input: float = setting(ABSENT_PRICE_INPUT, "Money for a million tokens that go in.", at_least=0)
    output: float = setting(ABSENT_PRICE_OUTPUT, "Money for a million tokens that come out.", at_least=0)

    def nanos(self, tokens_in: int, tokens_out: int) -> int:
        """Return the cost of tokens, in billionths."""
        return round((tokens_in * self.input + tokens_out * self.output) * NANOS / _MILLION)


ABSENT_PRICE = PricePolicy()


@dataclass(frozen=True, kw_only=True)
class ModelsPolicy:
    """Which models may be used, and how much."""

    nano: str = setting(
        "",
        "The model for small questions: `openai:NAME`, `anthropic:NAME` or another vendor's, `ollama:NAME`, "
        "`http://127.0.0.1:8080/v1|NAME`, or `claude`, `codex`, `openclaw`, `hermes`; empty for none.",
    )
    heavy: str = setting("", "The model for large questions, named in the same way; empty for none.")
    key_variable: str = setting(
        "", "The environment variable that holds the key; empty for the one that the vendor's own tools use."
    )
    local_only: bool = setting(False, "Whether only models on this machine may be asked (loopback addresses).")
    calls_per_day: int = setting(200, "How many requests may go out a day.", at_least=0)
    tokens_per_day: int = setting(500_000, "How many tokens may go in and come out a day.", at_least=0)
    money_per_day: float = setting(
        1.0,
        f"How much money a day may cost. Where a price is not known, a million tokens count {ABSENT_PRICE_INPUT:g} in "
        f"and {ABSENT_PRICE_OUTPUT:g} out.",
        at_least=0,
    )
    prices: tuple[tuple[str, PricePolicy], ...] = setting(
        (),
        'What models cost for a million tokens, by the names given above: `[models.prices."codex"]`, `input = 0`, '
        "`output = 0`.",
        tables=PricePolicy,
    )
    seconds: float = setting(60.0, "How long an answer may take, with all tries together.", at_least=1, at_most=3600)
    adjudicate: bool = setting(
        False, "Whether the nano model decides about messages that the detector is not sure of. They are sent to it."
    )

    def model_for(self, tier: Tier) -> str:
        """Return the model of a tier; empty if there is none."""
        return (self.nano if tier is Tier.NANO else self.heavy).strip()

    @property
    def has_model(self) -> bool:
        """Return whether any model is configured."""
        return any(self.model_for(tier) for tier in Tier)


class UsageTotal(Struct, frozen=True):
    """The total cost of calls."""

    calls: int = 0
    tokens: int = 0
    nanos: int = 0
    unpriced: int = 0
    """How many of the calls are counted at the default price because theirs is unknown."""

    @property
    def money(self) -> float:
        """Return the cost in whole units of money."""
        return self.nanos / NANOS


class ModelCall(Struct, frozen=True, kw_only=True):
    """One request to a model: first reserved with its maximum cost, then settled. Its text is not stored."""

    id: str
    machine: str
    at: datetime
    day: str
    """The user's local date, as 2026-11-15."""
    model: str
    purpose: str
    tokens_in: int
    tokens_out: int
    nanos: int
    priced: bool
    """Whether the price is known."""


class Cooldown(Struct, frozen=True, kw_only=True):
    """A pause during which a model is not used."""

    id: str
    machine: str
    at: datetime
    model: str
    until: datetime
    why: str


class ModelUsage(NamedTuple):
    """The usage of one model for one purpose."""

    purpose: str
    model: str
    sum: UsageTotal


class ModelsState(Struct, frozen=True, kw_only=True):
    """Status of the configured models."""

    names: dict[Tier, str]
    today: UsageTotal
    money_today: float
    calls_per_day: int
    tokens_per_day: int
    money_per_day: float
    local_only: bool
    adjudicate: bool
    cooling: tuple[Cooldown, ...] = ()


RETENTION_DAYS = 92
"""How long the cost of calls is kept."""


def describe_exceeded_cap(spent: UsageTotal, call: ModelCall, policy: ModelsPolicy) -> str:
    """Describe which daily cap a call would exceed; empty if none."""
    if spent.calls + 1 > policy.calls_per_day:
        return f"today's {policy.calls_per_day:,} calls are used up (models.calls_per_day)"
    needed = call.tokens_in + call.tokens_out
    if spent.tokens + needed > policy.tokens_per_day:
        return (
            f"{spent.tokens:,} of today's {policy.tokens_per_day:,} tokens are used, and this may need {needed:,} "
            "(models.tokens_per_day)"
        )
    if spent.nanos + call.nanos > round(policy.money_per_day * NANOS):
        return (
            f"{spent.money:.4f} of today's {policy.money_per_day:g} money is spent, and this may cost "
            f"{call.nanos / NANOS:.4f} (models.money_per_day)"
        )
    return ""


def total_usage(calls: Iterable[ModelCall]) -> UsageTotal:
    """Return the total of calls."""
    total = UsageTotal()
    for each in calls:
        total = UsageTotal(
            total.calls + 1,
            total.tokens + each.tokens_in + each.tokens_out,
            total.nanos + each.nanos,
            total.unpriced + (not each.priced),
        )
    return total


def usage_by_purpose(calls: Iterable[ModelCall]) -> tuple[ModelUsage, ...]:
    """Return totals by purpose and model, the most expensive first."""
    by_purpose: dict[tuple[str, str], list[ModelCall]] = {}
    for each in calls:
        by_purpose.setdefault((each.purpose, each.model), []).append(each)
    uses = [ModelUsage(purpose, model, total_usage(group)) for (purpose, model), group in by_purpose.items()]
    return tuple(sorted(uses, key=lambda each: (-each.sum.nanos, -each.sum.tokens, each.purpose, each.model)))
