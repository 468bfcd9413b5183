"""Short ids for people: a few letters, stable wherever something is shown, that nobody types by accident."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LETTERS = "bcdfghjkmnpqrstvwxz"
"""No vowels, so that no word is an id; no letter that looks like a digit."""
_MIN_LENGTH, _MAX_LENGTH = 4, 12


def short_id(id_: str, length: int = _MIN_LENGTH) -> str:
    """Return the short form of an id."""
    number = int.from_bytes(blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    letters = ""
    for _ in range(length):
        number, at = divmod(number, len(_LETTERS))
        letters += _LETTERS[at]
    return letters


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """Map ids to short ids. On a collision the later id gets one more letter, so that existing ones never change."""
    short: dict[str, str] = {}
    taken: set[str] = set()
    for id_ in sorted(set(ids)):
        length = next(
            each
            for each in range(_MIN_LENGTH, _MAX_LENGTH + 1)
            if short_id(id_, each) not in taken or each == _MAX_LENGTH
        )
        short[id_] = short_id(id_, length)
        taken.add(short[id_])
    return short
