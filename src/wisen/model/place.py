"""Where an approved rule may go: the words for it, and a place with its file."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class PlaceWord(StrEnum):
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

    word: PlaceWord
    path: str
    """Of what is told by hook: the book that wisen keeps of the project."""
    heading: str
    says: str
    """What it means, for a person."""

    @property
    def widens(self) -> bool:
        """Whether the rule holds in all projects from then on: the file speaks in each of them."""
        return self.word is PlaceWord.OWN

    @property
    def is_hook(self) -> bool:
        """Whether no file of the user's is changed."""
        return self.word is PlaceWord.HOOK


_SPOKEN: dict[str, PlaceWord] = {
    **{each.value: each for each in PlaceWord},
    "the file": PlaceWord.FILE,
    "the file all the same": PlaceWord.FILE,
    "claude.md": PlaceWord.FILE,
    "gemini.md": PlaceWord.FILE,
    "claude.local.md": PlaceWord.LOCAL,
    ".claude/rules": PlaceWord.RULES,
    ".claude/rules/": PlaceWord.RULES,
    ".claude/rules/wisen.md": PlaceWord.RULES,
    "my own file": PlaceWord.OWN,
    "my own": PlaceWord.OWN,
    "~/.claude/claude.md": PlaceWord.OWN,
    "~/.codex/agents.md": PlaceWord.OWN,
    "the hook": PlaceWord.HOOK,
    "hook only": PlaceWord.HOOK,
    "hooks": PlaceWord.HOOK,
    "agents.md": PlaceWord.AGENTS,
    "soul.md": PlaceWord.SOUL,
    "tools.md": PlaceWord.TOOLS,
    "user.md": PlaceWord.USER,
    "memory.md": PlaceWord.MEMORY,
}
SPOKEN: dict[str, str] = {name: place.value for name, place in _SPOKEN.items()}
"""How people name a place, in small letters: the client reads the same table."""


def place_in(text: str) -> str:
    """The place that somebody names, as one of `PlaceWord`; empty where it is none."""
    return SPOKEN.get(" ".join(text.casefold().split()), "")
