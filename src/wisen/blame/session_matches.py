"""Which sessions use what the lines of a file name: found once per session, and kept until the session changes."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from wisen.blame.timeline import CallRef, Timeline
from wisen.mining.call_words import calls_in, contains_word, has_call_with

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from wisen.model.call_summary import CalledSession
    from wisen.model.instruction import InstructionLine

    LoadCalls = Callable[[Collection[int]], Iterable[tuple[int, str]]]
    """Returns the encoded calls of sessions, by their numbers."""

_ORDINAL_BITS = 20
"""How many low bits of a stored failed call are its place among those of its session."""


class Matches(Struct, frozen=True):
    """What was found in the sessions that read a file, by their numbers in the index.

    What a file says may be secret: names and words are known by their digests.
    """

    names: dict[str, list[int]] = field(default_factory=dict)
    """By name, the sessions with a call that has all its words."""
    words: dict[str, list[int]] = field(default_factory=dict)
    """By word, the failed calls that have it."""


class Wanted(NamedTuple):
    """What is looked for in calls."""

    names: frozenset[str]
    words: frozenset[str]


def wanted_by(lines: Iterable[InstructionLine]) -> Wanted:
    """Return what has to be found to judge these lines."""
    names: set[str] = set()
    words: set[str] = set()
    for line in lines:
        names.update(line.words, line.against)
        if line.rule and not line.since_known:
            words.update(word for name in line.words for word in name.split() if len(word) > 1)
    return Wanted(frozenset(names), frozenset(words))


def update_matches(
    before: Matches, wanted: Wanted, sessions: Sequence[CalledSession], known: Collection[int], load_calls: LoadCalls
) -> Matches:
    """Return the matches in these sessions; `known`: those in which the matches `before` were found, and still are.

    Only the other sessions are searched, and all of them for what was not looked for before.
    """
    numbers = {session.session for session in sessions}
    kept = numbers.intersection(known)
    names = {name: _filter(before.names.get(_key(name)), kept) for name in wanted.names}
    words = {word: _filter(before.words.get(_key(word)), kept, _ORDINAL_BITS) for word in wanted.words}
    new_names = [name for name in wanted.names if _key(name) not in before.names]
    new_words = [word for word in wanted.words if _key(word) not in before.words]
    searched = numbers if new_names or new_words else numbers - kept
    if searched:
        failures = {session.session: session.failures for session in sessions if session.session in searched}
        for session, calls in load_calls(searched):
            is_known = session in kept
            for name in new_names if is_known else wanted.names:
                if has_call_with(calls, name.split()):
                    names[name].append(session)
            if failed := failures.get(session):
                distinct = calls_in(calls)
                for word in new_words if is_known else wanted.words:
                    words[word].extend(
                        session << _ORDINAL_BITS | ordinal
                        for ordinal, each in enumerate(failed)
                        if contains_word(distinct[each.place], word)
                    )
    return Matches(
        {_key(name): each for name, each in names.items()}, {_key(word): each for word, each in words.items()}
    )


def _filter(found: Iterable[int] | None, sessions: Collection[int], shift: int = 0) -> list[int]:
    return [each for each in found or () if each >> shift in sessions]


def _key(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def build_timeline(sessions: Sequence[CalledSession], matches: Matches) -> Timeline:
    """Build the timeline of sessions, which are sorted by their start, with what was found in them."""
    positions = {session.session: position for position, session in enumerate(sessions)}

    def with_name(name: str) -> Iterable[int]:
        return (positions[each] for each in matches.names[_key(name)] if each in positions)

    def with_word(word: str) -> Iterable[CallRef]:
        ordinals = (1 << _ORDINAL_BITS) - 1
        return (
            CallRef(positions[each >> _ORDINAL_BITS], each & ordinals)
            for each in matches.words[_key(word)]
            if each >> _ORDINAL_BITS in positions
        )

    return Timeline(sessions, with_name, with_word)
