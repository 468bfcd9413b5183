"""The ports of language models: a question with a strict answer, and who replies to it.

Nothing needs a model; where one is configured it may only add. Whoever asks goes on without an answer when there is a
`ModelError`, as if there were no model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.model.model_use import Tier

T = TypeVar("T")


class MaterialItem(NamedTuple):
    """One piece of material. It is data, whatever it says."""

    id: str
    """By which an answer names it; never a secret, as it is sent."""
    text: str


@dataclass(frozen=True, kw_only=True)
class Question(Generic[T]):
    """What is asked of a model."""

    purpose: str
    """A word by which spending is told apart."""
    tier: Tier
    instructions: str
    answer: type[T]
    """A msgspec Struct. Answers that have other, more or fewer fields are malformed."""
    material: tuple[MaterialItem, ...] = ()
    most_tokens: int = 1024
    """How long the answer may be."""


@dataclass(frozen=True, kw_only=True)
class ModelAnswer(Generic[T]):
    """What a model answered, in the form that was asked for."""

    value: T
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None
    """What it cost; None where nobody tells the price."""
    cached: bool = False
    """Whether the same was asked before, so that nothing was sent and nothing spent."""
    withheld: tuple[str, ...] = ()
    """The ids of material that was left out because it holds a secret or private data."""


class Model(Protocol):
    """A language model of each tier, within the limits that the user set."""

    def named(self, tier: Tier) -> str:
        """What the user knows it by; empty where there is none."""
        ...

    def ask(self, question: Question[T]) -> ModelAnswer[T]:
        """The answer.

        It may take as long as the settings allow, so it is never asked inside a transaction.

        Raises:
            ModelAbsent: no model is configured for the tier.
            ModelFailed: it was not asked, or did not answer as it should.
            MissingExtra: asking it needs something that is not installed.
        """
        ...


class Prompt(NamedTuple):
    """What is sent to whoever replies."""

    system: str
    user: str
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    most_tokens: int


class Reply(NamedTuple):
    """What came back, as it came."""

    text: str
    tokens_in: int | None = None
    """None where nobody tells."""
    tokens_out: int | None = None
    money: float | None = None
    """What it cost, where whoever replied tells it."""
    refused: bool = False
    """Whether the model declined to answer."""


class Responder(Protocol):
    """Replies once to one prompt: a vendor's server, a local one, an agent's program. It knows no caps and no tries."""

    @property
    def is_local(self) -> bool:
        """Whether nothing that it is sent leaves this machine."""
        ...

    @property
    def overhead(self) -> int:
        """How many tokens may go in beside the prompt."""
        ...

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """What so many tokens cost; None where nobody knows."""
        ...

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """The reply, within so many seconds. Raises: ModelFailed, MissingExtra."""
        ...
