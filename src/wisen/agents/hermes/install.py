"""How Hermes is told to call us: a plug-in of two files in its folder, as values. It writes nothing.

Hermes' shell hooks cannot say anything between a failed call and the model's next step, and ask for consent to each
command; a plug-in can, and is enabled once. Hermes runs it only after the user has enabled it, in its config.yaml.
Nobody does that for him: here is only told whether he did.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.agents.hermes.read import AGENT
from wisen.agents.hook_config import observer_of
from wisen.agents.sqlite_logs import cell_text, column_names, open_read_only
from wisen.model.hook import Hook, HookSettings, RegisteredHook, parse_caller
from wisen.safety.regular_files import SIDE_FILE, read_regular_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from wisen.model.hook import Caller

PLUGIN = "wisen"
"""What the plug-in is called in Hermes, after its folder."""
EVENTS = (
    ("pre_llm_call", "session-start"),
    ("pre_llm_call", "prompt"),
    ("pre_tool_call", "before-call"),
    ("transform_tool_result", "failure"),
    ("on_session_end", "stop"),
    ("on_session_finalize", "session-end"),
)
"""What Hermes calls its events, and what we call them. Only with a prompt it takes a text for the model."""
_UNTOLD = "subagent"
"""SessionTable that are told nothing at their start: nobody types there."""
_NEWEST = 50
"""So many of the sessions that began last are looked at for the newest one that counts."""


class HermesHooks:
    """The plug-in in Hermes on this machine."""

    name = AGENT
    trust_instructions = (
        f"Run `hermes plugins enable {PLUGIN}`; to its question whether the plugin may replace built-in tools say no."
        " It holds from the next session on."
    )

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks say nothing in a directory, so that their silence there tells nothing."""
        self._is_off = is_off
        moved = environment.get("HERMES_HOME")
        self._root = Path(moved).expanduser() if moved else home / ".hermes"

    def file(self, project: Path | None = None) -> Path:
        """The file that says what the plug-in runs; a project may have plug-ins of its own."""
        folder = self._root if project is None else project / ".hermes"
        return folder / "plugins" / PLUGIN / "plugin.yaml"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """That file, the user's and the project's, and the settings in which shell hooks of others stand."""
        there = () if project is None else (self.file(project),)
        return tuple(dict.fromkeys((self._root / "config.yaml", self.file(), *there)))

    def companion_files(self, settings: Path) -> dict[Path, bytes]:
        """The plug-in itself, which stands beside the file that says what it runs."""
        if settings.name != self.file().name:
            return {}
        return {settings.with_name("__init__.py"): Path(__file__).with_name("plugin.py").read_bytes()}

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """What is run at each event."""
        return tuple(
            Hook(event=event, keys=("calls", event), value={"command": caller.command(own, AGENT)})
            for event, own in EVENTS
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """None: the file is ours, and what Hermes 0.19 takes in YAML is what can be read here."""
        del path, content
        return ""

    def parse(self, settings: object) -> HookSettings:
        """Every command of our plug-in and of shell hooks, and every plug-in that is enabled and known to observe."""
        if not isinstance(settings, dict):
            return HookSettings()
        named = (*_commands(settings, "calls"), *_commands(settings, "hooks"), *_plugins(settings))
        return HookSettings(callings=named)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """All of it, unless config.yaml says that the plug-in is enabled."""
        ours = [each.event for each in self.parse(settings).callings if each.caller is not None]
        return () if not ours or self._is_enabled() else tuple(dict.fromkeys(ours))

    def newest_session(self, settings: Path) -> datetime | None:
        """By the database of sessions, without those of sub-agents, which get nothing at their start."""
        project = None if settings == self.file() else settings.parents[3]
        try:
            with closing(open_read_only(self._root / "state.db")) as database:
                place = "cwd" if "cwd" in column_names(database, "sessions") else "NULL"
                query = f"SELECT started_at, source, {place} FROM sessions ORDER BY started_at DESC LIMIT {_NEWEST}"  # noqa: S608 - words of ours
                found = [self._began(at, source, cwd, project) for at, source, cwd in database.execute(query)]
        except (sqlite3.Error, OSError):
            return None
        return max(filter(None, found), default=None)

    def _began(self, at: object, source: bytes, place: bytes | None, project: Path | None) -> datetime | None:
        """When a session began, unless it is of another project, of nobody, or of a place where we are switched off."""
        where = cell_text(place or b"")
        elsewhere = project is not None and project not in (Path(where), *Path(where).parents)
        if elsewhere or cell_text(source) == _UNTOLD or self._is_off(where) or not isinstance(at, int | float):
            return None
        try:
            return datetime.fromtimestamp(at, UTC)
        except (ValueError, OverflowError, OSError):
            return None

    def _is_enabled(self) -> bool:
        """Whether the user has enabled the plug-in, and not disabled it, which goes before."""
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        try:
            told: Any = YAML(typ="safe", pure=True).load(read_regular_text(self._root / "config.yaml", SIDE_FILE))
        except (OSError, ValueError, YAMLError):
            return False
        plugins = told.get("plugins") if isinstance(told, dict) else None
        return PLUGIN in _names(plugins, "enabled") and PLUGIN not in _names(plugins, "disabled")


def _names(plugins: object, key: str) -> list[object]:
    found = plugins.get(key) if isinstance(plugins, dict) else None
    return found if isinstance(found, list) else []


def _commands(settings: dict[str, Any], below: str) -> Iterator[RegisteredHook]:
    """Every command by its event: of our plug-in below `calls`, of shell hooks below `hooks`."""
    events = settings.get(below)
    for event, entries in events.items() if isinstance(events, dict) else ():
        for at, each in enumerate(entries if isinstance(entries, list) else ()):
            command = each.get("command") if isinstance(each, dict) else None
            if isinstance(command, str) and isinstance(event, str):
                ours = parse_caller(command, AGENT) if below == "calls" else None
                keys = (below, event, at)
                yield RegisteredHook(event=event, command=command, keys=keys, name=observer_of(command), caller=ours)


def _plugins(settings: dict[str, Any]) -> Iterator[RegisteredHook]:
    for plugin in _names(settings.get("plugins"), "enabled"):
        if isinstance(plugin, str) and (name := observer_of(plugin)):
            yield RegisteredHook(event="", command=plugin, name=name)
