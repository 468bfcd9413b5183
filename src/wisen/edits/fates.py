"""What became of a change of ours: whether it stands, became the person's own, was refused, or must be asked about.

What is missing or reworded is the person's act in a file that git does not track, in the working tree, and where
commits on the branch made it so. A switch to another branch or commit, a reset, and a rebase may have done it by
themselves: what a file lacks only since then is asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.edits import deeds
from wisen.edits.managed import is_unmarked
from wisen.errors import SettingsUnclear
from wisen.model.change import Fate, HeadStepKind, Line, digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.change import Change, Checkout, Deed, HeadStep, Look


class FoundFate(NamedTuple):
    """What became of a deed, and in whose words it stands where it is his now."""

    fate: Fate
    words: str = ""


def fate(deed: Deed, now: bytes | None, git: Checkout | None, steps: Sequence[HeadStep] | None) -> FoundFate:
    """What became of a deed; `now` is what the file holds, `git` what git knows of it.

    `steps`: how HEAD moved since we last looked; None where that cannot be told.

    Raises:
        SettingsUnclear: the file cannot be read just now.
    """
    there, ours = deeds.stands(deed, now), deeds.ours(deed)
    if there == ours:
        return FoundFate(Fate.STANDS)
    if there is None and isinstance(deed, Line) and is_unmarked(deed.text, now or b""):
        return FoundFate(Fate.HIS, deed.text)  # they took the mark off, and kept the words
    if git is not None and there == deeds.stands(deed, git.content) and not _was_committed(deed, steps):
        return FoundFate(Fate.UNCLEAR, there or "")
    if there is None or (isinstance(deed, Line) and _is_struck_out(there)):
        return FoundFate(Fate.REFUSED)
    return FoundFate(Fate.HIS, there)


def _was_committed(deed: Deed, steps: Sequence[HeadStep] | None) -> bool:
    """Whether a person's act made what HEAD holds: a commit on this branch did, or nothing else can have done it."""
    if steps is None:
        return False
    by_commit, is_elsewhere = False, False
    for step in steps:
        if step.kind is not HeadStepKind.FORWARD:
            is_elsewhere = True
            by_commit = by_commit and step.kind is HeadStepKind.REWRITTEN
            continue
        before, after = deeds.stands(deed, step.before), deeds.stands(deed, step.after)
        by_commit = after != deeds.ours(deed) and (by_commit or before != after)
    return by_commit or not is_elsewhere


def _is_struck_out(text: str) -> bool:
    """Whether nothing is left of a line: it is empty, struck through, or made a comment."""
    bare = text.strip()
    return not bare or bare.startswith("<!--") or (bare.startswith("~~") and bare.rstrip(".").endswith("~~"))


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
