"""The steps by which what was said, what failed and what is better left out become entries."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.lessons.citing import used
from wisen.lessons.conflicts import settled
from wisen.lessons.fading import faded
from wisen.lessons.practices import practised
from wisen.lessons.recording import entered
from wisen.lessons.remarks import settled_remarks
from wisen.lessons.trigger_narrowing import narrowed
from wisen.logs.ownership_rows import confined_agents
from wisen.mining.error_entries import new_error_rows
from wisen.mining.goals import goals_of
from wisen.model.entry import MoveKind
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.fix import Fix
    from wisen.model.signal import Sighting
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

PRACTISED = timedelta(days=90)
"""How far back the sessions lie in which best practices are looked for."""


def learn(  # noqa: PLR0913 - what a turn found, each by its name
    home: Home,
    projects: Projects,
    known: KnownEntries,
    said: Iterable[Sighting],
    fixes: Iterable[Fix],
    *,
    boundaries: ErrorBoundaries,
    new: bool,
) -> None:
    """Enter what a turn found. `new`: whether sessions held something new."""
    ledger, factory, now = home.ledger, home.row_factory, home.clock.now()
    step, seen = boundaries.isolate_step, ledger.occurrences.ids()
    with step("record what was said"):
        split = {move.value for move in known.moves if move.kind is MoveKind.SPLIT}
        apart = [each for entry in sorted(split) for each in ledger.occurrences.of(entry)]
        known.record(entered(said, known.states, seen, factory, apart, confined_agents(projects)))
    with step("try triggers on the past"):
        known.record(narrowed(home, known))
    with step("record what failed"):
        known.record(new_error_rows(fixes, home.index.findings.evidence, known.states, seen, factory))
    with step("find practices"):
        if new:
            newest = home.index.events.counts(Selection()).last or now
            recent = home.index.events.histories(Selection(since=newest - PRACTISED))
            known.record(practised(((each, goals_of(each)) for each in recent), known.states, seen, factory))
    with step("close remarks"):
        known.record(settled_remarks(known.states, known.moves, factory))
    with step("count uses"):
        known.record(used(home.index.events.citations(), known.states, known.moves, factory) if new else ())
    with step("settle and fade"):
        known.record([*settled(known.states, now, factory), *faded(known.states, known.moves, now, factory)])
