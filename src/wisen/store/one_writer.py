"""A decorator that holds the lock of the home while a service method runs: one writer at a time."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.home import Home

    class _AtHome(Protocol):
        @property
        def _home(self) -> Home: ...


_Of = TypeVar("_Of", bound="_AtHome")
_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")


def one_writer(
    work: str,
) -> Callable[[Callable[Concatenate[_Of, _Given], _Returned]], Callable[Concatenate[_Of, _Given], _Returned]]:
    """Wait for other writers of the same home, then keep them out; with `dry_run` nothing is written or locked."""

    def wrapped(method: Callable[Concatenate[_Of, _Given], _Returned]) -> Callable[Concatenate[_Of, _Given], _Returned]:
        @wraps(method)
        def held(self: _Of, /, *given: _Given.args, **named: _Given.kwargs) -> _Returned:
            if named.get("dry_run"):
                return method(self, *given, **named)
            with self._home.lock.hold(work):
                return method(self, *given, **named)

        return held

    return wrapped
