"""Hooks: where an agent calls us while it works, what else it calls, and how it goes with that."""

from __future__ import annotations

import shlex
from datetime import datetime  # noqa: TC003 - a heartbeat is read from JSON by its types
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from msgspec import Struct

CLIENT = ("surfaces", "hook", "client.py")
"""Where in the package the file is that answers hooks."""
LAUNCHER = "hook"
"""The file of the home that agents run: a shell script, which knows the interpreter and the client."""


class Program(Struct, frozen=True, kw_only=True):
    """What the launcher starts."""

    python: str
    client: str
    """The file of the hook client."""


class Caller(Struct, frozen=True, kw_only=True):
    """What an agent runs when it calls us: the launcher of a home."""

    home: str
    direct: Program | None = None
    """What is run without a launcher, in settings that an older wisen wrote: an agent is in trouble when it is gone."""

    @property
    def launcher(self) -> str:
        """The file that is run."""
        return str(PurePath(self.home, LAUNCHER))

    def command(self, event: str, agent: str) -> str:
        """The command line for one of our events, as a shell reads it.

        It never changes for a home, an agent and an event: Codex would ask the user to trust it anew. Whatever is
        missing or broken, it ends with 0 and says nothing; what the launcher did not read is read by `cat`, because an
        agent may take it for an error when nobody reads what it writes.
        """
        return f"/bin/sh {shlex.quote(self.launcher)} {agent} {event} 2>/dev/null || cat >/dev/null 2>&1 || :"


def parse_caller(command: str, agent: str) -> Caller | None:
    """What a command runs, where it is one of our own for this agent, of this or of another installation."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if words[:1] == ["/bin/sh"] and len(words) > len(("sh", "launcher", "agent", "event")):
        home = PurePath(words[1]).parent
        caller = Caller(home=str(home))
        return caller if words == shlex.split(caller.command(words[3], agent)) else None
    return _direct_caller(words, agent)


def _direct_caller(words: list[str], agent: str) -> Caller | None:
    """What a command of an older wisen runs: `PYTHON -I -S CLIENT --home HOME [--agent AGENT] EVENT`."""
    if len(words) < 7 or words[1:3] != ["-I", "-S"] or words[4] != "--home" or PurePath(words[3]).parts[-3:] != CLIENT:
        return None
    if words[6:-1] not in ([], ["--agent", agent]):
        return None
    return Caller(home=words[5], direct=Program(python=words[0], client=words[3]))


class Hook(Struct, frozen=True, kw_only=True):
    """One hook that is to stand in an agent's settings: the value, and the list that it belongs to or its own place."""

    event: str
    """As the agent calls it."""
    keys: tuple[str, ...]
    value: Any
    """As JSON knows it: a mapping, or a text."""
    keyed: bool = False
    """The value stands under these keys itself; else it is one of a list that does."""
    where_listed: bool = False
    """It belongs there only where the user has such a list."""


class RegisteredHook(Struct, frozen=True, kw_only=True):
    """Somebody whom an agent calls: on an event, or in whatever way a plug-in wishes."""

    event: str
    """Empty for a plug-in."""
    command: str
    """The command line, or the name of the plug-in."""
    keys: tuple[str | int, ...] = ()
    """Where in the settings it stands: the list and the place in it, or its own key."""
    name: str = ""
    """Who it is, where we know it."""
    caller: Caller | None = None
    """What is run, where it is ours."""
    helps: bool = False
    """It is ours and runs nothing itself: without it the agent would not find or load what does."""

    @property
    def is_ours(self) -> bool:
        """Whether we put it there, or another installation of wisen did."""
        return self.caller is not None or self.helps


class HookSettings(Struct, frozen=True, kw_only=True):
    """What the settings of an agent say about hooks."""

    callings: tuple[RegisteredHook, ...] = ()
    switched_off: bool = False
    """Whether they forbid all hooks."""


class RewrittenFile(Struct, frozen=True):
    """A settings file before and after; None where there is none."""

    path: str
    held: bytes | None
    holds: bytes | None


class HookState(StrEnum):
    """Whether an agent calls us."""

    INSTALLED = "installed"
    UNTRUSTED = "installed, not trusted"
    """The agent does not run some of our hooks before the user has trusted them."""
    NOT_INSTALLED = "not installed"
    BROKEN = "broken"


class HookStatus(Struct, frozen=True, kw_only=True):
    """Hook status of one agent."""

    agent: str
    state: HookState
    files: tuple[str, ...] = ()
    """The settings in which our hooks stand, or should."""
    faults: tuple[str, ...] = ()
    """What is broken, in words for a person."""
    untrusted: tuple[str, ...] = ()
    """The events whose hooks the agent does not run before the user has trusted them."""
    trusting: str = ""
    """How he does that; empty where the agent asks for no such thing."""
    others: tuple[RegisteredHook, ...] = ()
    """Who else is called."""
    since: datetime | None = None
    """When they were installed, where the ledger tells."""
    newest_session: datetime | None = None
    """When the newest session began, by the agent's log."""


class HookLatency(Struct, frozen=True, kw_only=True):
    """Milliseconds that an agent waits for us."""

    prompt: float
    call: float
    """Before each call of a tool, while no guard is at work."""
    guarded_call: float
    """The same while one is."""


class HookInstallation(Struct, frozen=True):
    """What was done, or would be, to the settings of an agent."""

    files: tuple[RewrittenFile, ...]
    before: HookStatus
    after: HookStatus
    grants: str = ""
    """What the settings let us see or do beyond the events that we are called at, in words for the user."""
    cost: HookLatency | None = None
    """What the agent will wait for us, where it is told to call us."""

    @property
    def changed(self) -> tuple[RewrittenFile, ...]:
        """The files that hold something else now."""
        return tuple(each for each in self.files if each.held != each.holds)


class Heartbeat(Struct, frozen=True):
    """When a hook fired last."""

    at: datetime
    agent: str = ""


class HookFailure(Struct, frozen=True):
    """What went wrong inside the hook client last; only the kind of error is kept."""

    kind: str
    at: datetime | None = None


class HookHealth(Struct, frozen=True, kw_only=True):
    """What the files of the home tell about hooks and what they deliver."""

    beats: dict[str, Heartbeat] = {}
    """The newest of each event."""
    failure: HookFailure | None = None
    waiting: int = 0
    """How many bytes of the spool nobody has taken yet."""
    waiting_since: datetime | None = None
    snapshot: str = ""
    """What is wrong with the snapshot; empty where nothing is."""
    trouble: str = ""
    """Why the spool cannot be read or written; empty where it can."""
    free: int | None = None
    """How many bytes the disk of the home has left; None where it does not tell."""

    @property
    def last_heartbeat(self) -> datetime | None:
        """When any hook fired last."""
        return max((beat.at for beat in self.beats.values()), default=None)
