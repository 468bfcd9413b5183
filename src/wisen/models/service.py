"""What people ask about language models: which there are, what they cost, and whether they answer."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.model.model_use import ModelsState, Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.model_use import ModelsPolicy, ModelUsage
    from wisen.models.model_ports import Model, ModelAnswer
    from wisen.store.home import Home

CHECKS = "check"
"""The purpose of a question that is only asked to see whether a model answers."""
_ASKED = "Say whether the text of the one item is the word pong."
_WORD = "pong"


class Pong(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to a harmless question."""

    is_pong: bool


class ModelCheck(NamedTuple):
    """How a model answered."""

    answer: ModelAnswer[Pong]
    seconds: float


class ModelService:
    """What is known of models."""

    def __init__(self, home: Home, policy: ModelsPolicy, model: Callable[[], Model]) -> None:
        """Begin with what the settings say, and with what opens the models when they are first asked."""
        self._home, self._policy, self._model = home, policy, model

    def state(self) -> ModelsState | None:
        """The models, and what of today's caps is used; None where none is configured."""
        home, policy = self._home, self._policy
        if not policy.has_model:
            return None
        now = home.clock.now()
        today = home.ledger.model_uses.usage_of_day(home.machine, home.local(now).date().isoformat())
        return ModelsState(
            names={tier: policy.model_for(tier) for tier in Tier if policy.model_for(tier)},
            today=today,
            money_today=today.money,
            calls_per_day=policy.calls_per_day,
            tokens_per_day=policy.tokens_per_day,
            money_per_day=policy.money_per_day,
            local_only=policy.local_only,
            adjudicate=policy.adjudicate,
            cooling=home.ledger.model_uses.active_cooldowns(home.machine, now),
        )

    def uses(self, days: int = 1) -> tuple[ModelUsage, ...]:
        """What was used in the last days by purpose and model, today among them, the dearest first."""
        home = self._home
        since = home.local(home.clock.now()).date() - timedelta(days=days - 1)
        return home.ledger.model_uses.usage_since(home.machine, since.isoformat())

    def check(self, tier: Tier = Tier.NANO) -> ModelCheck:
        """Ask a model one harmless question.

        Raises:
            ModelError: none is configured, or it gave no answer.
            MissingExtra: asking it needs something that is not installed.
        """
        from wisen.models.model_ports import MaterialItem, Question

        home = self._home
        # A new item each time, or the answer would be one that was given before.
        material = (MaterialItem(home.ids.new(), _WORD),)
        question = Question(
            purpose=CHECKS, tier=tier, instructions=_ASKED, answer=Pong, material=material, most_tokens=256
        )
        began = home.clock.elapsed()
        answer = self._model().ask(question)
        return ModelCheck(answer, home.clock.elapsed() - began)
