"""The ports of memory: where memories are kept and found by their words, and where other systems keep theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.model.memory import Design, Hit, Memory, Sought, Words
    from wisen.model.notebook import Notebook


class Memories(Protocol):
    """What can be found again. Derived: all of it can be made anew from the logs, the ledger and files."""

    def replace(self, origins: Mapping[str, Sequence[tuple[Memory, Words]]]) -> int:
        """Hold these memories of each origin, and no others of it; with none the origin is forgotten.

        In one transaction. Returns how many origins were not as before.
        """
        ...

    def origins(self, prefix: str) -> frozenset[str]:
        """The origins whose names begin so."""
        ...

    def find(self, sought: Sought, design: Design) -> list[Hit]:
        """The memories that hold one of the words, those whose words match best first, up to the design's depth.

        Contexts that were not asked for are not looked in. Words that stand in very many memories are left out where
        others are found.
        """
        ...

    def around(self, memory: str, reach: int) -> list[Memory]:
        """The memories of the same origin up to so many turns before and behind one, in order; by the one's id."""
        ...

    def every(self) -> Iterator[Memory]:
        """All memories, each with what stands around it."""
        ...

    def count(self) -> dict[str, int]:
        """How many memories there are of each kind."""
        ...

    def contexts(self) -> dict[str, int]:
        """How many memories there are in each context."""
        ...


class Notebooks(Protocol):
    """What other systems remember, in files of theirs. They are only read."""

    def notebooks(self, contexts: Mapping[str, str]) -> Iterator[Notebook]:
        """Every notebook that can be read; `contexts` gives the context of each directory that sessions worked in.

        One whose context cannot be told is left out.
        """
        ...
