"""Disables and enables wisen in projects, by a marker in their top folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.logs.off_markers import is_user_marker, write_off_places
from wisen.logs.off_switches import MARKER
from wisen.logs.ownership_rows import ownership_row
from wisen.model.change import SWITCHED_OFF
from wisen.model.entry import Actor
from wisen.model.ownership import OwnershipSubject, OwnershipVerdict

if TYPE_CHECKING:
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.edits.undo import UndoResult
    from wisen.logs.projects import Projects

_MARKER_TEXT = b"wisen keeps nothing of what happens here and below. `wisen on` removes this file.\n"


class ProjectSwitch:
    """Disables and enables wisen per project."""

    def __init__(self, projects: Projects, edit_ports: EditPorts, decisions: Decisions) -> None:
        self._projects, self._edit_ports, self._decisions = projects, edit_ports, decisions

    def disabled_by(self, place: Path) -> str:
        """Return what disables wisen in a directory: a marker, or a directory in the settings; empty for nothing."""
        return self._projects.resolver.switches.cause_of(str(place))

    def disable(self, place: Path, *, dry_run: bool = False) -> Edit:
        """Disable wisen in the project around a directory, by a marker in its top folder.

        Raises:
            UsageError: it is off already, or there is no project.
            FileError: the marker cannot be written.
        """
        from wisen.edits.editor import Editor, PassagePlan

        top, cause = self._projects.resolver.places.top_of(place), self.disabled_by(place)
        if cause:
            raise UsageError(f"wisen is off here already, by {cause}.")
        if top is None:
            raise UsageError(f"{place} is not a project. Go to a project's folder, or list it in [off] directories.")
        self._decisions.require_person("off", dry_run=dry_run)
        marker = top / MARKER
        self._record_marker(marker, OwnershipVerdict.OWNED, dry_run=dry_run)
        digest = self._edit_ports.files.read(marker).digest
        edit = Editor(self._edit_ports).add_passage(
            PassagePlan(str(marker), _MARKER_TEXT, SWITCHED_OFF, digest), dry_run=dry_run
        )
        self._update_hooks(dry_run=dry_run)
        return edit

    def adopt_marker(self, place: Path, *, dry_run: bool = False) -> str:
        """Record a foreign marker in or above a directory as the user's own. Returns its path; empty for none."""
        cause = self.disabled_by(place)
        if not cause or Path(cause).name != MARKER or is_user_marker(self._projects, self._edit_ports, cause):
            return ""
        self._decisions.require_person("off", dry_run=dry_run)
        self._record_marker(Path(cause), OwnershipVerdict.OWNED, dry_run=dry_run)
        self._update_hooks(dry_run=dry_run)
        return cause

    def _record_marker(self, marker: Path, verdict: OwnershipVerdict, *, dry_run: bool) -> None:
        if not dry_run:
            row = ownership_row(self._projects.home, OwnershipSubject.MARKER, str(marker), verdict, by=Actor.USER)
            self._projects.home.ledger.ownerships.add([row])

    def _update_hooks(self, *, dry_run: bool) -> None:
        if not dry_run:
            with self._projects.home.one_publisher():  # who prepares snapshots writes the same file
                write_off_places(self._projects, self._edit_ports)

    def enable(self, place: Path, *, dry_run: bool = False) -> UndoResult:
        """Remove the marker that disables wisen in a directory.

        Raises:
            UsageError: it is not off, or not by a marker that wisen wrote.
            FileError: the marker cannot be removed.
        """
        from wisen.edits.edit_history import edit_history
        from wisen.edits.editor import Editor

        cause, edit_ports = self.disabled_by(place), self._edit_ports
        if not cause:
            raise UsageError("wisen is already on here.")
        if Path(cause).name != MARKER:
            raise UsageError(f"wisen is off in {cause} by config.toml: remove it from [off] directories.")
        changes = [
            each.id for each in edit_history(edit_ports).open_changes(self._edit_ports.files.real_path(Path(cause)))
        ]
        if not changes:
            raise UsageError(f"{cause} was not made by `wisen off`. Delete it, and wisen is on again.")
        self._decisions.require_person("on", dry_run=dry_run)
        undone = Editor(edit_ports).undo(changes[-1], dry_run=dry_run)
        self._record_marker(Path(cause), OwnershipVerdict.FOREIGN, dry_run=dry_run)
        self._update_hooks(dry_run=dry_run)
        return undone
