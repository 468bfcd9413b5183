"""Protocol for text embedders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


Vector: TypeAlias = "tuple[float, ...]"


class Embedder(Protocol):
    """Computes embedding vectors of texts."""

    @property
    def name(self) -> str:
        """The name of the embedding; vectors of different names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return one unit-length vector per text, in order."""
        ...
