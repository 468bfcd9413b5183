"""The names of other projects, which a skill of one project must not mention."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.context import Context

_MIN_LENGTH = 5
"""A shorter name is too likely to be a word: api, web, docs."""
_ORDINARY = frozenset("tests build server client backend frontend scripts tools public source project projects".split())


def names_of_others(contexts: Iterable[Context], places: Sequence[tuple[str, str]], own: str) -> set[str]:
    """Return the names of all projects but one, in lower case; `places` are directories with their contexts."""
    every = tuple(contexts)
    mine = {each for context in every if context.key == own for each in context.name.casefold().split("/")}
    mine |= {part for path, key in places if key == own for part in PurePath(path.casefold()).parts}
    names = {context.name.casefold().rpartition("/")[2].partition("#")[0] for context in every if context.key != own}
    names |= {PurePath(path).name.casefold() for path, key in places if key != own}
    return {name for name in names - mine - _ORDINARY if len(name) >= _MIN_LENGTH}
