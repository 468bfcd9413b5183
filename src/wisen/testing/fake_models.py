"""Scripted models, and in-memory ports for their answers and costs, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from wisen.errors import ModelAbsent, ModelFailed, Reason
from wisen.language_models.model_ports import ModelAnswer, Reply
from wisen.model.model_use import Tier, describe_exceeded_cap, total_usage, usage_by_purpose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from wisen.language_models.model_ports import Prompt, Question
    from wisen.model.model_use import Cooldown, ModelCall, ModelsPolicy, ModelUsage, UsageTotal

T = TypeVar("T")
_MAX_ANSWERS = 5000
"""How many answers are kept."""


class ScriptedModel:
    """A model that gives scripted answers, and records the questions."""

    def __init__(
        self,
        script: Sequence[object] | Callable[[Question[Any]], object],
        *,
        name: str = "scripted",
        tiers: Sequence[Tier] = tuple(Tier),
    ) -> None:
        """`script`: answers or exceptions to raise, in order; or a function that maps a question to one."""
        self._script = script
        self._name = name
        self._tiers = tuple(tiers)
        self.questions: list[Question[Any]] = []

    def model_name(self, tier: Tier) -> str:
        """Return the name that the user knows it by; empty if there is none."""
        return self._name if tier in self._tiers else ""

    def ask(self, question: Question[T]) -> ModelAnswer[T]:
        """Return the next answer of the script. Raises: ModelAbsent, ModelFailed; also at the end of the script."""
        if not self.model_name(question.tier):
            raise ModelAbsent(f"No {question.tier} model is configured. Set models.{question.tier}: wisen config")
        self.questions.append(question)
        value = _next(self._script, question, len(self.questions), self._name)
        if not isinstance(value, question.answer):
            raise ModelFailed(f"{self._name} answered with {value!r}.", Reason.MALFORMED)
        return ModelAnswer(value=value, model=self._name, tokens_in=10, tokens_out=5, money=0.0)


class ScriptedResponder:
    """Gives scripted replies, and records the prompts."""

    def __init__(
        self,
        script: Sequence[str | Reply | Exception] | Callable[[Prompt], str | Reply | Exception],
        *,
        is_local: bool = True,
    ) -> None:
        self._script = script
        self.is_local = is_local
        self.overhead = 0
        self.prompts: list[Prompt] = []

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return 0 if it is local."""
        del tokens_in, tokens_out
        return 0.0 if self.is_local else None

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """Return the next reply of the script; a text counts ten tokens in and five out. Raises: ModelFailed."""
        del seconds
        self.prompts.append(prompt)
        reply = _next(self._script, prompt, len(self.prompts), "The scripted model")
        if isinstance(reply, str):
            return Reply(reply, 10, 5)
        assert isinstance(reply, Reply)
        return reply


class MemoryModelAnswers:
    """Model answers in memory."""

    def __init__(self) -> None:
        self._answers: dict[str, str] = {}

    def of(self, question: str) -> str | None:
        """Return the answer to the question with this digest."""
        return self._answers.get(question)

    def keep(self, question: str, purpose: str, text: str) -> None:
        """Cache an answer; the oldest beyond a fixed number are deleted."""
        del purpose
        self._answers.pop(question, None)
        self._answers[question] = text
        while len(self._answers) > _MAX_ANSWERS:
            del self._answers[next(iter(self._answers))]

    def all(self) -> tuple[tuple[str, str], ...]:
        """Return every cached answer, with the digest of its question."""
        return tuple(self._answers.items())

    def forget(self) -> None:
        """Delete all answers."""
        self._answers.clear()


class MemoryModelUses:
    """Model usage in memory."""

    def __init__(self) -> None:
        self._calls: dict[str, ModelCall] = {}
        self._settled: set[str] = set()
        self._coolings: list[Cooldown] = []

    def reserve(self, call: ModelCall, policy: ModelsPolicy) -> str:
        """Reserve the maximum cost of a call, if the daily caps allow it; otherwise return which cap does not."""
        why = describe_exceeded_cap(self.usage_of_day(call.machine, call.day), call, policy)
        if not why:
            self._calls.setdefault(call.id, call)
        return why

    def settle(self, call: ModelCall) -> None:
        """Replace the reserved cost of a call by the actual one; the first settlement counts."""
        if call.id not in self._settled:
            self._settled.add(call.id)
            self._calls[call.id] = call

    def usage_of_day(self, machine: str, day: str) -> UsageTotal:
        """Return the total of a machine's calls on a day."""
        return total_usage(each for each in self._calls.values() if (each.machine, each.day) == (machine, day))

    def usage_since(self, machine: str, since: str) -> tuple[ModelUsage, ...]:
        """Return the totals of a machine's calls since a day, by purpose and model, the most expensive first."""
        return usage_by_purpose(each for each in self._calls.values() if each.machine == machine and each.day >= since)

    def add_cooldown(self, cooldown: Cooldown) -> None:
        """Stop using a model for a while."""
        self._coolings.append(cooldown)

    def active_cooldowns(self, machine: str, now: datetime) -> tuple[Cooldown, ...]:
        """Return the active cooldowns, one per model, by name."""
        here = [each for each in self._coolings if each.machine == machine and each.until > now]
        last = {each.model: each for each in sorted(here, key=lambda each: (each.until, each.id))}
        return tuple(each for _, each in sorted(last.items()))


def _next(script: Any, question: object, number: int, name: str) -> object:
    if callable(script):
        answer = script(question)
    elif number > len(script):
        says = f"{name} has {len(script)} answers and was asked {number} times. Give its script one for each question."
        raise ModelFailed(says, Reason.UNREACHABLE)
    else:
        answer = script[number - 1]
    if isinstance(answer, Exception):
        raise answer
    return answer
