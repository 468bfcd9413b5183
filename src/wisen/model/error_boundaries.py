"""Error boundaries: a failure in one source, session, project or step is recorded, and the rest of the run continues.

Only an unusable store ends a run, because nothing could be stored without it. What is recorded never holds text of a
session: an unexpected error is described by its type and by the line of our code that raised it.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace

from wisen.errors import StoreError, WisenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

_PACKAGE = "wisen"


class BoundaryKind(StrEnum):
    """What a boundary isolates."""

    STEP = "step"
    """A step of the run: if it fails, something is missing for every project."""
    AGENT = "agent"
    PROJECT = "project"
    SESSION = "session"
    SOURCE = "source"
    REQUEST = "request"
    """Something that the user asked for in a chat."""


class IsolatedFailure(Struct, frozen=True):
    """A failure that was caught at a boundary."""

    kind: BoundaryKind
    name: str
    error: str

    def __str__(self) -> str:
        """Return a description for a person."""
        return f"{self.kind.value} {self.name}: {self.error}"


class ErrorBoundaries:
    """Isolates and collects the failures of one run."""

    def __init__(self, on_enter: Callable[[BoundaryKind, str], None] | None = None) -> None:
        """`on_enter` is called inside each boundary before anything else: tests raise from it."""
        self._on_enter = on_enter
        self.failures: list[IsolatedFailure] = []

    def for_new_run(self) -> ErrorBoundaries:
        """Return boundaries for another run, without failures."""
        return ErrorBoundaries(self._on_enter)

    def isolate(self, kind: BoundaryKind, name: str) -> AbstractContextManager[None, bool]:
        """Record any error raised in the block and suppress it, except a StoreError."""
        return cast("AbstractContextManager[None, bool]", self._isolate(kind, name))

    def isolate_step(self, name: str) -> AbstractContextManager[None, bool]:
        """Isolate a step of the run."""
        return self.isolate(BoundaryKind.STEP, name)

    @contextmanager
    def _isolate(self, kind: BoundaryKind, name: str) -> Iterator[None]:
        try:
            if self._on_enter is not None:
                self._on_enter(kind, name)
            yield
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - the one place that isolates failures from the rest of the run
            self.record(kind, name, error)

    def record(self, kind: BoundaryKind, name: str, error: Exception) -> None:
        """Record a failure; an identical one is recorded once."""
        breakdown = IsolatedFailure(kind, name, describe_error(error))
        if breakdown not in self.failures:
            self.failures.append(breakdown)

    def failures_with_project_names(self, projects: Mapping[str, str]) -> tuple[IsolatedFailure, ...]:
        """Return the failures with the names that people use for projects instead of their keys."""
        return tuple(
            replace(each, name=projects.get(each.name, each.name)) if each.kind is BoundaryKind.PROJECT else each
            for each in self.failures
        )


def describe_error(error: Exception) -> str:
    """Describe an error of ours by its message, and any other by its type and the line of our code that raised it."""
    if isinstance(error, WisenError):
        return str(error)
    return f"an error of wisen's own ({type(error).__name__}{_place_of(error)}). Please report it."


def _place_of(error: Exception) -> str:
    place, trace = "", error.__traceback__
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        if module.partition(".")[0] == _PACKAGE and module != __name__:
            place = f" in {module} line {trace.tb_lineno}"
        trace = trace.tb_next
    return place
