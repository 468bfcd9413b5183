"""Reports the configured language models and their use, and checks whether they answer."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.model.model_use import ModelsState, Tier

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.language_models.model_ports import Model, ModelAnswer
    from wisen.model.model_use import ModelsPolicy, ModelUsage
    from wisen.store.home import Home

CHECK_PURPOSE = "check"
"""The purpose under which checks of a model are recorded."""
_CHECK_INSTRUCTIONS = "Say whether the text of the one item is the word pong."
_CHECK_TEXT = "pong"


class Pong(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to the check question."""

    is_pong: bool


class ModelCheck(NamedTuple):
    """The result of checking a model."""

    answer: ModelAnswer[Pong]
    seconds: float


class ModelService:
    """Reports on models and checks them."""

    def __init__(self, home: Home, policy: ModelsPolicy, model: Callable[[], Model]) -> None:
        """`model`: opens the models when they are first asked."""
        self._home, self._policy, self._model = home, policy, model

    def state(self) -> ModelsState | None:
        """Return the models and today's use of the caps; None if no model is configured."""
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
        """Return the use in the last days including today, by purpose and model, the most expensive first."""
        home = self._home
        since = home.local(home.clock.now()).date() - timedelta(days=days - 1)
        return home.ledger.model_uses.usage_since(home.machine, since.isoformat())

    def check(self, tier: Tier = Tier.NANO) -> ModelCheck:
        """Ask a model a harmless question.

        Raises:
            ModelError: no model is configured, or it gave no answer.
            MissingExtra: a required package is not installed.
        """
        from wisen.language_models.model_ports import MaterialItem, Question

        home = self._home
        # A new item each time, as otherwise the answer would be cached.
        material = (MaterialItem(home.ids.new(), _CHECK_TEXT),)
        question = Question(
            purpose=CHECK_PURPOSE,
            tier=tier,
            instructions=_CHECK_INSTRUCTIONS,
            answer=Pong,
            material=material,
            max_tokens=256,
        )
        began = home.clock.elapsed()
        answer = self._model().ask(question)
        return ModelCheck(answer, home.clock.elapsed() - began)
