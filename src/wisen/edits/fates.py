"""Determines what became of a change of ours: still in effect, taken over by the user, rejected, or unclear.

What is missing or reworded is the user's act in a file that git does not track, in the working tree, and if commits on
the branch made it so. A switch to another branch or commit, a reset, and a rebase may have done it on their own: if a
file lacks something only since then, the user is asked.
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
    """What became of an operation, and the text in its place if that is the user's now."""

    fate: Fate
    words: str = ""


def fate(deed: Deed, now: bytes | None, git: Checkout | None, steps: Sequence[HeadStep] | None) -> FoundFate:
    """Determine what became of an operation; `now` is the file's content, `git` what git knows about it.

    `steps`: how HEAD moved since the last look; None if that is unknown.

    Raises:
        SettingsUnclear: the file cannot be parsed now.
    """
    there, ours = deeds.stands(deed, now), deeds.ours(deed)
    if there == ours:
        return FoundFate(Fate.STANDS)
    if there is None and isinstance(deed, Line) and is_unmarked(deed.text, now or b""):
        return FoundFate(Fate.HIS, deed.text)  # they removed the marker, and kept the text
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
    """Whether nothing is left of a line: it is empty, struck through, or commented out."""
    bare = text.strip()
    return not bare or bare.startswith("<!--") or (bare.startswith("~~") and bare.rstrip(".").endswith("~~"))


def was_made(change: Change, now: bytes | None, target: Change | None) -> bool:
    """Whether a change that was only recorded was made; `target` is the change that it undoes, if any.

    This is only needed after a crash or an error in the middle of a change.
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
    """Return what became of each change, by the last look at it; `lost` are those that were never made."""
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
