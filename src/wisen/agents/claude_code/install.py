"""How Claude Code is told to call us: hooks in its settings, as values. It writes nothing.

For one project they go into `settings.local.json`, which is not committed: the command names places of this machine.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.agents.claude_code.read import AGENT
from wisen.agents.hook_config import command_group, configured_commands, observer_of, parse_strict_json
from wisen.agents.log_files import file_source, files_below
from wisen.model.hook import Calling, Hook, HookSettings
from wisen.safety.regular_files import open_regular_file, read_at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from wisen.model.hook import Caller

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-call",
    "PostToolUseFailure": "failure",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
"""What Claude Code calls its events, and what we call them."""
_SECONDS = 10
"""After so long Claude Code goes on without an answer; the client itself gives up long before."""
_TYPES = {"hooks": dict, "permissions": dict, "env": dict, "enabledPlugins": dict, "cleanupPeriodDays": int}
"""Settings that users write, and what Claude Code takes there."""
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9]")
"""What Claude Code writes as a dash where it names a folder after a project."""
_NEWEST = 20
"""So many of the files that were written last are looked at for the newest session."""
_BEGINNING = 1 << 16


class ClaudeCodeHooks:
    """The hooks of Claude Code on this machine."""

    name = AGENT
    trust_instructions = ""

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks say nothing in a directory, so that their silence there tells nothing."""
        self._is_off = is_off
        configured = environment.get("CLAUDE_CONFIG_DIR")
        self._root = Path(configured).expanduser() if configured else home / ".claude"

    def file(self, project: Path | None = None) -> Path:
        """The user's settings, or those of a project that are not committed."""
        return self._root / "settings.json" if project is None else project / ".claude" / "settings.local.json"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """The user's settings and both of the project's; in the home directory they may be the same."""
        users = self._root / "settings.json"
        there = () if project is None else (project / ".claude" / "settings.json", self.file(project))
        return tuple(dict.fromkeys((users, *there)))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """One hook for each event, in a group of its own; the one before calls for all tools, as guards may be."""
        return tuple(
            Hook(event=event, keys=("hooks", event), value=command_group(caller.command(own, AGENT), _SECONDS))
            for event, own in EVENTS.items()
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Claude Code 2.1 drops a settings file whole that is not strict JSON, or has a setting of another type."""
        del path
        found, fault = parse_strict_json(content)
        if fault:
            return f"Claude Code ignores it whole: {fault}"
        wrong = [name for name, kind in _TYPES.items() if name in found and not isinstance(found[name], kind)]
        return f"Claude Code ignores it whole: {wrong[0]} is of a type that it does not take" if wrong else ""

    def parse(self, settings: object) -> HookSettings:
        """Every command that stands below `hooks`, and every plug-in that is switched on and known to observe."""
        if not isinstance(settings, dict):
            return HookSettings()
        off = settings.get("disableAllHooks") is True
        return HookSettings(callings=(*configured_commands(settings, AGENT), *_plugins(settings)), switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """None: what stands in the settings is run."""
        del path, settings
        return ()

    def newest_session(self, settings: Path) -> datetime | None:
        """By the first time that stands in a transcript; those of sub-agents call no hook when they begin."""
        folder = self._root / "projects"
        if settings.parent != self._root:
            folder /= _NOT_IN_A_NAME.sub("-", str(settings.parent.parent))
        sources = [file_source(AGENT, path) for path in files_below(folder, ".jsonl")]
        ours = [source for source in sources if "subagents" not in source.path.parts]
        newest = sorted(ours, key=lambda source: -source.modified_ns)[:_NEWEST]
        return max(filter(None, (self._began(source.path) for source in newest)), default=None)

    def _began(self, path: Path) -> datetime | None:
        """The first time in a transcript, unless it is of a place where we are switched off."""
        try:
            with open_regular_file(path) as file:
                beginning = read_at_most(file, _BEGINNING)
        except OSError:
            return None
        place = beginning.partition(b'"cwd":"')[2].partition(b'"')[0].decode("utf-8", "replace")
        text = beginning.partition(b'"timestamp":"')[2].partition(b'"')[0].decode("ascii", "replace")
        try:
            began = datetime.fromisoformat(text)
        except ValueError:
            return None
        if self._is_off(place):
            return None
        return began if began.tzinfo is not None else began.replace(tzinfo=UTC)


def _plugins(settings: dict[str, Any]) -> Iterator[Calling]:
    plugins = settings.get("enabledPlugins")
    for plugin, on in plugins.items() if isinstance(plugins, dict) else ():
        if on and (name := observer_of(plugin)):
            yield Calling(event="", command=plugin, name=name)
