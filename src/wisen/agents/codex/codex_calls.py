"""Normalises tool calls from the different forms in which Codex records them: tool name and arguments as JSON.

A shell command is returned as one text under `command`, whatever the version called it. A patch contains whole files:
only the file names, its size and its digest are kept.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents.codex.records import is_present, value_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.agents.codex.records import Item, ResponseItem

PATCH = "apply_patch"
STDIN = "write_stdin"
SHELLS = frozenset({"shell", "shell_command", "exec_command", "local_shell", "container.exec", "unified_exec"})
"""Tools that run a command, by the names they have had so far."""
SCRIPTS = frozenset({"exec", "wait"})
"""Tools that run a script of the model; the calls made by the script are recorded by the client only."""
STDIN_LETTER, SHELL_LETTER = "w", "s"
"""The letters of the tool that writes to a running process, and of the tools that run a command."""
_LETTERS = {PATCH: "a", STDIN: STDIN_LETTER, **dict.fromkeys(SCRIPTS, "j"), **dict.fromkeys(SHELLS, SHELL_LETTER)}
_TOOLS = {"a": PATCH, STDIN_LETTER: STDIN, "j": "exec", SHELL_LETTER: "shell", "m": "mcp__", "o": "other"}
_COMMAND = ("cmd", "command")
_SHELL_PROGRAMS = frozenset({"bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "cmd"})
_SHELL_OPTIONS = frozenset({"-lc", "-c", "-ic", "-lic", "-command", "/c"})
_PATCH_TEXT = lazy_regex(r"\*\*\* Begin Patch.*?(?:\*\*\* End Patch|\Z)", re.DOTALL)
_FILE = lazy_regex(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)


class CodexCall(NamedTuple):
    """A call as the model requested it."""

    tool: str
    arguments: str
    command: str = ""
    """The command text given to a shell."""
    process: str = ""
    """The running process that it writes to."""


def tool_letter(tool: str) -> str:
    """Return the letter that stands for tools with the same result format."""
    return "m" if tool.startswith("mcp__") else _LETTERS.get(tool, "o")


def tool_for_letter(kind: str) -> str:
    """Return one of the tools that a letter stands for."""
    return _TOOLS.get(kind, "")


def call_in_item(item: ResponseItem) -> CodexCall | None:
    """Return the call in a response item; None if it has no name."""
    if item.type == "local_shell_call":
        action = value_of(item.action)
        return _build_call("local_shell", action if isinstance(action, dict) else {})
    if not item.name:
        return None
    raw_arguments = value_of(item.input if item.type == "custom_tool_call" else item.arguments)
    return _build_call(_tool_name(item.name, item.namespace), _parse_arguments(raw_arguments))


def call_in_turn_item(kind: str, item: Item) -> CodexCall:
    """Return the call in a completed item, or in the corresponding event of an older version."""
    if kind == "CommandExecution":
        tool = "exec_command" if (item.source or "").startswith("unified") else "shell"
        return _build_call(tool, {"command": item.command or ""})
    if kind == "FileChange":
        return CodexCall(
            PATCH,
            _to_json({"files": _changed_files(item.changes), "patch": _size_and_digest(bytes(item.changes).decode())}),
        )
    call = item.invocation or item
    server = f"mcp__{call.server}__" if call.server else ""
    return _build_call(f"{server}{call.tool or '?'}", _parse_arguments(value_of(call.arguments)))


def shell_text(command: object) -> str:
    """Return the text of a command without the shell that runs it."""
    if isinstance(command, str):
        return command
    words = [str(word) for word in command] if isinstance(command, list) else []
    if len(words) == 3 and words[1].lower() in _SHELL_OPTIONS and _program_name(words[0]) in _SHELL_PROGRAMS:
        return words[2]
    return shlex.join(words)


def _program_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1].lower().removesuffix(".exe")


def _tool_name(name: str, namespace: str | None) -> str:
    """Return the tool name; MCP tools are prefixed with their server, in old rollouts without `mcp__`."""
    if namespace and namespace.startswith("mcp__"):
        name = f"{namespace.removesuffix('__')}__{name}"
    return f"mcp__{name}" if "__" in name and not name.startswith("mcp__") else name


def _parse_arguments(raw_arguments: object) -> dict[str, object]:
    if isinstance(raw_arguments, str) and raw_arguments.lstrip().startswith("{"):
        try:
            raw_arguments = msgspec.json.decode(raw_arguments)
        except msgspec.DecodeError:
            return {"input": raw_arguments}
    if isinstance(raw_arguments, dict):
        return raw_arguments
    return {} if raw_arguments is None else {"input": raw_arguments}


def _build_call(tool: str, arguments: dict[str, object]) -> CodexCall:
    if tool == PATCH:
        text = "\n".join(value for value in arguments.values() if isinstance(value, str))
        return CodexCall(tool, _to_json({"files": _FILE.findall(text), "patch": _size_and_digest(text)}))
    command = ""
    key = next((key for key in _COMMAND if key in arguments), None)
    if tool in SHELLS and key:
        command = shell_text(arguments[key])
        rest = {name: value for name, value in arguments.items() if name not in _COMMAND}
        arguments = {"command": command, **rest}
    process = arguments.get("session_id") if tool == STDIN else None
    return CodexCall(tool, _to_json(_strip_patches(arguments)), command, "" if process is None else str(process))


def _strip_patches(arguments: dict[str, object]) -> dict[str, object]:
    patches = [
        patch
        for value in arguments.values()
        if isinstance(value, str) and "*** Begin Patch" in value
        for patch in _PATCH_TEXT.findall(value)
    ]
    if not patches:
        return arguments
    short = {
        name: _PATCH_TEXT.sub("…", value) if isinstance(value, str) else value for name, value in arguments.items()
    }
    text = "\n".join(patches)
    return {**short, "files": _FILE.findall(text), "patch": _size_and_digest(text)}


def _size_and_digest(text: str) -> dict[str, object]:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return {"characters": len(text), "digest": digest}


def _changed_files(changes: msgspec.Raw) -> list[str]:
    if not is_present(changes):
        return []
    return list(msgspec.json.decode(changes, type=dict[str, msgspec.Raw]))


def _to_json(arguments: dict[str, object]) -> str:
    return json.dumps(arguments, ensure_ascii=False)
