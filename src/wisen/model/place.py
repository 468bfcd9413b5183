"""Where an approved rule may go: the words for it, and a place with its file."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class PlaceName(StrEnum):
    """What a user says for a place."""

    FILE = "file"
    """The file that was proposed, however long it is."""
    LOCAL = "local"
    RULES = "rules"
    OWN = "own"
    """The user's own file, which speaks in all projects."""
    HOOK = "hook"
    """No file: agents are told by hook."""
    AGENTS = "agents"
    SOUL = "soul"
    TOOLS = "tools"
    USER = "user"
    MEMORY = "memory"


class RulePlace(NamedTuple):
    """A place where a rule may go."""

    word: PlaceName
    path: str
    """Of what is told by hook: the book that wisen keeps of the project."""
    heading: str
    says: str
    """What it means, for a person."""

    @property
    def applies_everywhere(self) -> bool:
        """Whether the rule holds in all projects from then on: the file speaks in each of them."""
        return self.word is PlaceName.OWN

    @property
    def is_hook(self) -> bool:
        """Whether no file of the user's is changed."""
        return self.word is PlaceName.HOOK


_SPOKEN: dict[str, PlaceName] = {
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
PLACE_ALIASES: dict[str, str] = {name: place.value for name, place in _SPOKEN.items()}
"""How people name a place, in small letters: the client reads the same table."""


def parse_place(text: str) -> str:
    """The place that somebody names, as one of `PlaceWord`; empty where it is none."""
    return PLACE_ALIASES.get(" ".join(text.casefold().split()), "")
