"""Finds a project by what users call it: its path, the address of its repository, or the last part of either."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.context import Alias, Context

_MAX_SUGGESTIONS = 5


def project_places(
    name_or_path: str, path: str, contexts: Iterable[Context], aliases: Iterable[Alias]
) -> tuple[str, ...]:
    """Return the directories of every project with a name; `path` is the name taken as a directory of this machine.

    A project that was not seen in any directory of this machine yields none.
    """
    aliases = tuple(aliases)
    by_path = [each.path for each in aliases if PurePath(each.path).is_relative_to(path)]
    if by_path:
        return tuple(dict.fromkeys(by_path))
    above = [each.path for each in aliases if PurePath(path).is_relative_to(each.path)]
    if above:
        return (max(above, key=len),)
    by_key = {each.key: each for each in contexts}
    name = name_or_path.strip().strip("/").casefold()
    matches = (each.path for each in aliases if name in _names_of(by_key.get(each.context), each.path))
    return tuple(dict.fromkeys(matches))


def nearest_projects(wanted: str, contexts: Iterable[Context], aliases: Iterable[Alias]) -> tuple[str, ...]:
    """Return the names closest in spelling, or the first ones if none is close."""
    by_short_name: dict[str, str] = {}
    for name in (*(each.name for each in contexts), *(each.path for each in aliases)):
        by_short_name.setdefault(_last_part(name), name)
    closest = get_close_matches(wanted.casefold(), [*by_short_name], n=_MAX_SUGGESTIONS, cutoff=0.4) or _first_names(
        sorted(by_short_name)
    )
    return tuple(
        f"{name} ({by_short_name[name]})" if by_short_name[name].casefold() != name else name for name in closest
    )


def _first_names(names: Sequence[str]) -> list[str]:
    return list(names[:_MAX_SUGGESTIONS])


def _names_of(context: Context | None, path: str) -> set[str]:
    """Return all names of a project: its key, its name, each suffix of its name, and the last part of its path."""
    names = {_last_part(path)}
    if context is not None:
        parts = context.name.casefold().split("/")
        names |= {context.key.casefold(), *("/".join(parts[at:]).strip("/") for at in range(len(parts)))}
    return names


def _last_part(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2].casefold()
