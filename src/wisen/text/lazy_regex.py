"""A regular expression that is compiled when it is used first: there are 600, and a command uses few of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from re import Pattern
    from typing import AnyStr


class _LazyRegex:
    """Stands for a compiled pattern, and keeps each method of it that was asked for: the next call costs nothing."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what `copy` and the like ask of every object
            raise AttributeError(name)
        value = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_regex(source: AnyStr, flags: int = 0) -> Pattern[AnyStr]:
    """Return what behaves like `re.compile(source, flags)`, except as an argument of functions of `re`."""
    return cast("Pattern[AnyStr]", _LazyRegex(source, flags))
