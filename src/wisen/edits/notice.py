"""Detects what users did to our additions in their files: an edit makes a line theirs, removing it rejects it."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.edits import deeds
from wisen.edits.edit import chosen, look_at
from wisen.edits.fates import FoundFate, fate
from wisen.edits.past import past, whereabouts
from wisen.errors import FileError, SettingsUnclear
from wisen.model.change import Fate
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.edits.past import Desk, Past
    from wisen.model.change import Change, Deed, Look, Seen
    from wisen.system.machine_ports import Files

_UNDER_WAY = timedelta(minutes=1)
"""How long another process may take between recording a change and making it."""
_HIS_WORD = (Fate.HIS, Fate.REFUSED)


def notice(desk: Desk) -> tuple[Look, ...]:
    """Check everything that is in files because of us, and record what became of it; returns what is new."""
    known = past(desk)
    desk = desk._replace(files=_EachOnce(desk.files))
    new = [*_settled(desk, known), *_noticed(desk, known)]
    for look in new:
        desk.ledger.changes.add_look(look)
    return tuple(new)


def refuse(desk: Desk, id_: str) -> Change:
    """Record that the user removed something on purpose. Raises: UsageError."""
    known = past(desk)
    change = chosen(known.changes, id_)
    checkout = desk.checkouts.checkout_of(whereabouts(desk, change, known).real)
    desk.ledger.changes.add_look(look_at(desk, change, Fate.REFUSED, change.path, checkout.head if checkout else ""))
    return change


def _settled(desk: Desk, known: Past) -> Iterator[Look]:
    """Yield final verdicts on changes whose process was killed or failed: whether they were made."""
    for change in known.changes:
        if change.id not in known.looks and desk.clock.now() - change.at > _UNDER_WAY:
            lost = known.fates[change.id] is Fate.NOT_MADE
            yield look_at(desk, change, Fate.NOT_MADE if lost else Fate.STANDS, change.path, change.head)


def _noticed(desk: Desk, known: Past) -> Iterator[Look]:
    checkout, steps = cache(desk.checkouts.checkout_of), cache(desk.checkouts.head_steps)
    for change in known.standing():
        last = known.looks.get(change.id)
        if change.deed is None or last is None:
            continue
        try:
            seen = whereabouts(desk, change, known)
            git = checkout(seen.real)
            if git is not None and git.is_midway:
                continue  # git will finish the operation that it has begun

            def became(file: Seen, deed: Deed = change.deed, look: Look = last) -> FoundFate:
                its = checkout(file.real)
                moved = its is not None and deeds.stands(deed, file.content) != deeds.ours(deed)
                return fate(deed, file.content, its, steps(file.real, look.head, look.at) if moved else ())

            found = _sayable(became(seen))
            if found.fate is Fate.HIS and seen.real != known.real[change.path]:
                # Other text in another file may always have been there: the user must also have removed ours.
                gone = became(desk.files.read(Path(change.path)))
                found = found if gone.fate is Fate.REFUSED else gone
        except (FileError, SettingsUnclear):
            continue  # somebody is in the middle of editing it
        if _keeps(last.fate, found.fate):
            continue
        look = look_at(desk, change, found.fate, seen.path, "" if git is None else git.head, found.words)
        if (look.fate, look.path, look.head, look.text) != (last.fate, last.path, last.head, last.text):
            yield look


def _keeps(last: Fate, now: Fate) -> bool:
    """Whether the last look stands: the user's act outweighs what git may have done, and open questions stay open."""
    return (last in _HIS_WORD and now is Fate.UNCLEAR) or (last is Fate.UNCLEAR and now is not Fate.STANDS)


def _sayable(found: FoundFate) -> FoundFate:
    """Drop the user's text if it contains what may not be stored."""
    return found if rule_against(found.words) is None else FoundFate(found.fate)


class _EachOnce:
    """Files that are each read only once."""

    def __init__(self, files: Files) -> None:
        self.read, self.real_path, self.siblings = cache(files.read), files.real_path, cache(files.siblings)
        self._files, self.link_target = files, files.link_target

    def write(self, seen: Seen, content: bytes | None) -> Seen:
        """Never called while checking."""
        return self._files.write(seen, content)
