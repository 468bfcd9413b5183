"""What a file holds when one of our changes is taken back: as if it had never been made, as far as that can be told."""

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
    """How a change was taken back."""

    EXACTLY = "exactly"
    """The file holds what it held before, byte for byte."""
    ALONE = "alone"
    """Only what we put in went; what others wrote since stays."""
    ALREADY = "already"
    """There was nothing left of it."""


class Undoing(NamedTuple):
    """A change that is taken back: how, and what the file held and holds."""

    change: Change
    how: Undone
    held: bytes | None
    holds: bytes | None


def undone(change: Change, content: bytes | None, made: Sequence[Change]) -> Undoing:
    """A change taken back from what a file holds; `made` is all that was done to that file, oldest first.

    Nothing was, where a person moved our line there from another file.

    Raises:
        UsageError: it cannot be told what is left of it: a person has to look.
    """
    if content is None or digest(content) == change.before:
        return Undoing(change, Undone.ALREADY, content, content)
    over = any(each.id > change.id > each.undoes > "" for each in made)
    if digest(content) == change.after and not over:  # else what it held before holds what was taken back since
        old = applied(content, inverse(change.splices))
        return Undoing(change, Undone.EXACTLY, content, old if change.before else None)
    try:
        left = _as_if_never(change, content, made)
    except _TouchedError:
        left = _taken_off(change, content, made)
        if not left and made and not made[0].before:
            left = None  # a file that we made goes when nothing is left in it
    return Undoing(change, Undone.ALREADY if left == content else Undone.ALONE, content, left)


class _TouchedError(Exception):
    """Somebody else touched the file since."""


def _open(made: Sequence[Change]) -> list[Change]:
    """The changes that were not taken back."""
    back = {each.undoes for each in made}
    return [each for each in made if each.deed is not None and each.id not in back]


def _as_if_never(change: Change, content: bytes, made: Sequence[Change]) -> bytes | None:
    """The file before the first of our changes that nobody came between, with all of them but one made again.

    So it does not matter in which order changes are taken back. Raises: _TouchedError.
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
            if deeds.stands(deed, base) != deeds.ours(deed):  # what is to be taken out may not be there any more
                raise _TouchedError from None
    return base


def _chain(content: bytes, made: Sequence[Change]) -> list[Change]:
    """The newest changes that followed each other with nobody between them, oldest first."""
    chain: list[Change] = []
    now = digest(content)
    for each in reversed(made):
        if each.after != now:
            break
        chain.insert(0, each)
        now = each.before
    # Taking back what was made before the chain cannot be made again: it begins behind the last that did so.
    begins, at = 0, {each.id: number for number, each in enumerate(chain)}
    while (cut := max((at[each.id] for each in chain[begins:] if _back(each, at) < begins), default=-1)) >= begins:
        begins = cut + 1
    return chain[begins:]


def _back(change: Change, at: dict[str, int]) -> int:
    """Which place in a chain a change takes back; its own where it takes none back."""
    return at.get(change.undoes, -1) if change.undoes else at[change.id]


def _bare(deed: Deed) -> Deed:
    """A deed without what was put around it: in another file, that is the person's own."""
    return structs.replace(deed, opening=b"", closing=b"") if isinstance(deed, Line) else deed


def _taken_off(change: Change, content: bytes, made: Sequence[Change]) -> bytes:
    """A file that others touched, without a change of ours."""
    if change.deed is None:
        raise UsageError(f"{change.id} took another change back; that cannot be taken back in turn.")
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
            f"{change.path} was changed since, and what is left of {change.id} cannot be taken out ({error}). "
            "Look at the file."
        ) from error
