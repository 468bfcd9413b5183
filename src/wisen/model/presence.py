"""Whether a person makes a decision: the evidence for it, or the reason against."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class Person(NamedTuple):
    """A person decides."""

    evidence: str
    """How that is known; recorded with each decision: a terminal, a line of an agent's log, a program that says so."""


class NotAPerson(NamedTuple):
    """Nothing shows that a person decides."""

    reason: str
    """A sentence without a full stop, for whoever reads why nothing was done."""
    agent: str = ""
    """The agent that runs this process, if one does."""


Decider: TypeAlias = Person | NotAPerson


class AgentSigns(NamedTuple):
    """How to recognize an agent from the processes that it starts."""

    agent: str
    variables: tuple[str, ...] = ()
    """Environment variables that it sets for its children, and that people do not set themselves."""
    programs: tuple[str, ...] = ()
    """The names of its program: the executable, or the script that an interpreter runs."""
    packages: tuple[str, ...] = ()
    """Folders that contain its program, as part of a path."""


class Process(NamedTuple):
    """A running process, as far as the system reports it."""

    pid: int
    parent: int
    executable: str
    """The path of its program; empty if unknown."""
    arguments: tuple[str, ...] = ()
