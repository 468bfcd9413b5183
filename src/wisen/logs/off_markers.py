"""The markers that disable wisen in a project: which of them the user made, and what the hook client reads of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.edits.edit_history import edit_history
from wisen.logs.off_switches import MARKER
from wisen.logs.ownership_rows import ownership_row
from wisen.model.change import PassageEdit
from wisen.model.ownership import OwnershipSubject, OwnershipVerdict

if TYPE_CHECKING:
    from wisen.edits.edit_history import EditPorts
    from wisen.logs.projects import Projects

OFF_PLACES = "off-places"
"""A file below the home that `surfaces/hook/off_checks.py` reads when it meets a marker."""


def foreign_markers(projects: Projects, edit_ports: EditPorts) -> list[str]:
    """Return the markers in known projects that stop the learning and that the user did not make by `wisen off`."""
    home = projects.home
    causes = {projects.resolver.switches.cause_of(alias.path) for alias in home.ledger.contexts.aliases(home.machine)}
    markers = sorted(path for path in causes if Path(path).name == MARKER)
    return [path for path in markers if not is_user_marker(projects, edit_ports, path)]


def is_delivery_off(projects: Projects, edit_ports: EditPorts, place: str) -> bool:
    """Whether the user wants nothing delivered in a directory: by the settings or by a marker of their own."""
    cause = projects.resolver.switches.cause_of(place)
    return bool(cause) and (Path(cause).name != MARKER or is_user_marker(projects, edit_ports, cause))


def user_markers(projects: Projects, edit_ports: EditPorts) -> list[str]:
    """Return the markers that the user made with `wisen off` or took over: hooks are silent below them."""
    home = projects.home
    decided_paths = {
        row.path for row in home.ledger.ownerships.of(home.machine) if row.subject is OwnershipSubject.MARKER
    }
    edited_paths = {
        each.path for each in home.ledger.changes.of(machine=home.machine) if Path(each.path).name == MARKER
    }
    return [path for path in sorted(decided_paths | edited_paths) if is_user_marker(projects, edit_ports, path)]


def write_off_places(projects: Projects, edit_ports: EditPorts) -> None:
    """Write the directories in which the user disabled wisen by a marker, for the hook client."""
    home, markers = projects.home, user_markers(projects, edit_ports)
    missing = [path for path in markers if not os.path.lexists(path)]
    if missing:  # a marker that appears there later is a different one
        home.ledger.ownerships.add(
            [ownership_row(home, OwnershipSubject.MARKER, path, OwnershipVerdict.FOREIGN) for path in missing]
        )
    folders = {str(Path(path).parent) for path in markers if path not in missing}
    folders |= {os.path.realpath(folder) for folder in folders}
    current = edit_ports.files.read(home.path / OFF_PLACES)
    text = "".join(f"{each}\n" for each in sorted(folders) if "\n" not in each).encode("utf-8", "surrogateescape")
    if current.content != text:
        edit_ports.files.write(current, text)


def is_user_marker(projects: Projects, edit_ports: EditPorts, path: str) -> bool:
    """Whether the user made a marker with `wisen off`, or took it over that way."""
    decision = projects.adoptions.decision(path, OwnershipSubject.MARKER)
    if decision is not None:
        return decision.verdict is OwnershipVerdict.OWNED
    return any(
        isinstance(each.operation, PassageEdit)
        for each in edit_history(edit_ports).open_changes(edit_ports.files.real_path(Path(path)))
    )
