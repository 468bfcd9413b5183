"""A model and somebody who replies, by a script: for tests of what asks models, and of what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from wisen.domain.models import Tier
from wisen.errors import ModelAbsent, ModelFailed, Reason
from wisen.ports.models import Answer, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.ports.models import Prompt, Question

T = TypeVar("T")


class ScriptedModel:
    """A model that answers what it was told to answer, and remembers what it was asked."""

    def __init__(
        self,
        script: Sequence[object] | Callable[[Question[Any]], object],
        *,
        name: str = "scripted",
        tiers: Sequence[Tier] = tuple(Tier),
    ) -> None:
        """`script`: values of the answers' types, or errors to raise, in order; or what makes one of a question."""
        self._script = script
        self._name = name
        self._tiers = tuple(tiers)
        self.questions: list[Question[Any]] = []

    def named(self, tier: Tier) -> str:
        """What the user knows it by; empty where there is none."""
        return self._name if tier in self._tiers else ""

    def ask(self, question: Question[T]) -> Answer[T]:
        """The next answer of the script. Raises: ModelAbsent, ModelFailed; also when the script is out."""
        if not self.named(question.tier):
            raise ModelAbsent(f"No {question.tier} model is configured. Set models.{question.tier}: wisen config")
        self.questions.append(question)
        value = _next(self._script, question, len(self.questions), self._name)
        if not isinstance(value, question.answer):
            raise ModelFailed(f"{self._name} answered with {value!r}.", Reason.MALFORMED)
        return Answer(value=value, model=self._name, tokens_in=10, tokens_out=5, money=0.0)


class ScriptedResponder:
    """Replies what it was told to reply, and remembers what it was sent."""

    def __init__(
        self,
        script: Sequence[str | Reply | Exception] | Callable[[Prompt], str | Reply | Exception],
        *,
        is_local: bool = True,
    ) -> None:
        self._script = script
        self.is_local = is_local
        self.prompts: list[Prompt] = []

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """The next reply of the script; a text counts ten tokens in and five out. Raises: ModelFailed."""
        del seconds
        self.prompts.append(prompt)
        reply = _next(self._script, prompt, len(self.prompts), "The scripted model")
        if isinstance(reply, str):
            return Reply(reply, 10, 5)
        assert isinstance(reply, Reply)
        return reply


def _next(script: Any, asked: object, number: int, name: str) -> object:
    if callable(script):
        found = script(asked)
    elif number > len(script):
        says = f"{name} has {len(script)} answers and was asked {number} times. Give its script one for each question."
        raise ModelFailed(says, Reason.UNREACHABLE)
    else:
        found = script[number - 1]
    if isinstance(found, Exception):
        raise found
    return found
