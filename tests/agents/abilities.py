"""What wisen can do inside an agent, and the marks by which tests with real clients say that it does, or cannot.

`docs/agents/README.md` is made from these marks by docs/generate.py.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

import pytest

ABILITIES = {
    "read": "its sessions are read, and calls that failed are told from those that did not",
    "clean": "nothing that wisen told is read as the user's words",
    "start": "a session begins with your rules",
    "prompt": "a prompt comes with what matters to it",
    "fix": "a call that failed gets its known fix before the next step",
    "deny": "a guard stops a call and tells the better one",
    "warn": "a guard warns and lets the call pass",
    "ask": "a guard has the agent ask you",
    "end": "the end of a session or turn starts a cycle",
    "learnt": "a correction of one session is in the next one's request, with its source",
    "file": "a rule that you approved stands in the file that it reads, and is not told twice",
    "crossing": "a lesson learnt in another agent reaches it in the same project",
    "mcp": "its model calls wisen's MCP server",
    "removed": "uninstalling leaves the settings as they were, byte for byte",
}
"""Each ability and what it means, in the order of the table."""


def shows(agent: str, *abilities: str) -> pytest.MarkDecorator:
    """A test with the real client that fails where the agent lacks one of these abilities."""
    assert set(abilities) <= set(ABILITIES), abilities
    return pytest.mark.shows(agent, *abilities)


def lacks(agent: str, ability: str, why: str) -> pytest.MarkDecorator:
    """A test with the real client that saw that it does not allow this; `why` is one sentence for users."""
    assert ability in ABILITIES, ability
    return pytest.mark.lacks(agent, ability, why)


@dataclass(frozen=True)
class Seen:
    """What a test says of an ability of an agent."""

    holds: bool
    test: str
    why: str = ""
    """Why it does not hold."""


def seen() -> dict[tuple[str, str], Seen]:
    """What the tests with real clients say, by agent and ability; what is not there was not tried."""
    found: dict[tuple[str, str], Seen] = {}
    for file in sorted(Path(__file__).parent.glob("test_live_*.py")):
        module = importlib.import_module(f"tests.agents.{file.stem}")
        for name, test in vars(module).items():
            for mark in getattr(test, "pytestmark", ()) if name.startswith("test_") else ():
                if mark.name == "shows":
                    agent, *abilities = mark.args
                    found |= {(agent, each): Seen(True, f"{file.name}::{name}") for each in abilities}
                elif mark.name == "lacks":
                    agent, ability, why = mark.args
                    found.setdefault((agent, ability), Seen(False, f"{file.name}::{name}", why))
    return found
