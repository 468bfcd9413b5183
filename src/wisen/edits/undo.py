"""Computes a file's content after undoing one of our changes: as if it had never been made, as far as possible."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.edits import deeds
from wisen.edits.splices import applied, inverse
from wisen.errors import SettingsUnclear, UsageError
from wisen.model.change import Line, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.change import Change, Deed


class Undone(StrEnum):
    """How a change was undone."""

    EXACTLY = "exactly"
    """The file is as it was before, byte for byte."""
    ALONE = "alone"
    """Only what we added was removed; what others wrote since stays."""
    ALREADY = "already"
    """There was nothing left of it."""


class Undoing(NamedTuple):
    """An undone change: how, and the file's content before and after the undo."""

    change: Change
    how: Undone
    held: bytes | None
    holds: bytes | None


def undone(change: Change, content: bytes | None, made: Sequence[Change]) -> Undoing:
    """Undo a change in a file's content; `made` are all changes to that file, oldest first.

    It is empty if the user moved our line there from another file.

    Raises:
        UsageError: it is unclear what is left of it: the user has to look.
    """
    if content is None or digest(content) == change.before:
        return Undoing(change, Undone.ALREADY, content, content)
    over = any(each.id > change.id > each.undoes > "" for each in made)
    if digest(content) == change.after and not over:  # else the old content has what was undone since
        old = applied(content, inverse(change.splices))
        return Undoing(change, Undone.EXACTLY, content, old if change.before else None)
    try:
        left = _as_if_never(change, content, made)
    except _TouchedError:
        left = _taken_off(change, content, made)
        if not left and made and not made[0].before:
            left = None  # a file that we created is deleted when nothing is left in it
    return Undoing(change, Undone.ALREADY if left == content else Undone.ALONE, content, left)


class _TouchedError(Exception):
    """Somebody else touched the file since."""


def _open(made: Sequence[Change]) -> list[Change]:
    """Return the changes that were not undone."""
    back = {each.undoes for each in made}
    return [each for each in made if each.deed is not None and each.id not in back]


def _as_if_never(change: Change, content: bytes, made: Sequence[Change]) -> bytes | None:
    """Go back to before the first of our changes that nobody came between, and reapply all of them but one.

    So it does not matter in which order changes are undone. Raises: _TouchedError.
    """
    chain = _chain(content, made)
    if change not in chain:
        raise _TouchedError
    base: bytes | None = content
    for each in reversed(chain):
        base = applied(base or b"", inverse(each.splices)) if each.before else None
    stays = [each.deed for each in _open(chain) if each.deed is not None and each is not change]
    for deed in stays:
        try:
            base = deeds.again(deed, base or b"")
        except (ValueError, SettingsUnclear):
            if deeds.stands(deed, base) != deeds.ours(deed):  # what is to be removed may no longer be there
                raise _TouchedError from None
    return base


def _chain(content: bytes, made: Sequence[Change]) -> list[Change]:
    """Return the newest changes that followed each other with nobody between them, oldest first."""
    chain: list[Change] = []
    now = digest(content)
    for each in reversed(made):
        if each.after != now:
            break
        chain.insert(0, each)
        now = each.before
    # An undo of something made before the chain cannot be reapplied: the chain begins after the last such undo.
    begins, at = 0, {each.id: number for number, each in enumerate(chain)}
    while (cut := max((at[each.id] for each in chain[begins:] if _back(each, at) < begins), default=-1)) >= begins:
        begins = cut + 1
    return chain[begins:]


def _back(change: Change, at: dict[str, int]) -> int:
    """Return the position in a chain that a change undoes; its own if it undoes none."""
    return at.get(change.undoes, -1) if change.undoes else at[change.id]


def _bare(deed: Deed) -> Deed:
    """Return an operation without its frame: in another file, that is the user's own."""
    return structs.replace(deed, opening=b"", closing=b"") if isinstance(deed, Line) else deed


def _taken_off(change: Change, content: bytes, made: Sequence[Change]) -> bytes:
    """Remove a change of ours from a file that others touched."""
    if change.deed is None:
        raise UsageError(f"{change.id} undid another change; an undo cannot be undone.")
    open_ = _open(made)
    deed = change.deed if made else _bare(change.deed)
    for each in reversed(made):
        if each.id < change.id and each.deed is not None and each not in open_:
            deed = deeds.rebased(deed, each.deed)
    others = [each.deed for each in open_ if each.deed is not None and each.id < change.id]
    try:
        return deeds.off(deed, content, others)
    except (ValueError, SettingsUnclear) as error:
        raise UsageError(
            f"{change.path} was changed since, and what is left of {change.id} cannot be removed ({error}). "
            "Look at the file."
        ) from error
