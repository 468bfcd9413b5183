"""What became of a line of ours: whether it stands, became the person's own, was refused, or must be asked about.

What is missing or reworded counts as the person's act only where nothing else can have done it: in a file that git does
not track, or while HEAD is the one we saw last and the line differs from what HEAD holds. A branch that was switched is
not a refusal.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from wisen.loop.apply.managed import Managed, managed_in


class Fate(StrEnum):
    """What became of a line."""

    STANDS = "stands"
    """As we wrote it, wherever it was moved to."""
    HIS = "his"
    """He worded it otherwise: it is his now, and we leave it alone."""
    REFUSED = "refused"
    """He took it out."""
    UNCLEAR = "unclear"
    """Something else may have done it: ask."""


class Tracked(NamedTuple):
    """What git knows of a file."""

    head_then: str
    """The commit that was checked out when we looked last."""
    head_now: str
    at_head: bytes
    """What the file holds in the commit that is checked out now."""


def fate(id_: str, text: str, now: bytes | None, git: Tracked | None) -> Fate:
    """What became of a line that we wrote; `now` is what the file holds, None where it is gone."""
    stands = _line(now, id_)
    if stands is not None and stands.text == text:
        return Fate.STANDS
    if git is not None and not _is_his_act(id_, stands, git):
        return Fate.UNCLEAR
    return Fate.REFUSED if stands is None else Fate.HIS


def _is_his_act(id_: str, stands: Managed | None, git: Tracked) -> bool:
    if git.head_then != git.head_now:
        return False
    committed = _line(git.at_head, id_)
    if stands is None or committed is None:
        return stands is not committed
    return stands.text != committed.text


def _line(content: bytes | None, id_: str) -> Managed | None:
    return next((each for each in managed_in(content or b"") if each.id == id_), None)
