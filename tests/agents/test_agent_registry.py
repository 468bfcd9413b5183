"""The agents that can be enabled are those that have a reader."""

from __future__ import annotations

from wisen.agents.agent_registry import _READERS
from wisen.settings import KNOWN_AGENTS


def test_each_known_agent_has_a_reader_and_each_reader_a_known_agent() -> None:
    assert {*KNOWN_AGENTS} == {*_READERS}
