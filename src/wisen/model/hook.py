"""Hooks: the commands that agents run for us, the settings they are registered in, and their health."""

from __future__ import annotations

import shlex
from datetime import datetime  # noqa: TC003 - a heartbeat is decoded by its field types
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from msgspec import Struct

CLIENT = ("surfaces", "hook", "client.py")
"""The path in the package of the file that answers hooks."""
LAUNCHER = "hook"
"""The file of the home that agents run: a shell script that knows the interpreter and the client."""
BUNDLE, PARTS = "hook-client.pyc", "hook-client.parts"
"""The files beside it from which the client runs quickly: see `delivery/hook_bundle.py`."""


class Program(Struct, frozen=True, kw_only=True):
    """What the launcher starts."""

    python: str
    client: str
    """The file of the hook client."""


class Caller(Struct, frozen=True, kw_only=True):
    """What an agent runs when it calls us: the launcher of a home."""

    home: str
    direct: Program | None = None
    """What is run without a launcher, in settings written by an older version: it breaks if that program is gone."""

    @property
    def launcher(self) -> str:
        """Return the path of the launcher."""
        return str(PurePath(self.home, LAUNCHER))

    def command(self, event: str, agent: str) -> str:
        """Return the shell command line for one of our events.

        It never changes for a home, an agent and an event: Codex would ask the user to trust it again. Whatever is
        missing or broken, it exits with 0 and prints nothing; `cat` consumes the input that the launcher did not read,
        because an agent may treat a closed pipe as an error.
        """
        return f"/bin/sh {shlex.quote(self.launcher)} {agent} {event} 2>/dev/null || cat >/dev/null 2>&1 || :"


def parse_caller(command: str, agent: str) -> Caller | None:
    """Parse a command; None unless it is ours for this agent, of this or another installation."""
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
    """Parse a command of an older version: `PYTHON -I -S CLIENT --home HOME [--agent AGENT] EVENT`."""
    if len(words) < 7 or words[1:3] != ["-I", "-S"] or words[4] != "--home" or PurePath(words[3]).parts[-3:] != CLIENT:
        return None
    if words[6:-1] not in ([], ["--agent", agent]):
        return None
    return Caller(home=words[5], direct=Program(python=words[0], client=words[3]))


class Hook(Struct, frozen=True, kw_only=True):
    """One hook that belongs in an agent's settings: the value, and the list it belongs to or its own key."""

    event: str
    """The agent's name of the event."""
    keys: tuple[str, ...]
    value: Any
    """A JSON value: an object, or a string."""
    keyed: bool = False
    """Whether the value itself is stored under these keys; otherwise it is an item of the list there."""
    where_listed: bool = False
    """Whether it is only added if the user already has such a list."""


class RegisteredHook(Struct, frozen=True, kw_only=True):
    """A hook or plug-in in an agent's settings, ours or somebody else's."""

    event: str
    """Empty for a plug-in."""
    command: str
    """The command line, or the name of the plug-in."""
    keys: tuple[str | int, ...] = ()
    """Where in the settings it is: the list and the index in it, or its own key."""
    name: str = ""
    """The name of its product, if known."""
    caller: Caller | None = None
    """What it runs, if it is ours."""
    helps: bool = False
    """It is ours and runs nothing itself, but the agent needs it to find or load the hook."""

    @property
    def is_ours(self) -> bool:
        """Return whether this or another installation of wisen registered it."""
        return self.caller is not None or self.helps


class HookSettings(Struct, frozen=True, kw_only=True):
    """What the settings of an agent say about hooks."""

    callings: tuple[RegisteredHook, ...] = ()
    switched_off: bool = False
    """Whether they disable all hooks."""


class RewrittenFile(Struct, frozen=True):
    """The content of a settings file before and after; None if it does not exist."""

    path: str
    held: bytes | None
    holds: bytes | None


class HookState(StrEnum):
    """Whether our hooks are installed in an agent."""

    INSTALLED = "installed"
    UNTRUSTED = "installed, not trusted"
    """The agent does not run some of our hooks until the user has trusted them."""
    NOT_INSTALLED = "not installed"
    BROKEN = "broken"


class HookStatus(Struct, frozen=True, kw_only=True):
    """The hook status of one agent."""

    agent: str
    state: HookState
    files: tuple[str, ...] = ()
    """The settings files that hold our hooks, or should."""
    faults: tuple[str, ...] = ()
    """Descriptions of what is broken."""
    untrusted: tuple[str, ...] = ()
    """The events whose hooks the agent does not run until the user has trusted them."""
    trusting: str = ""
    """How to trust them; empty if the agent needs no trust."""
    others: tuple[RegisteredHook, ...] = ()
    """Hooks of others."""
    since: datetime | None = None
    """When they were installed, if the ledger knows."""
    newest_session: datetime | None = None
    """When the newest session began, according to the agent's log."""


class HookLatency(Struct, frozen=True, kw_only=True):
    """Milliseconds that an agent waits for our hooks."""

    prompt: float
    call: float
    """Before each tool call, if no guard is active."""
    guarded_call: float
    """Before each tool call, if a guard is active."""


class HookInstallation(Struct, frozen=True):
    """What was done to the settings of an agent, or would be."""

    files: tuple[RewrittenFile, ...]
    before: HookStatus
    after: HookStatus
    grants: str = ""
    """Description of what the settings let us see or do beyond the hook events."""
    cost: HookLatency | None = None
    """The latency that the hooks will add, if they are installed."""

    @property
    def changed(self) -> tuple[RewrittenFile, ...]:
        """Return the files whose content changes."""
        return tuple(each for each in self.files if each.held != each.holds)


class Heartbeat(Struct, frozen=True):
    """When a hook last fired."""

    at: datetime
    agent: str = ""


class HookFailure(Struct, frozen=True):
    """The last error inside the hook client; only its type is kept."""

    kind: str
    at: datetime | None = None
    event: str = ""


class HookHealth(Struct, frozen=True, kw_only=True):
    """The health of hooks and deliveries, according to the files of the home."""

    beats: dict[str, Heartbeat] = {}
    """The newest heartbeat of each event."""
    failure: HookFailure | None = None
    waiting: int = 0
    """How many bytes of the spool have not been ingested."""
    waiting_since: datetime | None = None
    snapshot: str = ""
    """What is wrong with the snapshot; empty if nothing is."""
    problem: str = ""
    """Why the spool cannot be read or written; empty if it can."""
    free: int | None = None
    """Free bytes on the disk of the home; None if unknown."""

    @property
    def last_heartbeat(self) -> datetime | None:
        """Return when any hook last fired."""
        return max((beat.at for beat in self.beats.values()), default=None)
