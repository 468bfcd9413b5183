"""Remembers which proposals were shown with which numbers: a number refers to the list that the person saw.

Kept in `shown.json` of the home: the ids of the lists by viewer (a terminal), and no text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.errors import FileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wisen.system.machine_ports import Files

_FILE = "shown.json"
_MAX_LISTS = 20
"""How many lists are remembered."""
_ASK = "wisen proposals shows what waits, with ids that stay the same"


class ShownList(msgspec.Struct, frozen=True):
    """A list of proposals as it was shown."""

    viewer: str
    """The terminal in which it was shown."""
    ids: tuple[str, ...]


def remember_list(files: Files, home: Path, viewer: str, ids: Sequence[str]) -> None:
    """Remember a list that was shown; if that cannot be written, numbers refer to an older list."""
    try:
        seen = files.read(home / _FILE)
        lists = [each for each in _lists(seen.content) if each.viewer != viewer]
        content = msgspec.json.encode([*lists, ShownList(viewer, tuple(ids))][-_MAX_LISTS:])
        if content != seen.content:
            files.write(seen, content)
    except FileError:
        return


def id_of_number(files: Files, home: Path, viewer: str, number: int, waiting: Sequence[str]) -> str:
    """Return the id that a number refers to: in the list that this viewer saw last, else in the last one shown at all.

    If none was ever shown, 1 is the only one that waits. Raises: UsageError.
    """
    try:
        lists = _lists(files.read(home / _FILE).content)
    except FileError:
        lists = []
    candidates = [each for each in lists if each.viewer == viewer] or lists
    if not candidates and number == 1 and len(waiting) == 1:
        return waiting[0]
    if not candidates:
        raise UsageError(
            f"No list of proposals was shown yet, so {number} is unknown. Run wisen proposals first, or use an id."
        )
    ids = candidates[-1].ids
    if not 1 <= number <= len(ids):
        many = f"{len(ids)} proposals" if len(ids) != 1 else "1 proposal"
        raise UsageError(f"The list that was shown last has {many}, and no number {number}. {_ASK}.")
    return ids[number - 1]


def _lists(content: bytes | None) -> list[ShownList]:
    try:
        return msgspec.json.decode(content or b"[]", type=list[ShownList])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []
