"""Describes the plug-in that makes Hermes call wisen, as values: two files in its folder. It writes nothing.

Hermes' shell hooks cannot add text between a failed call and the model's next step, and require consent for each
command; a plug-in can, and is enabled once. Hermes runs it only after the user has enabled it in its config.yaml. Only
users can do that; this module only reports whether they did.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.agents.hermes.read import AGENT, parse_stamp
from wisen.agents.hook_config import observer_of
from wisen.agents.sqlite_logs import cell_text, column_names, open_read_only
from wisen.model.hook import Hook, HookSettings, RegisteredHook, parse_caller
from wisen.safety.foreign_settings import parse_yaml
from wisen.safety.regular_files import MAX_SIDE_FILE_BYTES, read_regular_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from wisen.model.hook import Caller

PLUGIN = "wisen"
"""The name of the plug-in in Hermes, taken from its folder."""
EVENTS = (
    ("pre_llm_call", "session-start"),
    ("pre_llm_call", "prompt"),
    ("pre_tool_call", "before-call"),
    ("transform_tool_result", "failure"),
    ("on_session_end", "stop"),
    ("on_session_finalize", "session-end"),
)
"""Hermes' event names, and ours. It accepts text for the model only with a prompt."""
_SUB_AGENT = "subagent"
"""The source of sessions that get no text at their start: nobody types there."""
_MAX_EXAMINED = 50
"""The number of recent sessions that are searched for the newest one that counts."""


class HermesHooks:
    """The plug-in in Hermes on this machine."""

    name = AGENT
    trust_instructions = (
        f"Run `hermes plugins enable {PLUGIN}`, and answer no when it asks whether the plug-in may replace built-in "
        "tools. It takes effect with the next session."
    )

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks are disabled in a directory, so that missing calls there mean nothing."""
        self._is_off = is_off
        moved = environment.get("HERMES_HOME")
        self._root = Path(moved).expanduser() if moved else home / ".hermes"

    def file(self, project: Path | None = None) -> Path:
        """Return the file that lists the commands of the plug-in; a project may have plug-ins of its own."""
        folder = self._root if project is None else project / ".hermes"
        return folder / "plugins" / PLUGIN / "plugin.yaml"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return that file of the user and the project, and the settings with the shell hooks of other tools."""
        project_files = () if project is None else (self.file(project),)
        return tuple(dict.fromkeys((self._root / "config.yaml", self.file(), *project_files)))

    def companion_files(self, settings: Path) -> dict[Path, bytes]:
        """Return the plug-in itself, which is stored next to the file that lists its commands."""
        if settings.name != self.file().name:
            return {}
        return {settings.with_name("__init__.py"): Path(__file__).with_name("plugin.py").read_bytes()}

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return the command to run at each event."""
        return tuple(
            Hook(event=event, keys=("calls", event), value={"command": caller.command(our_event, AGENT)})
            for event, our_event in EVENTS
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Return nothing: the file is ours, and Hermes 0.19 accepts the same YAML as this program."""
        del path, content
        return ""

    def parse(self, settings: object) -> HookSettings:
        """Return every command of our plug-in and of shell hooks, and every enabled plug-in known to observe."""
        if not isinstance(settings, dict):
            return HookSettings()
        callings = (
            *_configured_commands(settings, "calls"),
            *_configured_commands(settings, "hooks"),
            *_plugins(settings),
        )
        return HookSettings(callings=callings)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return all events, unless the plug-in is enabled in config.yaml."""
        events = [each.event for each in self.parse(settings).callings if each.caller is not None]
        return () if not events or self._is_enabled() else tuple(dict.fromkeys(events))

    def newest_session(self, settings: Path) -> datetime | None:
        """Return when the newest session in the database began, without sub-agents, which get no text at start."""
        project = None if settings == self.file() else settings.parents[3]
        try:
            with closing(open_read_only(self._root / "state.db")) as database:
                place = "cwd" if "cwd" in column_names(database, "sessions") else "NULL"
                query = (
                    f"SELECT started_at, source, {place} FROM sessions ORDER BY started_at DESC LIMIT {_MAX_EXAMINED}"  # noqa: S608 - constants of this file
                )
                starts = [self._session_start(at, source, cwd, project) for at, source, cwd in database.execute(query)]
        except (sqlite3.Error, OSError):
            return None
        return max(filter(None, starts), default=None)

    def _session_start(self, at: object, source: bytes, place: bytes | None, project: Path | None) -> datetime | None:
        """Return when a session began, unless it is of another project, a sub-agent, or wisen is disabled there."""
        directory = cell_text(place or b"")
        is_elsewhere = project is not None and project not in (Path(directory), *Path(directory).parents)
        if (
            is_elsewhere
            or cell_text(source) == _SUB_AGENT
            or self._is_off(directory)
            or not isinstance(at, int | float)
        ):
            return None
        return parse_stamp(at)

    def _is_enabled(self) -> bool:
        """Whether the user has enabled the plug-in and not disabled it, which takes precedence."""
        try:
            config: Any = parse_yaml(read_regular_text(self._root / "config.yaml", MAX_SIDE_FILE_BYTES))
        except (OSError, ValueError):
            return False
        plugins = config.get("plugins") if isinstance(config, dict) else None
        return PLUGIN in _names(plugins, "enabled") and PLUGIN not in _names(plugins, "disabled")


def _names(plugins: object, key: str) -> list[object]:
    names = plugins.get(key) if isinstance(plugins, dict) else None
    return names if isinstance(names, list) else []


def _configured_commands(settings: dict[str, Any], below: str) -> Iterator[RegisteredHook]:
    """Yield every command with its event: of our plug-in below `calls`, of shell hooks below `hooks`."""
    events = settings.get(below)
    for event, entries in events.items() if isinstance(events, dict) else ():
        for at, each in enumerate(entries if isinstance(entries, list) else ()):
            command = each.get("command") if isinstance(each, dict) else None
            if isinstance(command, str) and isinstance(event, str):
                caller = parse_caller(command, AGENT) if below == "calls" else None
                keys = (below, event, at)
                yield RegisteredHook(event=event, command=command, keys=keys, name=observer_of(command), caller=caller)


def _plugins(settings: dict[str, Any]) -> Iterator[RegisteredHook]:
    for plugin in _names(settings.get("plugins"), "enabled"):
        if isinstance(plugin, str) and (name := observer_of(plugin)):
            yield RegisteredHook(event="", command=plugin, name=name)
