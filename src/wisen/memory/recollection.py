"""The steps of a turn that keep memories: what was typed, learnt and noted down can be found again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import FileError
from wisen.memory.gathering import DAYS, ENTRIES, NOTEBOOKS, of_day, of_entries, of_notebooks, of_session
from wisen.memory.keep import shelf_of
from wisen.model.context import NOWHERE
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.memory.gathering import Gathered
    from wisen.model.entry_state import EntryState
    from wisen.model.failure import Mined
    from wisen.model.history import History
    from wisen.model.summary import Summary
    from wisen.parts import Parts
    from wisen.safety.ward import Ward


def keep_sessions(parts: Parts, sessions: Iterable[tuple[History, Mined, Sequence[Summary]]]) -> None:
    """What was typed in sessions that hold something new, what they came to, and how it was reached."""
    found = [of_session(history, mined.goals, told) for history, mined, told in sessions]
    parts.index.memories.replace({origin: memories for each in found for origin, memories in each.items()})


def recollect(parts: Parts, states: Iterable[EntryState]) -> None:
    """What was learnt, and what people and other systems noted down; what is no longer there is forgotten."""
    places = {path: context for path, context in parts.places() if not parts.scope.is_off(path)}
    held = frozenset[str]().union(*map(parts.index.memories.origins, (ENTRIES, NOTEBOOKS, DAYS)))
    written = of_notebooks(parts.notebooks.notebooks(places)) | _notes(parts, held)
    now = of_entries(states, parts.index.fixes(Selection())) | _remembered(written, parts.ward)
    parts.index.memories.replace({**now, **{name: [] for name in held - now.keys()}})


def keep_day(parts: Parts, context: str, path: Path) -> None:
    """A day as it is now: what was just noted can be found at once."""
    parts.index.memories.replace(_remembered(_day(parts, context or NOWHERE, path), parts.ward))


def _remembered(gathered: Gathered, ward: Ward) -> Gathered:
    """What stands in files, without what was forgotten."""
    return {
        origin: [each for each in memories if not ward.holds(each[0].text) and not ward.holds(each[0].beside)]
        for origin, memories in gathered.items()
    }


def _notes(parts: Parts, held: Iterable[str]) -> Gathered:
    """The lines that people put into days: below the home, and in workspaces where something was noted."""
    days = [origin.removeprefix(DAYS).partition(":") for origin in held if origin.startswith(DAYS)]
    paths = {(context, Path(path)) for context, _, path in days}
    for context in (NOWHERE, *(each.key for each in parts.ledger.contexts())):
        folder = shelf_of(parts.home, "" if context == NOWHERE else context).folder
        paths |= {(context, path) for path in parts.files.beside(folder / "-.md")}
    return {name: found for context, path in sorted(paths) for name, found in _day(parts, context, path).items()}


def _day(parts: Parts, context: str, path: Path) -> Gathered:
    try:
        content = parts.files.read(path).content or b""
    except FileError:
        return {}
    return of_day(context, str(path), path.stem, content.decode("utf-8", "replace"))
