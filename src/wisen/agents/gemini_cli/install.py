"""Describes the hooks that make Gemini CLI call wisen, as values for its settings.json. It writes nothing.

Gemini CLI runs hooks, including the user's own, only in folders that the user trusted when asked. Only users can do
that; this module only reports whether they did.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from wisen.agents import hook_config
from wisen.agents.event_collector import parse_time
from wisen.agents.gemini_cli.gemini_cli_paths import CHATS, place_of
from wisen.agents.gemini_cli.read import AGENT
from wisen.agents.log_files import file_source, files_below
from wisen.model.hook import Hook, HookSettings
from wisen.safety.regular_files import MAX_SIDE_FILE_BYTES, open_regular_file, read_at_most, read_regular_text
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from wisen.model.hook import Caller

EVENTS = {
    "SessionStart": "session-start",
    "BeforeAgent": "prompt",
    "BeforeTool": "before-call",
    "AfterTool": "after-call",
    "AfterAgent": "stop",
    "SessionEnd": "session-end",
}
"""Gemini CLI's event names, and ours. It has none for failed calls."""
NAME = "wisen"
"""The name of our hooks in Gemini CLI's own list (`/hooks`), by which they can be disabled there."""
_SHELL, _EDITORS, _READERS = "run_shell_command", ("replace", "write_file"), ("read_file",)
_WATCHED_TOOLS = (_SHELL, *_EDITORS, *_READERS)
"""After these tools a line may be delivered: a fix or a guard's warning. After others a call would only cost time."""
_MILLISECONDS = 10_000
"""Time after which Gemini CLI continues without an answer; the client itself gives up long before."""
_TRUST = {"TRUST_FOLDER": True, "TRUST_PARENT": True, "DO_NOT_TRUST": False}
_COMMENT = lazy_regex(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_MAX_EXAMINED = 20
"""The number of recently written files that are searched for the newest session."""
_HEADER_BYTES = 1 << 16


class _Header(msgspec.Struct):
    kind: str = "main"
    startTime: str | None = None  # noqa: N815 - the name in the file


_header = msgspec.json.Decoder(_Header)


class GeminiCliHooks:
    """The hooks of Gemini CLI on this machine."""

    name = AGENT
    trust_instructions = (
        "Gemini CLI runs hooks only in folders that you trust. Start `gemini` there in a terminal: it asks you. "
        "Later `/permissions trust` does the same."
    )

    def __init__(
        self, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool] = lambda _: False
    ) -> None:
        """`is_off`: whether hooks are disabled in a directory, so that missing calls there mean nothing."""
        self._is_off = is_off
        moved = environment.get("GEMINI_CLI_HOME")
        self._root = (Path(moved).expanduser() if moved else home) / ".gemini"
        listed = environment.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
        self._folders = Path(listed).expanduser() if listed else self._root / "trustedFolders.json"

    def file(self, project: Path | None = None) -> Path:
        """Return the user's settings, or those of a project."""
        return (self._root if project is None else project / ".gemini") / "settings.json"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return the user's settings and the project's; in the home directory they are the same."""
        return tuple(dict.fromkeys((self.file(), self.file(project))))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return one hook per event, each in its own group; the one before calls matches all tools, as guards may."""
        matchers = {"AfterTool": "|".join(_WATCHED_TOOLS)}
        return tuple(
            Hook(
                event=event,
                keys=("hooks", event),
                value=_group(caller.command(our_event, AGENT), matchers.get(event, "")),
            )
            for event, our_event in EVENTS.items()
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Gemini CLI 0.61 accepts comments, but does not start if the settings are otherwise invalid JSON."""
        del path
        fault = hook_config.parse_strict_json(content, allow_bom=False, allow_comments=True)[1]
        return f"Gemini CLI does not start with this file: {fault}" if fault else ""

    def parse(self, settings: object) -> HookSettings:
        """Return every command below `hooks`, and whether all hooks, or ours, are disabled."""
        if not isinstance(settings, dict):
            return HookSettings()
        config = settings.get("hooksConfig")
        config = config if isinstance(config, dict) else {}
        disabled = config.get("disabled")
        off = config.get("enabled") is False or (isinstance(disabled, list) and NAME in disabled)
        return HookSettings(callings=tuple(hook_config.configured_commands(settings, AGENT)), switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return all events if the hooks of a file can run in no folder, by Gemini CLI's list of folders."""
        our_hooks = [each for each in self.parse(settings).callings if each.caller is not None]
        if path == self.file():
            # They may run in some folders and not in others.
            runs = not self._asks_for_trust() or any(map(_TRUST.get, map(str, _load_json(self._folders).values())))
        else:
            runs = self._is_trusted(path.parent.parent)
        return () if runs else tuple(each.event for each in our_hooks)

    def newest_session(self, settings: Path) -> datetime | None:
        """Return the latest start time in the first line of a chat; sub-agents call no start hook."""
        chats = [path for folder in (self._root / "tmp").glob(f"*/{CHATS}") for path in files_below(folder, ".jsonl")]
        newest = sorted((file_source(AGENT, path) for path in chats), key=lambda source: -source.modified_ns)[
            :_MAX_EXAMINED
        ]
        project = None if settings.parent == self._root else settings.parent.parent
        return max(filter(None, (self._session_start(source.path, project) for source in newest)), default=None)

    def _session_start(self, path: Path, project: Path | None) -> datetime | None:
        """Return when a chat began, unless it is of another project or hooks do not run or are disabled there."""
        place = place_of(path)
        is_elsewhere = project is not None and project not in (Path(place), *Path(place).parents)
        if is_elsewhere or self._is_off(place) or not self._is_trusted(Path(place)):
            return None
        try:
            with open_regular_file(path) as file:
                header = _header.decode(read_at_most(file, _HEADER_BYTES).partition(b"\n")[0])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        return parse_time(header.startTime) if header.kind == "main" else None

    def _asks_for_trust(self) -> bool:
        """Whether folders must be trusted one by one, which is the default."""
        security = _load_json(self.file()).get("security")
        folders = security.get("folderTrust") if isinstance(security, dict) else None
        return not isinstance(folders, dict) or folders.get("enabled") is not False

    def _is_trusted(self, place: Path) -> bool:
        """Whether hooks run in a folder, by the longest matching rule."""
        if not self._asks_for_trust():
            return True
        resolved, best, trusted = Path(os.path.realpath(place)), -1, False
        for rule, trust in _load_json(self._folders).items():
            folder = Path(os.path.realpath(Path(rule).parent if trust == "TRUST_PARENT" else rule))
            if (
                isinstance(trust, str)
                and trust in _TRUST
                and folder in (resolved, *resolved.parents)
                and len(rule) > best
            ):
                best, trusted = len(rule), _TRUST[trust]
        return trusted


def _group(command: str, matcher: str) -> dict[str, Any]:
    hook = {"name": NAME, "type": "command", "command": command, "timeout": _MILLISECONDS}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _load_json(path: Path) -> dict[str, Any]:
    """Load a JSON file of Gemini CLI, which may contain comments; empty if it cannot be read."""
    try:
        text = read_regular_text(path, MAX_SIDE_FILE_BYTES)
        value = json.loads(_COMMENT.sub(lambda each: each[1] or "", text))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
