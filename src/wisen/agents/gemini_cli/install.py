"""How Gemini CLI is told to call us: hooks in its settings.json, as values. It writes nothing.

Gemini CLI runs hooks, also the user's own, only in folders that he trusted when it asked him. Nobody does that for him:
here is only told whether he did.
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
from wisen.safety.regular_files import SIDE_FILE, open_regular_file, read_at_most, read_regular_text

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
"""What Gemini CLI calls its events, and what we call them. It has none for calls that failed."""
NAME = "wisen"
"""What our hooks are called in Gemini CLI's own list (`/hooks`), where they are switched off by it."""
_SHELL, _EDITORS, _READERS = "run_shell_command", ("replace", "write_file"), ("read_file",)
_LOOKED_AT = (_SHELL, *_EDITORS, *_READERS)
"""After these something may be told: a fix, or what a guard warns of. After others it would only cost time."""
_MILLISECONDS = 10_000
"""After so long Gemini CLI goes on without an answer; the client itself gives up long before."""
_TRUST = {"TRUST_FOLDER": True, "TRUST_PARENT": True, "DO_NOT_TRUST": False}
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_NEWEST = 20
"""So many of the files that were written last are looked at for the newest session."""
_BEGINNING = 1 << 16


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
        """`is_off`: whether hooks say nothing in a directory, so that their silence there tells nothing."""
        self._is_off = is_off
        moved = environment.get("GEMINI_CLI_HOME")
        self._root = (Path(moved).expanduser() if moved else home) / ".gemini"
        listed = environment.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
        self._folders = Path(listed).expanduser() if listed else self._root / "trustedFolders.json"

    def file(self, project: Path | None = None) -> Path:
        """The user's settings, or those of a project."""
        return (self._root if project is None else project / ".gemini") / "settings.json"

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """The user's settings and the project's; in the home directory they are the same."""
        return tuple(dict.fromkeys((self.file(), self.file(project))))

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """One hook for each event, in a group of its own; the one before calls for all tools, as guards may be."""
        matchers = {"AfterTool": "|".join(_LOOKED_AT)}
        return tuple(
            Hook(event=event, keys=("hooks", event), value=_group(caller.command(own, AGENT), matchers.get(event, "")))
            for event, own in EVENTS.items()
        )

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Gemini CLI 0.61 takes comments, and does not start with settings that are no JSON beside them."""
        del path
        fault = hook_config.parse_strict_json(content, allow_bom=False, allow_comments=True)[1]
        return f"Gemini CLI does not start with it: {fault}" if fault else ""

    def parse(self, settings: object) -> HookSettings:
        """Every command that stands below `hooks`, and whether all of them, or ours, are switched off."""
        if not isinstance(settings, dict):
            return HookSettings()
        about = settings.get("hooksConfig")
        about = about if isinstance(about, dict) else {}
        disabled = about.get("disabled")
        off = about.get("enabled") is False or (isinstance(disabled, list) and NAME in disabled)
        return HookSettings(callings=tuple(hook_config.configured_commands(settings, AGENT)), switched_off=off)

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """By what Gemini CLI keeps of the folders: all hooks, where those of a file can run nowhere."""
        ours = [each for each in self.parse(settings).callings if each.caller is not None]
        if path == self.file():
            # They run in some folders, and not in others.
            runs = not self._asks_for_trust() or any(map(_TRUST.get, map(str, _told(self._folders).values())))
        else:
            runs = self._is_trusted(path.parent.parent)
        return () if runs else tuple(each.event for each in ours)

    def newest_session(self, settings: Path) -> datetime | None:
        """By what the first line of a chat tells; those of sub-agents call no hook when they begin."""
        chats = [path for folder in (self._root / "tmp").glob(f"*/{CHATS}") for path in files_below(folder, ".jsonl")]
        newest = sorted((file_source(AGENT, path) for path in chats), key=lambda source: -source.modified_ns)[:_NEWEST]
        project = None if settings.parent == self._root else settings.parent.parent
        return max(filter(None, (self._began(source.path, project) for source in newest)), default=None)

    def _began(self, path: Path, project: Path | None) -> datetime | None:
        """When a chat began, unless it is of another project or of a place where hooks are not run or say nothing."""
        place = place_of(path)
        elsewhere = project is not None and project not in (Path(place), *Path(place).parents)
        if elsewhere or self._is_off(place) or not self._is_trusted(Path(place)):
            return None
        try:
            with open_regular_file(path) as file:
                header = _header.decode(read_at_most(file, _BEGINNING).partition(b"\n")[0])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None
        return parse_time(header.startTime) if header.kind == "main" else None

    def _asks_for_trust(self) -> bool:
        """Whether folders are trusted one by one, as they are unless the user switched that off."""
        security = _told(self.file()).get("security")
        folders = security.get("folderTrust") if isinstance(security, dict) else None
        return not isinstance(folders, dict) or folders.get("enabled") is not False

    def _is_trusted(self, place: Path) -> bool:
        """Whether hooks run in a folder: by the longest rule that is about it."""
        if not self._asks_for_trust():
            return True
        here, best, trusted = Path(os.path.realpath(place)), -1, False
        for rule, trust in _told(self._folders).items():
            about = Path(os.path.realpath(Path(rule).parent if trust == "TRUST_PARENT" else rule))
            if isinstance(trust, str) and trust in _TRUST and about in (here, *here.parents) and len(rule) > best:
                best, trusted = len(rule), _TRUST[trust]
        return trusted


def _group(command: str, matcher: str) -> dict[str, Any]:
    hook = {"name": NAME, "type": "command", "command": command, "timeout": _MILLISECONDS}
    return {**({"matcher": matcher} if matcher else {}), "hooks": [hook]}


def _told(path: Path) -> dict[str, Any]:
    """What a file of Gemini CLI says, which may hold comments; empty where it cannot be read."""
    try:
        text = read_regular_text(path, SIDE_FILE)
        found = json.loads(_COMMENT.sub(lambda each: each[1] or "", text))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
