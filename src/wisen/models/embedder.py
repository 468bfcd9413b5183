"""The port of whoever turns meaning into numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence


Vector: TypeAlias = "tuple[float, ...]"


class Embedder(Protocol):
    """Meaning as numbers."""

    @property
    def name(self) -> str:
        """Vectors of different names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector of unit length a text, in order."""
        ...
