"""The steps of a turn that keep memories: what was typed, learnt and noted down can be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.memory.gathering import ENTRIES, NOTEBOOKS, of_entries, of_notebooks, of_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.domain.entry_states import EntryState
    from wisen.domain.failures import Mined
    from wisen.domain.histories import History
    from wisen.parts import Parts


def keep_sessions(parts: Parts, sessions: Iterable[tuple[History, Mined]]) -> None:
    """What was typed in sessions that hold something new, and how what was asked for was reached."""
    found = [of_session(history, mined.goals) for history, mined in sessions]
    parts.index.memories.replace({origin: memories for each in found for origin, memories in each.items()})


def recollect(parts: Parts, states: Iterable[EntryState]) -> None:
    """What was learnt, and what other systems noted down, as it is now; what is no longer there is forgotten."""
    places = {alias.path: alias.context for alias in parts.ledger.aliases(parts.machine)}
    now = of_entries(states) | of_notebooks(parts.notebooks.notebooks(places))
    held = parts.index.memories.origins(ENTRIES) | parts.index.memories.origins(NOTEBOOKS)
    parts.index.memories.replace({**now, **{name: [] for name in held - now.keys()}})
