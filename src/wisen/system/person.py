"""Detects whether a person runs this process: no agent's environment variable, no agent as ancestor, and a terminal.

It raises the bar but is no security boundary: a process with the user's rights can fake all of that. It fails closed,
because a decision that is not made stays pending as a proposal, and nothing else stops.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from wisen.model.presence import NotAPerson, Person
from wisen.system.parent_processes import ancestors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wisen.model.presence import AgentSigns, Decider, Process

_INTERPRETERS = (
    "node",
    "nodejs",
    "bun",
    "deno",
    "python",
    "pypy",
    "uv",
    "uvx",
    "npx",
    "npm",
    "pnpm",
    "pipx",
    "mainthread",
)
_SUFFIXES = (".exe", ".cmd", ".js", ".mjs", ".cjs", ".py", ".ts")


_AUTHENTICATED: ContextVar[Person | None] = ContextVar(
    "a person whose word was proven without a terminal", default=None
)


@contextmanager
def acting_as(person: Person) -> Iterator[None]:
    """Attribute all decisions within the block to this person."""
    before = _AUTHENTICATED.set(person)
    try:
        yield
    finally:
        _AUTHENTICATED.reset(before)


class Presence(Protocol):
    """Decides whether a person makes decisions here and now."""

    def detect(self) -> Decider:
        """Return the person with the evidence, or the reason why there is none. It never fails."""
        ...


class AuthenticatedPresence:
    """A person who was authenticated without a terminal."""

    def __init__(self, person: Person) -> None:
        self._person = person

    def detect(self) -> Person:
        """Return the person."""
        return self._person


class ProcessPresence:
    """Detects whether a person runs this process."""

    def __init__(
        self,
        environment: Mapping[str, str],
        signs: Sequence[AgentSigns],
        ancestors: Callable[[], Iterable[Process]],
        terminal: Callable[[], str],
        *,
        decided_by: str = "",
    ) -> None:
        """`terminal`: the name of the terminal of this process; empty if there is none.

        `decided_by`: who decided, according to a program in which a person did; it replaces only the terminal.
        """
        self._environment, self._signs = environment, signs
        self._ancestors, self._terminal, self._decided_by = ancestors, terminal, decided_by

    def detect(self) -> Decider:
        """Return a person, or why there is none; a sign of an agent overrides everything else."""
        for sign in self._signs:
            variable = next((name for name in sign.variables if self._environment.get(name)), None)
            if variable is not None:
                return NotAPerson(f"{sign.agent} runs this process ({variable} is set)", sign.agent)
        for process in self._ancestors():
            agent = agent_of(process, self._signs)
            if agent:
                return NotAPerson(f"{agent} started this process (pid {process.pid})", agent)
        if self._decided_by:
            return Person(f"a program says: {' '.join(self._decided_by.split())[:200]}")
        terminal = self._terminal()
        if not terminal:
            return NotAPerson("this process has no terminal: a script may be running it")
        return Person(f"terminal {terminal}")


def current_presence(environment: Mapping[str, str], signs: Sequence[AgentSigns], decided_by: str = "") -> Presence:
    """Return the presence check for this process, or for a person who was authenticated otherwise."""
    person = _AUTHENTICATED.get()
    if person is not None:
        return AuthenticatedPresence(person)
    return ProcessPresence(environment, signs, ancestors, terminal_name, decided_by=decided_by)


def terminal_session() -> str:
    """Return an identifier for the terminal or script that this process was started in."""
    return str(os.getsid(0))


def command_arguments() -> str:
    """Return the arguments of wisen's command line; empty in any other program."""
    return shlex.join(sys.argv[1:]) if sys.argv and PurePath(sys.argv[0]).name.startswith("wisen") else ""


def agent_of(process: Process, signs: Iterable[AgentSigns]) -> str:
    """Return the agent whose program a process is; empty if it is none.

    The name of the executable and the name the process gives itself count, and for an interpreter the script that it
    runs: a file of that name among other arguments is no agent.
    """
    paths = [process.executable, *process.arguments[:1]]
    names = {_program_name(path) for path in paths if path}
    if any(name.rstrip("0123456789.") in _INTERPRETERS for name in names):
        script = _script_of(process.arguments)
        paths.append(script)
        names.add(_program_name(script))
    for sign in signs:
        if names & {*sign.programs}:
            return sign.agent
        if any(f"/{package}/" in f"/{path.replace(os.sep, '/')}/" for path in paths for package in sign.packages):
            return sign.agent
    return ""


def terminal_name() -> str:
    """Return the terminal of this process (its standard streams or controlling terminal); empty if there is none."""
    for stream in (sys.stdin, sys.stderr, sys.stdout):
        with suppress(OSError, ValueError, AttributeError):
            if stream.isatty():
                return os.ttyname(stream.fileno())
    with suppress(OSError):
        file = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        os.close(file)
        return "/dev/tty"
    return ""


def _program_name(path: str) -> str:
    """Return the common name of a program. A login shell has a dash in front of it."""
    name = PurePath(path.strip().replace("\\", "/")).name.casefold().removeprefix("-")
    return next((name.removesuffix(each) for each in _SUFFIXES if name.endswith(each)), name)


def _script_of(arguments: Sequence[str]) -> str:
    """Return what an interpreter runs: its first argument that is no option, or the module after `-m`."""
    words = iter(arguments[1:])
    for word in words:
        if word == "-m":
            return next(words, "").split(".")[0]
        if word in ("-c", "-e", "-p", "--eval"):
            return ""
        if not word.startswith("-"):
            return word
    return ""
