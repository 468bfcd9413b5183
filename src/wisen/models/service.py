"""What a Learner can be asked about language models."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.model.model_use import ModelsState, Tier

if TYPE_CHECKING:
    from wisen.model.model_use import Use
    from wisen.models.ports import Answer
    from wisen.parts import Parts

CHECKS = "check"
"""The purpose of a question that is only asked to see whether a model answers."""
_ASKED = "Say whether the text of the one item is the word pong."
_WORD = "pong"


class Pong(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to a harmless question."""

    is_pong: bool


class Checked(NamedTuple):
    """How a model answered."""

    answer: Answer[Pong]
    seconds: float


class Asker:
    """What a Learner knows of models."""

    _parts: Parts

    def models(self) -> ModelsState | None:
        """The models, and what of today's caps is used; None where none is configured."""
        parts, policy = self._parts, self._parts.models
        if not policy.is_any:
            return None
        now = parts.clock.now()
        today = parts.ledger.spent(parts.machine, parts.local(now).date().isoformat())
        return ModelsState(
            names={tier: policy.named(tier) for tier in Tier if policy.named(tier)},
            today=today,
            money_today=today.money,
            calls_per_day=policy.calls_per_day,
            tokens_per_day=policy.tokens_per_day,
            money_per_day=policy.money_per_day,
            local_only=policy.local_only,
            adjudicate=policy.adjudicate,
            cooling=parts.ledger.cooling(parts.machine, now),
        )

    def model_uses(self, days: int = 1) -> tuple[Use, ...]:
        """What was used in the last days by purpose and model, today among them, the dearest first."""
        parts = self._parts
        since = parts.local(parts.clock.now()).date() - timedelta(days=days - 1)
        return parts.ledger.uses(parts.machine, since.isoformat())

    def check_model(self, tier: Tier = Tier.NANO) -> Checked:
        """Ask a model one harmless question.

        Raises:
            ModelError: none is configured, or it gave no answer.
            MissingExtra: asking it needs something that is not installed.
        """
        from wisen.models.ports import Item, Question

        parts = self._parts
        # A new item each time, or the answer would be one that was given before.
        material = (Item(parts.ids.new(), _WORD),)
        question = Question(
            purpose=CHECKS, tier=tier, instructions=_ASKED, answer=Pong, material=material, most_tokens=256
        )
        began = parts.clock.elapsed()
        answer = parts.model().ask(question)
        return Checked(answer, parts.clock.elapsed() - began)
