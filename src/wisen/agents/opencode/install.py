"""How opencode is told to call us: a plug-in of ours in the list of them in its settings, as values. It writes nothing.

The plug-in (`plugin/wisen.js`) is copied into our home and named by its address there, with the home as its option.
MessagePath it is gone, opencode goes on without it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from wisen.agents.hook_config import observer_of, parse_strict_json
from wisen.agents.opencode import OpenCode
from wisen.agents.opencode.read import AGENT
from wisen.agents.sqlite_logs import cell_text, open_read_only
from wisen.model.hook import Caller, Hook, HookSettings, Program, RegisteredHook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

EVENT = "plugin"
"""There are no events in the settings: the plug-in is called on all of them."""
PLUGIN = ("plugins", "wisen-opencode", "wisen.js")
"""MessagePath in our home the plug-in is."""
_OLD_PLUGIN = ("agents", "opencode", "plugin", "wisen.js")
"""MessagePath in the package older versions had it loaded from."""
_NAMES = ("opencode.json", "opencode.jsonc")
_NEWEST = 20
"""So many of the newest sessions are looked at."""


class OpenCodeHooks:
    """The plug-in in opencode on this machine."""

    name = AGENT
    trust_instructions = ""

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks say nothing in a directory, so that their silence there tells nothing."""
        self._is_off = is_off
        self._reader = OpenCode(home, environment)
        configured = environment.get("XDG_CONFIG_HOME")
        self._root = (Path(configured).expanduser() if configured else home / ".config") / "opencode"
        folder, file = (environment.get(name) for name in ("OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG"))
        self._more = (
            *(Path(folder).expanduser() / name for name in _NAMES if folder),
            *((Path(file).expanduser(),) if file else ()),
        )

    def file(self, project: Path | None = None) -> Path:
        """The user's settings, or those in a project's folder of its own; those with comments where they are there."""
        folder = self._root if project is None else project / ".opencode"
        usual, commented = (folder / name for name in _NAMES)
        return commented if commented.exists() and not usual.exists() else usual

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Every settings file that opencode would read."""
        folders = (self._root,) if project is None else (self._root, project, project / ".opencode")
        return tuple(dict.fromkeys((*(folder / name for folder in folders for name in _NAMES), *self._more)))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """The plug-in; whether there are guards it sees itself."""
        plugin = Path(caller.home, *PLUGIN)
        return (Hook(event=EVENT, keys=("plugin",), value=[plugin.as_uri(), {"home": caller.home}]),)

    def shipped_files(self, caller: Caller) -> Mapping[Path, bytes]:
        """The plug-in."""
        return {Path(caller.home, *PLUGIN): (Path(__file__).parent / "plugin" / PLUGIN[-1]).read_bytes()}

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """opencode 1.18 takes comments and trailing commas; with what is no JSON beside that it does not start."""
        del path
        fault = parse_strict_json(content, allow_comments=True, allow_trailing_commas=True)[1]
        return f"opencode does not start with this file: {fault}" if fault else ""

    def parse(self, settings: object) -> HookSettings:
        """Every plug-in that the settings name: ours, and those of others that are known to observe."""
        return HookSettings(callings=tuple(_plugins(settings)))

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """None: opencode runs the plug-ins that stand in its settings."""
        del path, settings
        return ()

    def newest_session(self, settings: Path) -> datetime | None:
        """By the table of sessions; those of sub-agents do not count."""
        project = None if settings in self.files() else _project_of(settings)
        began = [each for source in self._reader.sources() for each in self._sessions(source.path, project)]
        return max(began, default=None)

    def _sessions(self, database: Path, project: Path | None) -> Iterator[datetime]:
        asked = "SELECT directory, time_created FROM session WHERE parent_id IS NULL ORDER BY time_created DESC LIMIT ?"
        try:
            with closing(open_read_only(database)) as connection:
                rows = connection.execute(asked, (_NEWEST,)).fetchall()
        except (OSError, sqlite3.Error):
            return
        for place, created in rows:
            where = cell_text(place or b"")
            elsewhere = project is not None and project not in (Path(where), *Path(where).parents)
            if not elsewhere and not self._is_off(where) and isinstance(created, int):
                yield datetime.fromtimestamp(created / 1000, UTC)


def _plugins(settings: object) -> Iterator[RegisteredHook]:
    listed = settings.get("plugin") if isinstance(settings, dict) else None
    for at, each in enumerate(listed if isinstance(listed, list) else ()):
        spec, options = (*each, None)[:2] if isinstance(each, list) and each else (each, None)
        if not isinstance(spec, str):
            continue
        caller = _caller(spec, options)
        keys = ("plugin", at)
        if caller is not None:
            yield RegisteredHook(event=EVENT, command=spec, keys=keys, caller=caller)
        elif name := observer_of(spec):
            yield RegisteredHook(event="", command=spec, keys=keys, name=name)


def _caller(spec: str, options: Any) -> Caller | None:
    """What our plug-in runs, of this or of another installation; None for others."""
    parts = PurePath(unquote(urlsplit(spec).path)).parts if spec.startswith("file:") else ()
    given = options if isinstance(options, dict) else {}
    python, client, home = (str(given.get(name, "")) for name in ("python", "client", "home"))
    if parts[-len(PLUGIN) :] == PLUGIN:
        return Caller(home=home)
    old = parts[-len(_OLD_PLUGIN) :] == _OLD_PLUGIN
    return Caller(home=home, direct=Program(python=python, client=client)) if old else None


def _project_of(settings: Path) -> Path:
    """The project that a settings file belongs to."""
    return settings.parent.parent if settings.parent.name == ".opencode" else settings.parent
