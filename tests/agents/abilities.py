"""The abilities of wisen in each agent, and the pytest marks by which tests with real clients confirm or deny them.

docs/generate.py generates `docs/agents/README.md` from these marks.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

import pytest

ABILITIES = {
    "read": "its sessions are read, and failed calls are distinguished from successful ones",
    "clean": "nothing that wisen delivered is read as a message of the user",
    "start": "a session begins with your rules",
    "prompt": "a prompt comes with the rules that apply to it",
    "fix": "a failed call gets its known fix before the next step",
    "deny": "a guard stops a call and names the better one",
    "warn": "a guard warns and lets the call pass",
    "ask": "a guard makes the agent ask you",
    "end": "the end of a session or turn starts a cycle",
    "learnt": "a correction from one session is in the next one's request, with its source",
    "file": "a rule that you approved is in a file that it reads, and is not delivered twice",
    "crossing": "a lesson from another agent reaches it in the same project",
    "mcp": "its model calls wisen's MCP server",
    "removed": "uninstalling restores the settings byte for byte",
}
"""Each ability with its description, in the order of the table."""


def shows(agent: str, *abilities: str) -> pytest.MarkDecorator:
    """Mark a test with the real client that fails if the agent lacks one of these abilities."""
    assert set(abilities) <= set(ABILITIES), abilities
    return pytest.mark.shows(agent, *abilities)


def lacks(agent: str, ability: str, why: str) -> pytest.MarkDecorator:
    """Mark a test with the real client that shows that it does not allow this; `why` is one sentence for users."""
    assert ability in ABILITIES, ability
    return pytest.mark.lacks(agent, ability, why)


@dataclass(frozen=True)
class Evidence:
    """What a test shows about an ability of an agent."""

    holds: bool
    test: str
    why: str = ""
    """Why it does not hold."""


def collect_abilities() -> dict[tuple[str, str], Evidence]:
    """Return what the tests with real clients show, by agent and ability; missing ones were not tested."""
    found: dict[tuple[str, str], Evidence] = {}
    for file in sorted(Path(__file__).parent.glob("test_live_*.py")):
        module = importlib.import_module(f"tests.agents.{file.stem}")
        for name, test in vars(module).items():
            for mark in getattr(test, "pytestmark", ()) if name.startswith("test_") else ():
                if mark.name == "shows":
                    agent, *abilities = mark.args
                    found |= {(agent, each): Evidence(True, f"{file.name}::{name}") for each in abilities}
                elif mark.name == "lacks":
                    agent, ability, why = mark.args
                    found.setdefault((agent, ability), Evidence(False, f"{file.name}::{name}", why))
    return found
