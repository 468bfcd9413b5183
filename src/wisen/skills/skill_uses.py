"""Counts in how many sessions agents loaded a skill: by their tool for it, or by reading its file."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.store.sessions import Sessions

_TOOL, _FILE = "Skill", "SKILL.md"
_FIELDS = ("skill", "command", "name")
"""The fields of the tool that name the skill, in different versions."""


def count_uses(sessions: Sessions, names: Collection[str]) -> dict[str, int]:
    """Return the number of sessions in which each skill was loaded, by name; of the others nothing."""
    users: dict[str, set[int]] = defaultdict(set)
    wanted = {name: {part for part in name.split("-") if part.isascii()} for name in names}
    for call in sessions.calls_with([*wanted.values()]) if wanted else ():
        for name in names:
            if _loads(call.tool, call.arguments, name):
                users[name].add(call.session)
    return {name: len(found) for name, found in users.items()}


def _loads(tool: str, arguments: str, name: str) -> bool:
    if f"{name}/{_FILE}" in arguments:
        return True
    if tool != _TOOL or name not in arguments:
        return False
    try:
        fields = json.loads(arguments)
    except (ValueError, RecursionError):
        return False
    return isinstance(fields, dict) and any(fields.get(field) == name for field in _FIELDS)
