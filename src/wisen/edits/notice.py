"""Notices what people did to what we put into their files: an edit makes it theirs, taking it out refuses it."""

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
    """Look at what stands in files because of us, and note what became of it; returns what is new."""
    known = past(desk)
    desk = desk._replace(files=_EachOnce(desk.files))
    new = [*_settled(desk, known), *_noticed(desk, known)]
    for look in new:
        desk.ledger.changes.add_look(look)
    return tuple(new)


def refuse(desk: Desk, id_: str) -> Change:
    """Take a person's word that he took something out on purpose. Raises: UsageError."""
    known = past(desk)
    change = chosen(known.changes, id_)
    checkout = desk.checkouts.checkout_of(whereabouts(desk, change, known).real)
    desk.ledger.changes.add_look(look_at(desk, change, Fate.REFUSED, change.path, checkout.head if checkout else ""))
    return change


def _settled(desk: Desk, known: Past) -> Iterator[Look]:
    """Changes whose maker was killed or failed: whether they were made is noted for good."""
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
                continue  # what git has begun to do it will also end

            def became(file: Seen, deed: Deed = change.deed, look: Look = last) -> FoundFate:
                its = checkout(file.real)
                moved = its is not None and deeds.stands(deed, file.content) != deeds.ours(deed)
                return fate(deed, file.content, its, steps(file.real, look.head, look.at) if moved else ())

            found = _sayable(became(seen))
            if found.fate is Fate.HIS and seen.real != known.real[change.path]:
                # Other words in another file may always have been there: that ours is gone must be his act as well.
                gone = became(desk.files.read(Path(change.path)))
                found = found if gone.fate is Fate.REFUSED else gone
        except (FileError, SettingsUnclear):
            continue  # somebody is in the midst of it
        if _keeps(last.fate, found.fate):
            continue
        look = look_at(desk, change, found.fate, seen.path, "" if git is None else git.head, found.words)
        if (look.fate, look.path, look.head, look.text) != (last.fate, last.path, last.head, last.text):
            yield look


def _keeps(last: Fate, now: Fate) -> bool:
    """Whether the last look holds: his word does against what git may have done, and what was asked is still asked."""
    return (last in _HIS_WORD and now is Fate.UNCLEAR) or (last is Fate.UNCLEAR and now is not Fate.STANDS)


def _sayable(found: FoundFate) -> FoundFate:
    """His words, unless they hold what may not be stored."""
    return found if rule_against(found.words) is None else FoundFate(found.fate)


class _EachOnce:
    """Files of which each is read once."""

    def __init__(self, files: Files) -> None:
        self.read, self.real_path, self.siblings = cache(files.read), files.real_path, cache(files.siblings)
        self._files, self.link_target = files, files.link_target

    def write(self, seen: Seen, content: bytes | None) -> Seen:
        """Never asked for while looking."""
        return self._files.write(seen, content)
