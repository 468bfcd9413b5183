"""Whether a person is in front of a decision: how that shows, or why it does not."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Person(NamedTuple):
    """A person decides."""

    evidence: str
    """How that is known, kept with each decision: a terminal, a line of an agent's log, a program that says so."""


class NotAPerson(NamedTuple):
    """Nobody shows that a person decides."""

    reason: str
    """A sentence without a full stop, for whoever reads why nothing was done."""
    agent: str = ""
    """The agent that runs this process, where one does."""


Decider: TypeAlias = Person | NotAPerson


class AgentSigns(NamedTuple):
    """How an agent shows in the processes that it starts."""

    agent: str
    variables: tuple[str, ...] = ()
    """Variables that it sets for its children, and that people do not set for themselves."""
    programs: tuple[str, ...] = ()
    """The names of its program: of the executable, or of the script that an interpreter runs."""
    packages: tuple[str, ...] = ()
    """Folders that its program lies in, as they stand in a path."""


class Process(NamedTuple):
    """A running process, as far as the system tells."""

    pid: int
    parent: int
    executable: str
    """The path of its program; empty where the system does not tell."""
    arguments: tuple[str, ...] = ()
