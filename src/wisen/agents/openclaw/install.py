"""How OpenClaw is told to call us: our plug-in, in its openclaw.json, as values. It writes nothing.

Only values change there: the folder that the plug-in is loaded from, its entry, which says what it runs, and its name
where the user lists the plug-ins that may be loaded. The plug-in itself (`plugin/`) is shipped to wisen's home, since
OpenClaw refuses files that are hard links, as some installers make them, and older ones do not start where the folder
is gone.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from wisen.agents.called import observer
from wisen.agents.openclaw.newest import newest_session
from wisen.agents.openclaw.places import settings_file, state_directories
from wisen.agents.openclaw.read import AGENT
from wisen.domain.hooks import CLIENT, Caller, Calling, Hook, HookSettings
from wisen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

PLUGIN = "wisen"
"""What OpenClaw calls our plug-in; its manifest says the same."""
FILES = ("index.js", "openclaw.plugin.json", "package.json")
FOLDER = ("plugins", "wisen-openclaw")
"""Where in the home it is."""
_PATHS, _ENTRY, _ALLOWED = ("plugins", "load", "paths"), ("plugins", "entries", PLUGIN), ("plugins", "allow")
_ACCESS = "allowConversationAccess"
_TALK = ("before_prompt_build", "agent_end")
"""The events that OpenClaw does not tell a plug-in of without that."""


class OpenClawHooks:
    """Our plug-in in OpenClaw on this machine."""

    name = AGENT
    trusting = (
        f"OpenClaw keeps conversations from the plug-in: {'.'.join(_ENTRY)}.hooks.{_ACCESS} is not true in its "
        "settings. Rules are not told then, and the end of a turn starts no cycle. `wisen install openclaw` sets it."
    )
    grants = (
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

    def wanted(self, caller: Caller, *, guards: Sequence[str] = ()) -> tuple[Hook, ...]:
        """The same with and without guards: the plug-in looks for itself whether there are any."""
        del guards
        config = {"python": caller.python, "client": caller.client, "home": caller.home}
        entry = {"enabled": True, "hooks": {_ACCESS: True}, "config": config}
        return (
            Hook(event=".".join(_PATHS), keys=_PATHS, value=str(Path(caller.home, *FOLDER))),
            Hook(event=".".join(_ENTRY), keys=_ENTRY, value=entry, keyed=True),
            Hook(event=".".join(_ALLOWED), keys=_ALLOWED, value=PLUGIN, where_listed=True),
        )

    def shipped(self, caller: Caller) -> Mapping[Path, bytes]:
        """The plug-in."""
        source = Path(__file__).with_name("plugin")
        return {Path(caller.home, *FOLDER, name): (source / name).read_bytes() for name in FILES}

    def read(self, settings: object) -> HookSettings:
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

    def untrusted(self, path: Path, settings: object) -> tuple[str, ...]:
        """The events of conversations, where our entry is there and may not see them."""
        del path
        entry = _inside(_inside(_inside(settings, "plugins"), "entries"), PLUGIN)
        ours = _caller_in(entry) is not None
        return _TALK if ours and _inside(entry, "hooks").get(_ACCESS) is not True else ()

    def newest_session(self, settings: Path) -> datetime | None:
        """In the state directory that the settings are of."""
        states = [state for state in self._states if state == settings.parent] or self._states[:1]
        return max(filter(None, (newest_session(state, self._is_off) for state in states)), default=None)


def _helps(plugins: Mapping[str, Any]) -> Iterator[Calling]:
    paths, allowed = _inside(plugins, "load").get("paths"), plugins.get("allow")
    for at, path in enumerate(paths if isinstance(paths, list) else ()):
        if isinstance(path, str) and PurePath(path).parts[-len(FOLDER) :] == FOLDER:
            yield Calling(event=".".join(_PATHS), command=path, keys=(*_PATHS, at), helps=True)
    for at, name in enumerate(allowed if isinstance(allowed, list) else ()):
        if name == PLUGIN:
            yield Calling(event=".".join(_ALLOWED), command=name, keys=(*_ALLOWED, at), helps=True)


def _entries(plugins: Mapping[str, Any]) -> Iterator[Calling]:
    for name, entry in _inside(plugins, "entries").items():
        caller = _caller_in(entry) if name == PLUGIN else None
        if caller is not None:
            yield Calling(event=".".join(_ENTRY), command=name, keys=_ENTRY, caller=caller)
        elif isinstance(entry, dict) and entry.get("enabled") is not False and name != PLUGIN:
            yield Calling(event="", command=name, name=observer(name))


def _caller_in(entry: object) -> Caller | None:
    """What our plug-in runs, where an entry is one of ours."""
    config = _inside(entry, "config")
    python, client, home = (config.get(name) for name in ("python", "client", "home"))
    if not (isinstance(python, str) and isinstance(client, str) and isinstance(home, str)):
        return None
    ours = PurePath(client).parts[-len(CLIENT) :] == CLIENT
    return Caller(python=python, client=client, home=home) if ours else None


def _inside(value: object, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
