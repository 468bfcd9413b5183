"""Describes the hooks that make Codex call wisen, as values for its hooks.json. It writes nothing.

Codex runs a hook only after the user has trusted it, by a digest of its content in config.toml. Only users can do
that; this module only reports whether they did. An unchanged hook stays trusted, so ours never change without need.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.agents import hook_config
from wisen.agents.codex.read import AGENT
from wisen.agents.event_collector import parse_time
from wisen.agents.log_files import file_source, files_below
from wisen.model.hook import Hook, HookSettings
from wisen.safety.foreign_settings import parse_toml
from wisen.safety.regular_files import MAX_SIDE_FILE_BYTES, open_regular_file, read_at_most, read_regular_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.hook import Caller, RegisteredHook

EVENTS = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-call",
    "PostToolUse": "after-call",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
"""Codex's event names, and ours. It has none for failed calls."""
_SECONDS, _SESSION_END_SECONDS = 10, 3
"""Seconds after which Codex continues without an answer. For the end of a session it allows at most the second."""
_CAPITAL = re.compile(r"(?<=.)(?=[A-Z])")
_MAX_EXAMINED = 20
"""The number of recently written files that are searched for the newest session."""
_HEADER_BYTES = 1 << 16


class CodexHooks:
    """The hooks of Codex on this machine."""

    name = AGENT
    trust_instructions = (
        "Start `codex` in a terminal: it shows the new hooks, and runs them once you trust them. "
        "Later you find the same list under /hooks."
    )

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks are disabled in a directory, so that missing calls there mean nothing."""
        self._is_off = is_off
        configured = environment.get("CODEX_HOME")
        self._root = Path(configured).expanduser() if configured else home / ".codex"

    def file(self, project: Path | None = None) -> Path:
        """Return the user's hooks file, or that of a project."""
        return self._root / "hooks.json" if project is None else project / ".codex" / "hooks.json"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return hooks.json and config.toml of the user and the project: both may contain hooks."""
        folders = (self._root,) if project is None else (self._root, project / ".codex")
        return tuple(dict.fromkeys(folder / name for folder in folders for name in ("hooks.json", "config.toml")))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return one hook per event, each in its own group."""
        return tuple(
            Hook(
                event=event,
                keys=("hooks", event),
                value=hook_config.command_group(caller.command(our_event, AGENT), _timeout_of(event)),
            )
            for event, our_event in EVENTS.items()
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Codex 0.166 ignores a hooks.json entirely if it is not strict JSON or contains anything unknown."""
        if path.suffix != ".json":
            return ""
        settings, fault = hook_config.parse_strict_json(content, allow_bom=False, allow_duplicates=False)
        fault = fault or _find_unknown(settings)
        return f"Codex ignores the whole file: {fault}" if fault else ""

    def parse(self, settings: object) -> HookSettings:
        """Return every command below `hooks`, and whether the feature is disabled."""
        if not isinstance(settings, dict):
            return HookSettings()
        features = settings.get("features")
        off = isinstance(features, dict) and False in (features.get("hooks"), features.get("codex_hooks"))
        return HookSettings(callings=tuple(hook_config.configured_commands(settings, AGENT)), switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return the events of untrusted hooks, by the trusted digests and switches in config.toml."""
        states = self._states()
        our_hooks = [each for each in self.parse(settings).callings if each.caller is not None]
        return tuple(
            each.event for each in our_hooks if not _is_trusted(states, path, each, _value_at(settings, each.keys))
        )

    def newest_session(self, settings: Path) -> datetime | None:
        """Return the latest first timestamp of a rollout; sub-agents are excluded, as they call no start hook."""
        sources = [file_source(AGENT, path) for path in files_below(self._root / "sessions", ".jsonl")]
        newest = sorted(sources, key=lambda source: -source.modified_ns)[:_MAX_EXAMINED]
        project = None if settings.parent == self._root else settings.parent.parent
        return max(filter(None, (self._session_start(source.path, project) for source in newest)), default=None)

    def _session_start(self, path: Path, project: Path | None) -> datetime | None:
        """Return the first timestamp of a rollout, unless it is of another project or wisen is disabled there."""
        try:
            with open_regular_file(path) as file:
                head = read_at_most(file, _HEADER_BYTES)
        except OSError:
            return None
        meta = head.partition(b"\n")[0]
        place = meta.partition(b'"cwd":"')[2].partition(b'"')[0].decode("utf-8", "replace")
        is_elsewhere = project is not None and project not in (Path(place), *Path(place).parents)
        if is_elsewhere or b'"parent_thread_id":"' in meta or self._is_off(place):
            return None
        text = meta.partition(b'"timestamp":"')[2].partition(b'"')[0].decode("ascii", "replace")
        return parse_time(text)

    def _states(self) -> dict[str, Any]:
        """Return the user's decisions about hooks, by Codex's names for the hooks."""
        try:
            config = parse_toml(read_regular_text(self._root / "config.toml", MAX_SIDE_FILE_BYTES))
        except (OSError, ValueError):
            return {}
        hooks = config.get("hooks")
        states = hooks.get("state") if isinstance(hooks, dict) else None
        return states if isinstance(states, dict) else {}


def _find_unknown(settings: dict[str, Any]) -> str:
    """Describe what Codex does not know in a hooks.json; empty if it knows everything."""
    unknown = sorted(settings.keys() - {"hooks", "description"})
    if unknown:
        return f"{unknown[0]!r} is unknown; only hooks and description are accepted"
    hooks = settings.get("hooks", {})
    for event, groups in hooks.items() if isinstance(hooks, dict) else [("hooks", None)]:
        inner = [each.get("hooks") if isinstance(each, dict) else None for each in groups or ()]
        if not isinstance(groups, list) or not all(isinstance(each, list) for each in inner):
            return f"{event} is not a list of groups with hooks"
    return ""


def _timeout_of(event: str) -> int:
    return _SESSION_END_SECONDS if event == "SessionEnd" else _SECONDS


def _is_trusted(states: dict[str, Any], path: Path, calling: RegisteredHook, group: dict[str, Any]) -> bool:
    """Whether a hook is trusted in its current form and not disabled."""
    label = _CAPITAL.sub("_", calling.event).lower()
    commands = [hook.get("command") if isinstance(hook, dict) else None for hook in group["hooks"]]
    number = commands.index(calling.command)
    for file in dict.fromkeys((str(path), os.path.realpath(path))):
        state = states.get(f"{file}:{label}:{calling.keys[-1]}:{number}")
        if isinstance(state, dict):
            known = trust_digest(label, {**group, "hooks": [group["hooks"][number]]})
            return state.get("enabled") is not False and state.get("trusted_hash") == known
    return False


def trust_digest(label: str, group: Mapping[str, Any]) -> str:
    """Return the digest by which Codex 0.166 identifies a trusted hook, given as a group of its own."""
    hook_identity = {"event_name": label, **group, "hooks": [{"async": False, **hook} for hook in group["hooks"]]}
    text = json.dumps(hook_identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _value_at(settings: Any, keys: Sequence[str | int]) -> Any:
    for key in keys:
        settings = settings[key]
    return settings
