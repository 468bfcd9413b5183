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


class Place(NamedTuple):
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
