"""The markers that disable wisen in a project: which of them the user made, and what the hook client reads of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.edits.past import past
from wisen.logs.ownership_rows import word_about
from wisen.logs.switches import MARKER
from wisen.model.change import Passage
from wisen.model.ownership import OwnershipVerdict, Subject

if TYPE_CHECKING:
    from wisen.edits.past import Desk
    from wisen.logs.projects import Projects

OFF_PLACES = "off-places"
"""A file below the home that `surfaces/hook/switch.py` reads when it meets a marker."""


def foreign_markers(projects: Projects, desk: Desk) -> list[str]:
    """Return the markers in known projects that stop the learning and that the user did not make by `wisen off`."""
    home = projects.home
    found = {projects.scope.switches.by(alias.path) for alias in home.ledger.contexts.aliases(home.machine)}
    markers = sorted(path for path in found if Path(path).name == MARKER)
    return [path for path in markers if not is_own_marker(projects, desk, path)]


def is_silent(projects: Projects, desk: Desk, place: str) -> bool:
    """Whether the user wants nothing delivered in a directory: by the settings or by a marker of their own."""
    by = projects.scope.switches.by(place)
    return bool(by) and (Path(by).name != MARKER or is_own_marker(projects, desk, by))


def own_markers(projects: Projects, desk: Desk) -> list[str]:
    """Return the markers that the user made with `wisen off` or took over: hooks are silent below them."""
    home = projects.home
    said = {row.path for row in home.ledger.ownerships.of(home.machine) if row.subject is Subject.MARKER}
    made = {each.path for each in home.ledger.changes.of(machine=home.machine) if Path(each.path).name == MARKER}
    return [path for path in sorted(said | made) if is_own_marker(projects, desk, path)]


def write_off_places(projects: Projects, desk: Desk) -> None:
    """Write the directories in which the user disabled wisen by a marker, for the hook client."""
    home, own = projects.home, own_markers(projects, desk)
    gone = [path for path in own if not os.path.lexists(path)]
    if gone:  # a marker that appears there later is a different one
        home.ledger.ownerships.add([word_about(home, Subject.MARKER, path, OwnershipVerdict.FOREIGN) for path in gone])
    folders = {str(Path(path).parent) for path in own if path not in gone}
    folders |= {os.path.realpath(folder) for folder in folders}
    seen = desk.files.read(home.path / OFF_PLACES)
    text = "".join(f"{each}\n" for each in sorted(folders) if "\n" not in each).encode("utf-8", "surrogateescape")
    if seen.content != text:
        desk.files.write(seen, text)


def is_own_marker(projects: Projects, desk: Desk, path: str) -> bool:
    """Whether the user made a marker with `wisen off`, or took it over that way."""
    word = projects.adoptions.word(path, Subject.MARKER)
    if word is not None:
        return word.verdict is OwnershipVerdict.OWNED
    return any(isinstance(each.deed, Passage) for each in past(desk).open(desk.files.real(Path(path))))
