"""Places where an approved rule may be written, and the names that users give them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class PlaceName(StrEnum):
    """The name of a place."""

    FILE = "file"
    """The proposed file, however long it is."""
    LOCAL = "local"
    RULES = "rules"
    OWN = "own"
    """The user-level file, which applies in all projects."""
    HOOK = "hook"
    """No file: the rule is delivered by hook."""
    AGENTS = "agents"
    SOUL = "soul"
    TOOLS = "tools"
    USER = "user"
    MEMORY = "memory"


class RulePlace(NamedTuple):
    """A place where a rule may go."""

    word: PlaceName
    path: str
    """For delivery by hook: the context file that wisen keeps for the project."""
    heading: str
    says: str
    """A description for a person."""

    @property
    def applies_everywhere(self) -> bool:
        """Return whether the rule applies in all projects from then on, because each of them reads the file."""
        return self.word is PlaceName.OWN

    @property
    def is_hook(self) -> bool:
        """Return whether no file of the user's is changed."""
        return self.word is PlaceName.HOOK


_ALIASES: dict[str, PlaceName] = {
    **{each.value: each for each in PlaceName},
    "the file": PlaceName.FILE,
    "the file all the same": PlaceName.FILE,
    "claude.md": PlaceName.FILE,
    "gemini.md": PlaceName.FILE,
    "claude.local.md": PlaceName.LOCAL,
    ".claude/rules": PlaceName.RULES,
    ".claude/rules/": PlaceName.RULES,
    ".claude/rules/wisen.md": PlaceName.RULES,
    "my own file": PlaceName.OWN,
    "my own": PlaceName.OWN,
    "~/.claude/claude.md": PlaceName.OWN,
    "~/.codex/agents.md": PlaceName.OWN,
    "the hook": PlaceName.HOOK,
    "hook only": PlaceName.HOOK,
    "hooks": PlaceName.HOOK,
    "agents.md": PlaceName.AGENTS,
    "soul.md": PlaceName.SOUL,
    "tools.md": PlaceName.TOOLS,
    "user.md": PlaceName.USER,
    "memory.md": PlaceName.MEMORY,
}
PLACE_ALIASES: dict[str, str] = {name: place.value for name, place in _ALIASES.items()}
"""The names that people use for places, in lowercase: the hook client reads the same table."""


def parse_place(text: str) -> str:
    """Return the place that a text names, as one of `PlaceName`; empty if it names none."""
    return PLACE_ALIASES.get(" ".join(text.casefold().split()), "")
