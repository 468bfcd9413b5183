"""The sessions that read an instruction file, in chronological order: what they called, and what failed."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.model.call_summary import CalledSession
    from wisen.model.failure import Signature

_CHECK_FAILURES = ("build.",)
"""Key prefixes of failed checks: they come with the work, not with a line."""


class CallRef(NamedTuple):
    """A failed call: which session of the timeline, and which of the failed calls in it."""

    position: int
    ordinal: int


class Timeline:
    """Sessions by their start; a session is named by its position."""

    def __init__(
        self,
        sessions: Sequence[CalledSession],
        with_name: Callable[[str], Iterable[int]],
        with_word: Callable[[str], Iterable[CallRef]],
    ) -> None:
        """`with_name`: the sessions with a call that has all words of a name; `with_word`: failed calls with a word."""
        self.starts = [session.started for session in sessions]
        self._failures = [session.failures for session in sessions]
        self._with_name, self._with_word = with_name, with_word
        self.failing: dict[Signature, list[int]] = defaultdict(list)
        """By signature, the sessions in which it failed; checks are left out."""
        self.failed_calls: Counter[Signature] = Counter()
        only: dict[Signature, list[int]] = defaultdict(list)
        self._any: list[int] = []
        for position, failures in enumerate(self._failures):
            signatures = {each.signature for each in failures if not each.signature.key.startswith(_CHECK_FAILURES)}
            self.failed_calls.update(each.signature for each in failures)
            for signature in signatures:
                self.failing[signature].append(position)
            if signatures:
                self._any.append(position)
            if len(signatures) == 1:
                only[signatures.pop()].append(position)
        self._only: Mapping[Signature, list[int]] = only

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self.starts)

    def span(self, born: datetime, gone: datetime | None) -> range:
        """Return the sessions that began while a line was in the file."""
        first = bisect_left(self.starts, born)
        return range(first, len(self) if gone is None else max(first, bisect_left(self.starts, gone)))

    def count_failing(self, signature: Signature, span: range) -> int:
        """Return in how many sessions of a span something failed in this way."""
        return _count(self.failing[signature], span)

    def count_failing_otherwise(self, signature: Signature, span: range) -> int:
        """Return in how many sessions of a span something failed in any other way."""
        return _count(self._any, span) - _count(self._only.get(signature, ()), span)

    def using(self, words: Collection[str]) -> list[Signature]:
        """Return the failures whose calls, half of them or more, use one of these words, or are of such a program."""
        calls = {call for word in words for call in self._with_word(word)}
        uses = Counter(self._failures[call.position][call.ordinal].signature for call in calls)
        uses.update({each: self.failed_calls[each] for each in self.failing if each.who in words})
        return sorted(
            each for each, many in uses.items() if each in self.failing and 2 * many >= self.failed_calls[each]
        )

    def with_any(self, names: Iterable[str], span: range) -> set[int]:
        """Return the sessions of a span with a call that has all words of one of these names."""
        return {position for name in names for position in self._with_name(name) if position in span}

    def calls_of(self, signature: Signature, span: range) -> Iterator[str]:
        """Yield the ids of the calls of a span that failed in this way, oldest session first."""
        for position in self.failing[signature]:
            if position in span:
                yield from (each.call for each in self._failures[position] if each.signature == signature)


def _count(positions: Sequence[int], span: range) -> int:
    return bisect_left(positions, span.stop) - bisect_left(positions, span.start)
