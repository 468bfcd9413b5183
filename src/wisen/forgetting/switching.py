"""What a Learner does to be switched off: heeds what sessions noted, and marks projects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.forgetting.service import Forgetter, Grave
from wisen.logs.markers import is_own_marker, write_off_places
from wisen.logs.owned import word_about
from wisen.logs.switches import MARKER
from wisen.model.change import SWITCHED_OFF
from wisen.model.entry import Who
from wisen.model.ownership import OwnershipVerdict, Subject
from wisen.model.tombstone import OFF, Key, KeyKind

if TYPE_CHECKING:
    from wisen.edits.edit import Edit
    from wisen.edits.undo import Undoing

_SAYS = b"wisen keeps nothing of what happens here and below. `wisen on` removes this file.\n"


class Switcher(Forgetter):
    """What a Learner does to be switched off."""

    def heed_switches(self) -> int:
        """Keep nothing of sessions that hooks noted as switched off, from now on. Returns how many are new.

        What was read of one before goes, with what was learnt from it.
        """
        parts = self._parts
        notes = parts.shelf.switched_off()
        known = {key.value for key in parts.ledger.buried() if key.kind is KeyKind.SESSION} if notes else set()
        new = sorted({name.rpartition("/")[2] for name in notes} - known)
        if new:
            keys = tuple(Key(kind=KeyKind.SESSION, value=each) for each in new)
            sessions = self._sessions_of(keys)
            if sessions:
                self._carried_out([self._grave_of(sessions, keys)], dry_run=False)
            else:
                tombstone = self._tombstone(OFF, 0)
                parts.ledger.bury(tombstone, keys)
                parts.ledger.finish(tombstone.id, parts.clock.now())
        parts.shelf.drop(notes)
        return len(new)

    def _grave_of(self, sessions: frozenset[tuple[str, str]], keys: tuple[Key, ...]) -> Grave:
        """What was read of sessions before they were known to be off, and what was first learnt in them."""
        from wisen.forgetting.find import Aim
        from wisen.forgetting.removal import found_in
        from wisen.safety.forgotten_words import Phrases

        parts = self._parts
        seen = {each[:3] for each in parts.index.traces() if each[:2] in sessions}
        first: dict[str, tuple[str, str]] = {}
        for each in parts.ledger.occurrences():
            first.setdefault(each.entry, (each.agent, each.session))
        learnt = frozenset(f"entry:{entry}" for entry, session in first.items() if session in sessions)
        aim = Aim(Phrases(()), OFF, frozenset((agent, id_) for agent, _, id_ in seen), alone=learnt)
        found = found_in(parts, aim)
        found.events |= seen
        rows = tuple(Key(kind=KeyKind.THING, value=each) for each in sorted(learnt))
        events = tuple(Key(kind=KeyKind.EVENT, agent=a, session=s, value=id_) for a, s, id_ in sorted(seen))
        return Grave(self._tombstone(OFF, len(found.things)), aim, found, (*keys, *rows, *events), sessions)

    def off_by(self, place: Path) -> str:
        """What switches wisen off in a directory: a marker, or a directory of the settings; empty where nothing."""
        return self._parts.scope.switches.by(str(place))

    def switch_off(self, place: Path, *, dry_run: bool = False) -> Edit:
        """Switch wisen off in the project around a directory, by a marker in its top folder.

        Raises:
            UsageError: it is off already, or there can be no project.
            FileError: the marker cannot be written.
        """
        from wisen.edits.edit import Editor, PassagePlan

        top, by = self._parts.scope.top(place), self.off_by(place)
        if by:
            raise UsageError(f"wisen is off here already, by {by}.")
        if top is None:
            raise UsageError(f"{place} is no project. Go to a project's folder, or name directories: [off] directories")
        self.require_person("off", dry_run=dry_run)
        marker = top / MARKER
        self._note_marker(marker, OwnershipVerdict.OWNED, dry_run=dry_run)
        saw = self._parts.files.read(marker).digest
        edit = Editor(self._parts.desk).place(PassagePlan(str(marker), _SAYS, SWITCHED_OFF, saw), dry_run=dry_run)
        self._tell_hooks(dry_run=dry_run)
        return edit

    def take_over_marker(self, place: Path, *, dry_run: bool = False) -> str:
        """Make a marker the user's own that lies around a directory and came otherwise. Returns it; empty for none."""
        by = self.off_by(place)
        if not by or Path(by).name != MARKER or is_own_marker(self._parts.projects, self._parts.desk, by):
            return ""
        self.require_person("off", dry_run=dry_run)
        self._note_marker(Path(by), OwnershipVerdict.OWNED, dry_run=dry_run)
        self._tell_hooks(dry_run=dry_run)
        return by

    def _note_marker(self, marker: Path, verdict: OwnershipVerdict, *, dry_run: bool) -> None:
        if not dry_run:
            row = word_about(self._parts.base, Subject.MARKER, str(marker), verdict, by=Who.USER)
            self._parts.ledger.note_ownership([row])

    def _tell_hooks(self, *, dry_run: bool) -> None:
        if not dry_run:
            write_off_places(self._parts.projects, self._parts.desk)

    def switch_on(self, place: Path, *, dry_run: bool = False) -> Undoing:
        """Take the marker away that switches wisen off in a directory.

        Raises:
            UsageError: it is not off, or not by a marker of ours.
            FileError: the marker cannot be removed.
        """
        from wisen.edits.edit import Editor
        from wisen.edits.past import past

        by, desk = self.off_by(place), self._parts.desk
        if not by:
            raise UsageError("wisen is not off here.")
        if Path(by).name != MARKER:
            raise UsageError(f"wisen is off in {by} by config.toml: take it out of [off] directories.")
        ours = [each.id for each in past(desk).open(self._parts.files.real(Path(by)))]
        if not ours:
            raise UsageError(f"{by} was not made by `wisen off`. Delete it, and wisen is on again.")
        self.require_person("on", dry_run=dry_run)
        undoing = Editor(desk).undo(ours[-1], dry_run=dry_run)
        self._note_marker(Path(by), OwnershipVerdict.FOREIGN, dry_run=dry_run)
        self._tell_hooks(dry_run=dry_run)
        return undoing
