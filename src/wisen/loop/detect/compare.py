"""What a typed turn has in common with what the user typed before and next, as named numbers.

Nothing else about a turn takes so long to tell, so the model asks for it only where it can make a difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.domain.signals import Heard

COMPARED = ("asked before", "like before", "asked again later")
"""The features that are told here; each is 1.0 or absent."""
_EARLIER, _TURN = 3, 200
"""How many earlier turns are looked at, and how much of a turn."""
_LIKE, _SAME, _TOO_FEW = 0.3, 0.7, 0.25
"""From which likeness on a text is like another, and much the same; with fewer of its words in common it is not."""
_SHORTEST, _LONGEST, _FEW = 0.1, 10.0, 3
"""A text so much shorter or longer than another cannot be like it; one of so few words only when it is the same."""


def compare(heard: Heard, text: str) -> dict[str, float]:
    """The features of a turn that come from comparing it; `text` is what is looked at of it."""
    values: dict[str, float] = {}
    if heard.earlier or heard.later:
        ours = frozenset(_words(text))
        likeness = _likeness(text, ours, heard.earlier[:_EARLIER])
        if likeness >= _LIKE:
            values["asked before" if likeness >= _SAME else "like before"] = 1.0
        if heard.later and _likeness(text, ours, heard.later[:1]) >= _LIKE:
            values["asked again later"] = 1.0
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
