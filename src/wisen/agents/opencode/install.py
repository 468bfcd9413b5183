"""Describes the plug-in that makes opencode call wisen, as a value for its settings. It writes nothing.

The plug-in (`plugin/wisen.js`) is copied into our home and listed by its URL there, with the home as its option. If it
is missing, opencode continues without it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from wisen.agents.hook_config import observer_of, parse_strict_json
from wisen.agents.opencode import OpenCode
from wisen.agents.opencode.read import AGENT
from wisen.agents.opencode.records import parse_milliseconds
from wisen.agents.sqlite_logs import cell_text, open_read_only
from wisen.model.hook import Caller, Hook, HookSettings, Program, RegisteredHook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

EVENT = "plugin"
"""The settings name no events: the plug-in is called on all of them."""
PLUGIN = ("plugins", "wisen-opencode", "wisen.js")
"""The path of the plug-in in our home."""
_OLD_PLUGIN = ("agents", "opencode", "plugin", "wisen.js")
"""The path in the package from which older versions loaded it."""
_NAMES = ("opencode.json", "opencode.jsonc")
_MAX_EXAMINED = 20
"""The number of newest sessions that are examined."""


class OpenCodeHooks:
    """The plug-in in opencode on this machine."""

    name = AGENT
    trust_instructions = ""

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks are disabled in a directory, so that missing calls there mean nothing."""
        self._is_off = is_off
        self._reader = OpenCode(home, environment)
        configured = environment.get("XDG_CONFIG_HOME")
        self._root = (Path(configured).expanduser() if configured else home / ".config") / "opencode"
        folder, file = (environment.get(name) for name in ("OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG"))
        self._extra_files = (
            *(Path(folder).expanduser() / name for name in _NAMES if folder),
            *((Path(file).expanduser(),) if file else ()),
        )

    def file(self, project: Path | None = None) -> Path:
        """Return the user's settings or those in a project's folder; the `.jsonc` file if only that exists."""
        folder = self._root if project is None else project / ".opencode"
        json_file, jsonc_file = (folder / name for name in _NAMES)
        return jsonc_file if jsonc_file.exists() and not json_file.exists() else json_file

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return every settings file that opencode would read."""
        folders = (self._root,) if project is None else (self._root, project, project / ".opencode")
        return tuple(dict.fromkeys((*(folder / name for folder in folders for name in _NAMES), *self._extra_files)))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return the plug-in, which finds out itself whether there are guards."""
        plugin = Path(caller.home, *PLUGIN)
        return (Hook(event=EVENT, keys=("plugin",), value=[plugin.as_uri(), {"home": caller.home}]),)

    def shipped_files(self, caller: Caller) -> Mapping[Path, bytes]:
        """Return the plug-in."""
        return {Path(caller.home, *PLUGIN): (Path(__file__).parent / "plugin" / PLUGIN[-1]).read_bytes()}

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """opencode 1.18 accepts comments and trailing commas, but does not start with otherwise invalid JSON."""
        del path
        fault = parse_strict_json(content, allow_comments=True, allow_trailing_commas=True)[1]
        return f"opencode does not start with this file: {fault}" if fault else ""

    def parse(self, settings: object) -> HookSettings:
        """Return our plug-in and those that are known to observe sessions."""
        return HookSettings(callings=tuple(_plugins(settings)))

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return nothing: opencode runs all plug-ins in its settings."""
        del path, settings
        return ()

    def newest_session(self, settings: Path) -> datetime | None:
        """Return when the newest session in the database began; sub-agents do not count."""
        project = None if settings in self.files() else _project_of(settings)
        starts = [each for source in self._reader.sources() for each in self._session_starts(source.path, project)]
        return max(starts, default=None)

    def _session_starts(self, database: Path, project: Path | None) -> Iterator[datetime]:
        query = "SELECT directory, time_created FROM session WHERE parent_id IS NULL ORDER BY time_created DESC LIMIT ?"
        try:
            with closing(open_read_only(database)) as connection:
                rows = connection.execute(query, (_MAX_EXAMINED,)).fetchall()
        except (OSError, sqlite3.Error):
            return
        for place, created in rows:
            directory = cell_text(place or b"")
            is_elsewhere = project is not None and project not in (Path(directory), *Path(directory).parents)
            if not is_elsewhere and not self._is_off(directory) and isinstance(created, int):
                yield from filter(None, [parse_milliseconds(created)])


def _plugins(settings: object) -> Iterator[RegisteredHook]:
    listed = settings.get("plugin") if isinstance(settings, dict) else None
    for at, each in enumerate(listed if isinstance(listed, list) else ()):
        spec, options = (*each, None)[:2] if isinstance(each, list) and each else (each, None)
        if not isinstance(spec, str):
            continue
        caller = _parse_plugin_caller(spec, options)
        keys = ("plugin", at)
        if caller is not None:
            yield RegisteredHook(event=EVENT, command=spec, keys=keys, caller=caller)
        elif name := observer_of(spec):
            yield RegisteredHook(event="", command=spec, keys=keys, name=name)


def _parse_plugin_caller(spec: str, options: Any) -> Caller | None:
    """Return what our plug-in runs, of this or another installation; None for other plug-ins."""
    parts = PurePath(unquote(urlsplit(spec).path)).parts if spec.startswith("file:") else ()
    values = options if isinstance(options, dict) else {}
    python, client, home = (str(values.get(name, "")) for name in ("python", "client", "home"))
    if parts[-len(PLUGIN) :] == PLUGIN:
        return Caller(home=home)
    is_old = parts[-len(_OLD_PLUGIN) :] == _OLD_PLUGIN
    return Caller(home=home, direct=Program(python=python, client=client)) if is_old else None


def _project_of(settings: Path) -> Path:
    """Return the project that a settings file belongs to."""
    return settings.parent.parent if settings.parent.name == ".opencode" else settings.parent
