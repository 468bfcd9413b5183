"""A regular expression that is compiled when it is used first: there are 600, and a command uses few of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import AnyStr


class _LazyRegex:
    """Stands for a compiled pattern, and keeps each method of it that was asked for: the next call costs nothing."""

    def __init__(self, source: str | bytes | Callable[[], str | bytes], flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what `copy` and the like ask of every object
            raise AttributeError(name)
        source = self._source() if callable(self._source) else self._source
        value = getattr(re.compile(source, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_regex(source: AnyStr | Callable[[], AnyStr], flags: int = 0) -> Pattern[AnyStr]:
    """Return what behaves like `re.compile(source, flags)`, except as an argument of functions of `re`.

    `source`: a pattern, or a function that builds one where that takes time.
    """
    return cast("Pattern[AnyStr]", _LazyRegex(source, flags))
