"""Describes the hooks that make Claude Code call wisen, as values for its settings files. It writes nothing.

Project hooks go into `settings.local.json`, which is not committed, because the command contains local paths.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.agents.claude_code.read import AGENT
from wisen.agents.event_collector import parse_time
from wisen.agents.hook_config import command_group, configured_commands, observer_of, parse_strict_json
from wisen.agents.log_files import file_source, files_below
from wisen.model.hook import Hook, HookSettings, RegisteredHook
from wisen.safety.regular_files import open_regular_file, read_at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from wisen.model.hook import Caller

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-call",
    "PostToolUseFailure": "failure",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
"""Claude Code's event names, and ours."""
_SECONDS = 10
"""Seconds after which Claude Code continues without an answer; the client itself gives up long before."""
_TYPES = {"hooks": dict, "permissions": dict, "env": dict, "enabledPlugins": dict, "cleanupPeriodDays": int}
"""Settings that users write, and the types that Claude Code accepts for them."""
_REPLACED_CHARACTERS = re.compile(r"[^A-Za-z0-9]")
"""Characters that Claude Code replaces by a dash in the folder name of a project."""
_MAX_EXAMINED = 20
"""The number of recently written files that are searched for the newest session."""
_HEADER_BYTES = 1 << 16


class ClaudeCodeHooks:
    """The hooks of Claude Code on this machine."""

    name = AGENT
    trust_instructions = ""

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks are disabled in a directory, so that missing calls there mean nothing."""
        self._is_off = is_off
        configured = environment.get("CLAUDE_CONFIG_DIR")
        self._root = Path(configured).expanduser() if configured else home / ".claude"

    def file(self, project: Path | None = None) -> Path:
        """Return the user's settings, or the uncommitted settings of a project."""
        return self._root / "settings.json" if project is None else project / ".claude" / "settings.local.json"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return the user's settings and both of the project's; in the home directory they may be the same."""
        user_file = self._root / "settings.json"
        project_files = () if project is None else (project / ".claude" / "settings.json", self.file(project))
        return tuple(dict.fromkeys((user_file, *project_files)))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return one hook per event, each in its own group; the one before calls matches all tools, as guards may."""
        return tuple(
            Hook(event=event, keys=("hooks", event), value=command_group(caller.command(our_event, AGENT), _SECONDS))
            for event, our_event in EVENTS.items()
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Claude Code 2.1 ignores a settings file entirely if it is not strict JSON or a setting has a wrong type."""
        del path
        settings, fault = parse_strict_json(content)
        if fault:
            return f"Claude Code ignores the whole file: {fault}"
        wrong = [name for name, kind in _TYPES.items() if name in settings and not isinstance(settings[name], kind)]
        return f"Claude Code ignores the whole file: {wrong[0]} has a type that it does not accept" if wrong else ""

    def parse(self, settings: object) -> HookSettings:
        """Return every command below `hooks`, and every enabled plug-in that is known to observe sessions."""
        if not isinstance(settings, dict):
            return HookSettings()
        off = settings.get("disableAllHooks") is True
        return HookSettings(callings=(*configured_commands(settings, AGENT), *_plugins(settings)), switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return nothing: Claude Code runs whatever is in its settings."""
        del path, settings
        return ()

    def newest_session(self, settings: Path) -> datetime | None:
        """Return the latest first timestamp of a transcript; sub-agents are excluded, as they call no start hook."""
        folder = self._root / "projects"
        if settings.parent != self._root:
            folder /= _REPLACED_CHARACTERS.sub("-", str(settings.parent.parent))
        sources = [file_source(AGENT, path) for path in files_below(folder, ".jsonl")]
        main_sources = [source for source in sources if "subagents" not in source.path.parts]
        newest = sorted(main_sources, key=lambda source: -source.modified_ns)[:_MAX_EXAMINED]
        return max(filter(None, (self._session_start(source.path) for source in newest)), default=None)

    def _session_start(self, path: Path) -> datetime | None:
        """Return the first timestamp of a transcript, unless wisen is disabled in its directory."""
        try:
            with open_regular_file(path) as file:
                head = read_at_most(file, _HEADER_BYTES)
        except OSError:
            return None
        place = head.partition(b'"cwd":"')[2].partition(b'"')[0].decode("utf-8", "replace")
        text = head.partition(b'"timestamp":"')[2].partition(b'"')[0].decode("ascii", "replace")
        return None if self._is_off(place) else parse_time(text)


def _plugins(settings: dict[str, Any]) -> Iterator[RegisteredHook]:
    plugins = settings.get("enabledPlugins")
    for plugin, is_enabled in plugins.items() if isinstance(plugins, dict) else ():
        if is_enabled and (name := observer_of(plugin)):
            yield RegisteredHook(event="", command=plugin, name=name)
