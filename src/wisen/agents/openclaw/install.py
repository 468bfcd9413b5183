"""How OpenClaw is told to call us: our plug-in, in its openclaw.json, as values. It writes nothing.

Only values change there: the plug-in's entry, which says which home it calls, and its name where the user lists the
plug-ins that may be loaded. The plug-in itself (`plugin/`) is copied into OpenClaw's own folder of plug-ins, where it
is found without being named: older ones do not start where a folder is gone that settings name, and all refuse files
that are hard links, as some installers make them.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from wisen.agents.hook_config import observer_of
from wisen.agents.openclaw.newest_session import newest_session
from wisen.agents.openclaw.openclaw_paths import settings_file, state_directories
from wisen.agents.openclaw.read import AGENT
from wisen.errors import UsageError
from wisen.model.hook import CLIENT, Caller, Hook, HookSettings, Program, RegisteredHook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

PLUGIN = "wisen"
"""What OpenClaw calls our plug-in; its manifest says the same."""
FILES = ("index.js", "openclaw.plugin.json", "package.json")
FOLDER = ("extensions", PLUGIN)
"""Where in OpenClaw's state directory it is."""
_OLD_FOLDER = ("plugins", "wisen-openclaw")
"""Where in our home it was, with older versions, which had settings name it."""
_PATHS, _ENTRY, _ALLOWED = ("plugins", "load", "paths"), ("plugins", "entries", PLUGIN), ("plugins", "allow")
_ACCESS = "allowConversationAccess"
_TALK = ("before_prompt_build", "agent_end")
"""The events that OpenClaw does not tell a plug-in of without that."""


class OpenClawHooks:
    """Our plug-in in OpenClaw on this machine."""

    name = AGENT
    trust_instructions = (
        f"OpenClaw keeps conversations from the plug-in: {'.'.join(_ENTRY)}.hooks.{_ACCESS} is not true in its "
        "settings. Rules are not told then, and the end of a turn starts no cycle. `wisen install openclaw` sets it."
    )
    permission_notice = (
        f"{_ACCESS} lets the plug-in see what is said in your OpenClaw sessions. It needs your prompts to tell the "
        "agent the rules that matter to them, and to hear what you type to wisen; and the end of a turn, to start a "
        "cycle. What it sees goes to wisen's hook client on this machine, which keeps ids and no text, and nowhere "
        "else. Without it (set it to false) nothing is told at a session's start and at prompts; guards and fixes "
        "still work."
    )

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks say nothing in a directory, so that their silence there tells nothing."""
        self._is_off = is_off
        self._states = state_directories(home, environment)
        self._file = settings_file(home, environment)

    def file(self, project: Path | None = None) -> Path:
        """The user's settings. Raises: UsageError for a project, which can have none."""
        if project is not None:
            raise UsageError("OpenClaw has one settings file for all that it works on: leave out --scope project.")
        return self._file

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """The user's settings, and those of other profiles."""
        del project
        others = (state / "openclaw.json" for state in self._states)
        return tuple(dict.fromkeys((self._file, *others)))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """The entry; whether there are guards the plug-in sees itself."""
        entry = {"enabled": True, "hooks": {_ACCESS: True}, "config": {"home": caller.home}}
        return (
            Hook(event=".".join(_ENTRY), keys=_ENTRY, value=entry, keyed=True),
            Hook(event=".".join(_ALLOWED), keys=_ALLOWED, value=PLUGIN, where_listed=True),
        )

    def companion_files(self, settings: Path) -> Mapping[Path, bytes]:
        """The plug-in, in the state directory that the settings are of."""
        source, state = Path(__file__).with_name("plugin"), self._state_of(settings)
        return {state.joinpath(*FOLDER, name): (source / name).read_bytes() for name in FILES}

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """None: OpenClaw takes JSON5, and says itself what it does not start with."""
        del path, content
        return ""

    def parse(self, settings: object) -> HookSettings:
        """Our entry, what helps it to be loaded, and every other plug-in that is named."""
        plugins = _inside(settings, "plugins")
        callings = (*_helps(plugins), *_entries(plugins))
        allowed, denied = plugins.get("allow"), plugins.get("deny")
        entry = _inside(_inside(plugins, "entries"), PLUGIN)
        off = (
            plugins.get("enabled") is False
            or (isinstance(denied, list) and PLUGIN in denied)
            or (bool(entry) and isinstance(allowed, list) and PLUGIN not in allowed)
            or entry.get("enabled") is False
        )
        return HookSettings(callings=callings, switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """The events of conversations, where our entry is there and may not see them."""
        del path
        entry = _inside(_inside(_inside(settings, "plugins"), "entries"), PLUGIN)
        ours = _caller_in(entry) is not None
        return _TALK if ours and _inside(entry, "hooks").get(_ACCESS) is not True else ()

    def newest_session(self, settings: Path) -> datetime | None:
        """In the state directory that the settings are of."""
        return newest_session(self._state_of(settings), self._is_off)

    def _state_of(self, settings: Path) -> Path:
        return next((state for state in self._states if state == settings.parent), self._states[0])


def _helps(plugins: Mapping[str, Any]) -> Iterator[RegisteredHook]:
    paths, allowed = _inside(plugins, "load").get("paths"), plugins.get("allow")
    for at, path in enumerate(paths if isinstance(paths, list) else ()):
        if isinstance(path, str) and PurePath(path).parts[-len(_OLD_FOLDER) :] == _OLD_FOLDER:
            yield RegisteredHook(event=".".join(_PATHS), command=path, keys=(*_PATHS, at), helps=True)
    for at, name in enumerate(allowed if isinstance(allowed, list) else ()):
        if name == PLUGIN:
            yield RegisteredHook(event=".".join(_ALLOWED), command=name, keys=(*_ALLOWED, at), helps=True)


def _entries(plugins: Mapping[str, Any]) -> Iterator[RegisteredHook]:
    for name, entry in _inside(plugins, "entries").items():
        caller = _caller_in(entry) if name == PLUGIN else None
        if caller is not None:
            yield RegisteredHook(event=".".join(_ENTRY), command=name, keys=_ENTRY, caller=caller)
        elif isinstance(entry, dict) and entry.get("enabled") is not False and name != PLUGIN:
            yield RegisteredHook(event="", command=name, name=observer_of(name))


def _caller_in(entry: object) -> Caller | None:
    """What our plug-in runs, where an entry is one of ours."""
    config = _inside(entry, "config")
    python, client, home = (config.get(name) for name in ("python", "client", "home"))
    if isinstance(home, str) and python is None and client is None:
        return Caller(home=home)
    if not (isinstance(python, str) and isinstance(client, str) and isinstance(home, str)):
        return None
    ours = PurePath(client).parts[-len(CLIENT) :] == CLIENT
    return Caller(home=home, direct=Program(python=python, client=client)) if ours else None


def _inside(value: object, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
