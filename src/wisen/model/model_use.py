"""What a user can choose about language models, and what their use came to. Nothing needs one."""

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
"""Where the agents' programs run as models, below the home. Nothing that happens there is ever learnt from."""
ABSENT_PRICE_INPUT, ABSENT_PRICE_OUTPUT = 15.0, 75.0
"""What a million tokens count against the money cap where nobody tells the price: as the dearest usual models cost."""


class Tier(StrEnum):
    """How much a question asks of a model."""

    NANO = "nano"
    """Small and frequent: a label."""
    HEAVY = "heavy"
    """Rare, and worth a large model."""


@dataclass(frozen=True, kw_only=True)
class PricePolicy:
    """What a model costs."""

    input: float = setting(ABSENT_PRICE_INPUT, "Money for a million tokens that go in.", at_least=0)
    output: float = setting(ABSENT_PRICE_OUTPUT, "Money for a million tokens that come out.", at_least=0)

    def nanos(self, tokens_in: int, tokens_out: int) -> int:
        """What so many tokens cost, in billionths."""
        return round((tokens_in * self.input + tokens_out * self.output) * NANOS / _MILLION)


ABSENT_PRICE = PricePolicy()


@dataclass(frozen=True, kw_only=True)
class ModelsPolicy:
    """Which models may be asked, and how much."""

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
        """The model of a tier; empty where there is none."""
        return (self.nano if tier is Tier.NANO else self.heavy).strip()

    @property
    def has_model(self) -> bool:
        """Whether a model is configured at all."""
        return any(self.model_for(tier) for tier in Tier)


class UsageTotal(Struct, frozen=True):
    """What calls came to."""

    calls: int = 0
    tokens: int = 0
    nanos: int = 0
    unpriced: int = 0
    """How many of the calls count at the stated price because nobody tells theirs."""

    @property
    def money(self) -> float:
        """The money, as people write it."""
        return self.nanos / NANOS


class ModelCall(Struct, frozen=True, kw_only=True):
    """One request to a model: first what it may cost at most, then what it cost. Its words are kept nowhere."""

    id: str
    machine: str
    at: datetime
    day: str
    """The user's own day, as 2026-11-15."""
    model: str
    purpose: str
    tokens_in: int
    tokens_out: int
    nanos: int
    priced: bool
    """Whether the price is known."""


class Cooldown(Struct, frozen=True, kw_only=True):
    """That a model is left alone for a while."""

    id: str
    machine: str
    at: datetime
    model: str
    until: datetime
    why: str


class ModelUsage(NamedTuple):
    """What was used in a while for one purpose."""

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
"""How long it is known what calls cost."""


def describe_exceeded_cap(spent: UsageTotal, call: ModelCall, policy: ModelsPolicy) -> str:
    """Which cap of the day a call would exceed, in words; empty where none."""
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
    """What calls came to."""
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
    """What calls came to by purpose and model, the dearest first."""
    of: dict[tuple[str, str], list[ModelCall]] = {}
    for each in calls:
        of.setdefault((each.purpose, each.model), []).append(each)
    uses = [ModelUsage(purpose, model, total_usage(those)) for (purpose, model), those in of.items()]
    return tuple(sorted(uses, key=lambda each: (-each.sum.nanos, -each.sum.tokens, each.purpose, each.model)))
