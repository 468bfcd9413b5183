"""What was done to the files of this machine so far, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits import deeds
from wisen.edits.fates import fates, was_made
from wisen.errors import FileError
from wisen.model.change import Fate, Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.change import Change, Look, Seen
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Checkouts, Clock, Files, Ids


_INNER = ".claude"
"""Below a project's folder, where instruction files may lie as well."""


class Desk(NamedTuple):
    """What files are edited with."""

    files: Files
    checkouts: Checkouts
    ledger: Ledger
    clock: Clock
    ids: Ids
    machine: str


@dataclass(frozen=True)
class Past:
    """Every change of this machine's files, oldest first, and what became of each."""

    changes: tuple[Change, ...]
    fates: dict[str, Fate]
    looks: dict[str, Look]
    """The last look at each change."""
    real: dict[str, str]
    """Where the file of each path is now: two names may lead to one file."""

    def made(self, file: str) -> list[Change]:
        """The changes that were made to a file, those that took others back among them."""
        return [
            each for each in self.changes if self.real[each.path] == file and self.fates[each.id] is not Fate.NOT_MADE
        ]

    def standing(self) -> Iterator[Change]:
        """The open changes that stand by themselves: no later one was made in their place."""
        files: dict[str, list[Change]] = {}
        for each in self.open():
            files.setdefault(self.real[each.path], []).append(each)
        for made in files.values():
            for at, each in enumerate(made):
                if not any(each.deed and by.deed and deeds.replaces(by.deed, each.deed) for by in made[at + 1 :]):
                    yield each

    def open(self, file: str | None = None) -> Iterator[Change]:
        """The changes, to one file or to all, that were neither taken back nor made room for others."""
        over = (Fate.NOT_MADE, Fate.UNDONE, Fate.ARCHIVED)
        for each in self.changes:
            if each.deed is not None and self.fates[each.id] not in over and file in (None, self.real[each.path]):
                yield each


def past(desk: Desk) -> Past:
    """What the ledger knows. After a crash in the midst of a change the file itself tells whether it was made."""
    changes = desk.ledger.changes.of(machine=desk.machine)
    looks = {look.change: look for look in desk.ledger.changes.looks(machine=desk.machine)}
    by_id = {each.id: each for each in changes}
    found = fates(changes, looks.values(), [each.id for each in changes if _lost(desk, each, looks, by_id)])
    return Past(changes, found, looks, {path: desk.files.real_path(Path(path)) for path in {c.path for c in changes}})


def whereabouts(desk: Desk, change: Change, known: Past) -> Seen:
    """The file that a change stands in: its own, or the one that a person moved our line to. Raises: FileError."""
    own = desk.files.read(Path(change.path))
    if not isinstance(change.deed, Line) or deeds.stands(change.deed, own.content) is not None:
        return own
    look = known.looks.get(change.id)
    elsewhere = [each.path for each in known.changes] + [str(each) for each in desk.files.siblings(Path(own.path))]
    folder, name = Path(own.path).parent, Path(own.path).name
    elsewhere.append(str(folder.parent / name if folder.name == _INNER else folder / _INNER / name))
    for path in dict.fromkeys((look.path, *elsewhere) if look is not None else elsewhere):
        try:
            seen = desk.files.read(Path(path))
        except FileError:
            continue
        if seen.real != own.real and deeds.stands(change.deed, seen.content) is not None:
            return seen
    return own


def _lost(desk: Desk, change: Change, looks: dict[str, Look], by_id: dict[str, Change]) -> bool:
    """Whether a change was recorded and never made."""
    if change.id in looks:
        return looks[change.id].fate is Fate.NOT_MADE
    try:
        now = desk.files.read(Path(change.path)).content
    except FileError:
        return False
    return not was_made(change, now, by_id.get(change.undoes))
