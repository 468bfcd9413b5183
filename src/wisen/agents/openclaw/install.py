"""Describes the plug-in that makes OpenClaw call wisen, as values for its openclaw.json. It writes nothing.

Two values change there: the plug-in's entry, which names the home it calls, and its name in the user's list of allowed
plug-ins, if there is one. The plug-in itself (`plugin/`) is copied into OpenClaw's own plug-in folder, where it need
not be listed: older versions do not start if a listed folder is missing, and all versions reject hard links, which
some installers create.
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
"""The name of our plug-in in OpenClaw, as in its manifest."""
FILES = ("index.js", "openclaw.plugin.json", "package.json")
FOLDER = ("extensions", PLUGIN)
"""The folder of the plug-in in OpenClaw's state directory."""
_OLD_FOLDER = ("plugins", "wisen-openclaw")
"""The folder in our home that older versions listed in the settings."""
_PATHS, _ENTRY, _ALLOWED = ("plugins", "load", "paths"), ("plugins", "entries", PLUGIN), ("plugins", "allow")
_ACCESS = "allowConversationAccess"
_CONVERSATION_EVENTS = ("before_prompt_build", "agent_end")
"""The events that OpenClaw withholds from plug-ins without this access."""


class OpenClawHooks:
    """Our plug-in in OpenClaw on this machine."""

    name = AGENT
    trust_instructions = (
        f"OpenClaw withholds conversations from the plug-in: {'.'.join(_ENTRY)}.hooks.{_ACCESS} is not true in its "
        "settings. So rules are not delivered, and the end of a turn starts no cycle. `wisen install openclaw` sets it."
    )
    permission_notice = (
        f"{_ACCESS} lets the plug-in see what is said in your OpenClaw sessions. It needs your prompts to deliver the "
        "rules that apply to them and to receive what you type to wisen, and the end of a turn to start a cycle. What "
        "it sees goes to wisen's hook client on this machine, which stores ids and no text, and nowhere else. Without "
        "it (set it to false), nothing is delivered at the start of a session or with prompts; guards and fixes still "
        "work."
    )

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks are disabled in a directory, so that missing calls there mean nothing."""
        self._is_off = is_off
        self._states = state_directories(home, environment)
        self._file = settings_file(home, environment)

    def file(self, project: Path | None = None) -> Path:
        """Return the user's settings. Raises: UsageError for a project, which can have none."""
        if project is not None:
            raise UsageError("OpenClaw has one settings file for all projects: leave out --scope project.")
        return self._file

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return the user's settings and those of other profiles."""
        del project
        others = (state / "openclaw.json" for state in self._states)
        return tuple(dict.fromkeys((self._file, *others)))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return the plug-in's entry; the plug-in finds out itself whether there are guards."""
        entry = {"enabled": True, "hooks": {_ACCESS: True}, "config": {"home": caller.home}}
        return (
            Hook(event=".".join(_ENTRY), keys=_ENTRY, value=entry, keyed=True),
            Hook(event=".".join(_ALLOWED), keys=_ALLOWED, value=PLUGIN, where_listed=True),
        )

    def companion_files(self, settings: Path) -> Mapping[Path, bytes]:
        """Return the plug-in's files in the state directory that the settings belong to."""
        source, state = Path(__file__).with_name("plugin"), self._state_of(settings)
        return {state.joinpath(*FOLDER, name): (source / name).read_bytes() for name in FILES}

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Return nothing: OpenClaw accepts JSON5, and reports itself what it does not start with."""
        del path, content
        return ""

    def parse(self, settings: object) -> HookSettings:
        """Return our entry, the values that help to load it, and every other plug-in in the settings."""
        plugins = _section(settings, "plugins")
        callings = (*_supporting_values(plugins), *_entries(plugins))
        allowed, denied = plugins.get("allow"), plugins.get("deny")
        entry = _section(_section(plugins, "entries"), PLUGIN)
        off = (
            plugins.get("enabled") is False
            or (isinstance(denied, list) and PLUGIN in denied)
            or (bool(entry) and isinstance(allowed, list) and PLUGIN not in allowed)
            or entry.get("enabled") is False
        )
        return HookSettings(callings=callings, switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return the conversation events if our entry exists without access to them."""
        del path
        entry = _section(_section(_section(settings, "plugins"), "entries"), PLUGIN)
        is_installed = _parse_entry_caller(entry) is not None
        return _CONVERSATION_EVENTS if is_installed and _section(entry, "hooks").get(_ACCESS) is not True else ()

    def newest_session(self, settings: Path) -> datetime | None:
        """Return when the newest session began in the state directory that the settings belong to."""
        return newest_session(self._state_of(settings), self._is_off)

    def _state_of(self, settings: Path) -> Path:
        return next((state for state in self._states if state == settings.parent), self._states[0])


def _supporting_values(plugins: Mapping[str, Any]) -> Iterator[RegisteredHook]:
    paths, allowed = _section(plugins, "load").get("paths"), plugins.get("allow")
    for at, path in enumerate(paths if isinstance(paths, list) else ()):
        if isinstance(path, str) and PurePath(path).parts[-len(_OLD_FOLDER) :] == _OLD_FOLDER:
            yield RegisteredHook(event=".".join(_PATHS), command=path, keys=(*_PATHS, at), helps=True)
    for at, name in enumerate(allowed if isinstance(allowed, list) else ()):
        if name == PLUGIN:
            yield RegisteredHook(event=".".join(_ALLOWED), command=name, keys=(*_ALLOWED, at), helps=True)


def _entries(plugins: Mapping[str, Any]) -> Iterator[RegisteredHook]:
    for name, entry in _section(plugins, "entries").items():
        caller = _parse_entry_caller(entry) if name == PLUGIN else None
        if caller is not None:
            yield RegisteredHook(event=".".join(_ENTRY), command=name, keys=_ENTRY, caller=caller)
        elif isinstance(entry, dict) and entry.get("enabled") is not False and name != PLUGIN:
            yield RegisteredHook(event="", command=name, name=observer_of(name))


def _parse_entry_caller(entry: object) -> Caller | None:
    """Return what our plug-in runs, if an entry is one of ours."""
    config = _section(entry, "config")
    python, client, home = (config.get(name) for name in ("python", "client", "home"))
    if isinstance(home, str) and python is None and client is None:
        return Caller(home=home)
    if not (isinstance(python, str) and isinstance(client, str) and isinstance(home, str)):
        return None
    is_our_client = PurePath(client).parts[-len(CLIENT) :] == CLIENT
    return Caller(home=home, direct=Program(python=python, client=client)) if is_our_client else None


def _section(value: object, name: str) -> dict[str, Any]:
    section = value.get(name) if isinstance(value, dict) else None
    return section if isinstance(section, dict) else {}
