"""Small deterministic fakes for ports without a store: clock, ids, presence, embedder and executor.

Each fulfills the contract of its port. Ledgers, indexes and models have files of their own.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from wisen.language_models.embedder import Vector
    from wisen.model.presence import Decider

_P = ParamSpec("_P")
_T = TypeVar("_T")


class FixedClock:
    """A clock that stands still until it is changed."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self._now = now.astimezone(UTC)
        self._elapsed = 0.0

    def now(self) -> datetime:
        """Return the moment it was set to."""
        return self._now

    def elapsed(self) -> float:
        """Return the seconds it was advanced by."""
        return self._elapsed

    def set(self, moment: datetime) -> None:
        """Set another moment, also an earlier one: people change their clocks. Elapsed seconds do not change."""
        self._now = moment.astimezone(UTC)

    def advance(self, by: timedelta | float) -> None:
        """Advance the clock by seconds or a timedelta."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        if step < timedelta(0):
            raise ValueError(f"time passes forward, not by {step}; to show an earlier moment, use set")
        self._now += step
        self._elapsed += step.total_seconds()


class FixedPresence:
    """Reports a person or nobody, as configured."""

    def __init__(self, voice: Decider) -> None:
        self._voice = voice

    def detect(self) -> Decider:
        """Return what it was given."""
        return self._voice


class CountingIds:
    """Ids that count up, as long as real ones."""

    def __init__(self) -> None:
        self._given = 0

    def new(self) -> str:
        """Return the next number, zero-padded so that texts sort as numbers do."""
        self._given += 1
        return f"{self._given:026d}"


class HashEmbedder:
    """Vectors from the words of a text: texts that share words are similar, and no model is loaded."""

    def __init__(self, dimensions: int = 256) -> None:
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        """Return the name of the embedding: vectors of different names are never compared."""
        return f"hash-{self._dimensions}"

    def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return one unit vector per text, in order."""
        return tuple(map(self._vector, texts))

    def _vector(self, text: str) -> Vector:
        counts = [0.0] * self._dimensions
        for word, count in Counter(re.findall(r"\w+", text.casefold())).items():
            digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            counts[int.from_bytes(digest, "big") % self._dimensions] += count
        length = math.hypot(*counts)
        if length == 0:
            return (1.0, *counts[1:])
        return tuple(count / length for count in counts)


class InlineExecutor(Executor):
    """An executor that has done the work when `submit` returns."""

    def __init__(self) -> None:
        self._is_shut_down = False

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Run it now. An exception is raised from the future, as with any executor."""
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[_T] = Future()
        with _ExceptionStored(future):
            future.set_result(fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - required by the port
        """Accept no more work; there is none to wait for."""
        self._is_shut_down = True


class _ExceptionStored:
    """Stores an exception in a future; one that ends the program propagates."""

    def __init__(self, future: Future[_T]) -> None:
        self._keep = future.set_exception

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._keep(error)
        return True
