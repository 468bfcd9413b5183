"""What became of a change of ours: whether it stands, became the person's own, was refused, or must be asked about.

What is missing or reworded counts as the person's act only where nothing else can have done it: in a file that git does
not track, or while HEAD is the one we saw last and the place differs from what HEAD holds. A branch that was switched
is not a refusal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.domain.changes import Fate, Line, digest
from wisen.errors import SettingsUnclear
from wisen.loop.apply import deeds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.domain.changes import Change, Checkout, Deed, Look


class Found(NamedTuple):
    """What became of a deed, and in whose words it stands where it is his now."""

    fate: Fate
    words: str = ""


def fate(deed: Deed, now: bytes | None, then: str, git: Checkout | None) -> Found:
    """What became of a deed; `now` is what the file holds, `then` the HEAD that we saw last, `git` what git knows.

    Raises:
        SettingsUnclear: the file cannot be read just now.
    """
    there = deeds.stands(deed, now)
    if there == deeds.ours(deed):
        return Found(Fate.STANDS)
    if git is not None and (then != git.head or there == deeds.stands(deed, git.content)):
        return Found(Fate.UNCLEAR)
    return Found(Fate.REFUSED) if there is None else Found(Fate.HIS, there)


def was_made(change: Change, now: bytes | None, target: Change | None) -> bool:
    """Whether a change that was only recorded came into its file; `target` is the one that it takes back, if it does.

    That is only asked after a crash or an error in the midst of it.
    """
    if digest(now) in (change.before, change.after):
        return digest(now) == change.after
    try:
        if change.deed is not None:
            return deeds.stands(change.deed, now) == deeds.ours(change.deed)
        return target is None or target.deed is None or deeds.stands(target.deed, now) != deeds.ours(target.deed)
    except SettingsUnclear:
        return False


def fates(changes: Sequence[Change], looks: Iterable[Look], lost: Collection[str]) -> dict[str, Fate]:
    """What became of each change, going by the last look at it; `lost` are those that were never made."""
    found = {each.id: Fate.STANDS for each in changes} | {look.change: look.fate for look in looks}
    found |= dict.fromkeys(lost, Fate.NOT_MADE)
    made = [each for each in changes if found[each.id] is not Fate.NOT_MADE]
    found |= {each.undoes: Fate.UNDONE for each in made if each.undoes}
    roomy = [
        (each, (*each.deed.archived, each.deed.instead_of))
        for each in made
        if isinstance(each.deed, Line) and (each.deed.archived or each.deed.instead_of)
    ]
    for each in made:
        line = each.deed.id if isinstance(each.deed, Line) else None
        if found[each.id] is not Fate.UNDONE and any(
            line in archived and by.path == each.path and by.id > each.id and found[by.id] is not Fate.UNDONE
            for by, archived in roomy
        ):
            found[each.id] = Fate.ARCHIVED
    return found
