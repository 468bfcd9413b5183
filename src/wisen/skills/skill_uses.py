"""Counts in how many sessions agents loaded a skill: by their tool for it, or by reading its file."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.mining.skill_loads import loaded_skill

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.store.sessions import Sessions


def count_uses(sessions: Sessions, names: Collection[str]) -> dict[str, int]:
    """Return the number of sessions in which each skill was loaded, by name; of the others nothing."""
    users: dict[str, set[int]] = defaultdict(set)
    wanted = {name: {part for part in name.split("-") if part.isascii()} for name in names}
    for call in sessions.calls_with([*wanted.values()]) if wanted else ():
        name = loaded_skill(call.tool, call.arguments)
        if name in names:
            users[name].add(call.session)
    return {name: len(found) for name, found in users.items()}
