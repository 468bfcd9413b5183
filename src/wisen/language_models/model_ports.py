"""Protocols and types for language models: questions with typed answers, and responders.

Nothing requires a model; a configured one may only add to results. On a `ModelError` callers continue without an
answer, as if there were no model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.model.model_use import Tier

T = TypeVar("T")


class MaterialItem(NamedTuple):
    """One item of material. Its text is data, whatever it says."""

    id: str
    """The id by which an answer refers to it; never a secret, as it is sent."""
    text: str


class Question(Struct, Generic[T], frozen=True, kw_only=True):
    """A question to a model."""

    purpose: str
    """A word under which costs are recorded."""
    tier: Tier
    instructions: str
    answer: type[T]
    """A msgspec Struct. Answers with other, more or fewer fields are malformed."""
    material: tuple[MaterialItem, ...] = ()
    max_tokens: int = 1024
    """The maximum length of the answer."""


class ModelAnswer(Struct, Generic[T], frozen=True, kw_only=True):
    """A model's answer in the requested type."""

    value: T
    model: str
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = None
    """The cost; None if the price is unknown."""
    cached: bool = False
    """Whether the answer was cached, so that nothing was sent or spent."""
    withheld: tuple[str, ...] = ()
    """The ids of material that was left out because it contains a secret or private data."""


class Model(Protocol):
    """The language models of all tiers, within the user's limits."""

    def model_name(self, tier: Tier) -> str:
        """Return the configured name; empty if there is none."""
        ...

    def ask(self, question: Question[T]) -> ModelAnswer[T]:
        """Return the answer.

        This may take as long as the settings allow, so never call it inside a transaction.

        Raises:
            ModelAbsent: no model is configured for the tier.
            ModelFailed: the model was not asked, or did not answer properly.
            MissingExtra: a required package is not installed.
        """
        ...


class Prompt(NamedTuple):
    """What is sent to a responder."""

    system: str
    user: str
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    max_tokens: int


class Reply(NamedTuple):
    """A raw reply."""

    text: str
    tokens_in: int | None = None
    """None if unknown."""
    tokens_out: int | None = None
    money: float | None = None
    """The cost, if the responder reports it."""
    refused: bool = False
    """Whether the model declined to answer."""


class Responder(Protocol):
    """Replies to one prompt: a vendor's server, a local one, or an agent's program. It knows no caps or retries."""

    @property
    def is_local(self) -> bool:
        """Whether nothing that is sent to it leaves this machine."""
        ...

    @property
    def overhead(self) -> int:
        """How many tokens may be sent in addition to the prompt."""
        ...

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return the cost of tokens; None if unknown."""
        ...

    def respond(self, prompt: Prompt, seconds: float) -> Reply:
        """Return the reply, within this many seconds. Raises: ModelFailed, MissingExtra."""
        ...
