"""What a typed turn has in common with other turns, and with what calls and their output named, as named numbers.

Nothing else about a turn takes so long to tell, so the model asks for it only where it can make a difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.domain.signals import Heard

COMPARED = ("asked before", "like before", "asked again later", "names a call", "names the failure")
"""The features that are told here; each is 1.0 or absent."""
CALLS = 8
"""How many calls are looked at."""
_WORDS, _LONG = 40, 6
"""How many words of a turn are looked at, and how long one must be to be looked for elsewhere."""
_EARLIER, _TURN, _CALL, _OUTPUT = 3, 200, 120, 600
"""How many earlier turns are looked at, and how much of a turn, a call and an output."""
_LIKE, _SAME, _TOO_FEW = 0.3, 0.7, 0.25
"""From which likeness on a text is like another, and much the same; with fewer of its words in common it is not."""
_SHORTEST, _LONGEST, _FEW = 0.1, 10.0, 3
"""A text so much shorter or longer than another cannot be like it; one of so few words only when it is the same."""


def compare(heard: Heard, folded: str) -> dict[str, float]:
    """The features of a turn that come from comparing it; `folded` is what is looked at of its text, folded."""
    values: dict[str, float] = {}
    if heard.earlier or heard.later:
        text = heard.text[: len(folded)]
        ours = frozenset(_words(text))
        likeness = _likeness(text, ours, heard.earlier[:_EARLIER])
        if likeness >= _LIKE:
            values["asked before" if likeness >= _SAME else "like before"] = 1.0
        if heard.later and _likeness(text, ours, heard.later[:1]) >= _LIKE:
            values["asked again later"] = 1.0
    if heard.calls or heard.failed:
        words = [word for word in folded.split(None, _WORDS)[:_WORDS] if len(word) >= _LONG]
        if _stands_in("\n".join([call[:_CALL] for call in heard.calls[:CALLS]]), words):
            values["names a call"] = 1.0
        if _stands_in(heard.failed[:_OUTPUT], words):
            values["names the failure"] = 1.0
    return values


def _words(text: str) -> list[str]:
    return text[:_TURN].casefold().split()


def _likeness(text: str, ours: frozenset[str], others: tuple[str, ...]) -> float:
    """How many of the words of both are in both, for the likest; 0.0 where it is clear at once that they are too few."""
    many, size, likeness = len(ours), len(text) + 1, 0.0
    if many < _FEW:
        return 1.0 if text and text in others else 0.0
    for other in others:
        if _SHORTEST < size / (len(other) + 1) < _LONGEST:
            theirs = _words(other)
            both = len(ours.intersection(theirs))
            if both >= _TOO_FEW * many and (different := len(set(theirs))) >= _FEW:
                likeness = max(likeness, both / (many + different - both))
    return likeness


def _stands_in(other: str, words: list[str]) -> bool:
    """Whether one of the words stands in another text."""
    return bool(other) and any(map(other.casefold().__contains__, words))
