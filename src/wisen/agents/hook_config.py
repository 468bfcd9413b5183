"""Parses the `hooks` section shared by the settings of Claude Code, Codex and Gemini CLI: events, groups, commands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from wisen.model.hook import RegisteredHook, parse_caller
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

_KNOWN_OBSERVERS = {
    "claude-mem": "claude-mem",
    "everything-claude-code": "ECC",
    "/ecc/": "ECC",
    "ecc@": "ECC",
    "continuous-learning": "ECC",
    "claude-flow": "ruflo",
    "ruflo": "ruflo",
    "engram": "engram",
    "mem0": "mem0",
    "supermemory": "supermemory",
    "hindsight": "hindsight",
    "memsearch": "memsearch",
    "letta": "letta",
    "claude-reflect": "claude-reflect",
}
"""Substrings in the commands and plug-ins of other tools that observe or extend sessions, with the tool's name."""
_COMMENT = lazy_regex(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = lazy_regex(r'("(?:\\.|[^"\\])*")|,(?=\s*[\]}])', re.DOTALL)


def command_group(command: str, seconds: int) -> dict[str, Any]:
    """Build a group with one command; after this many seconds the agent continues without an answer."""
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def configured_commands(settings: dict[str, Any], agent: str) -> Iterator[RegisteredHook]:
    """Yield every command below `hooks`; `agent` is the name that our own commands use."""
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for at, each in enumerate(groups if isinstance(groups, list) else ()):
            inner = each.get("hooks") if isinstance(each, dict) else None
            for one in inner if isinstance(inner, list) else ():
                command = one.get("command") or one.get("url") or one.get("type") if isinstance(one, dict) else None
                if isinstance(command, str):
                    caller = parse_caller(command, agent)
                    yield RegisteredHook(
                        event=event,
                        command=command,
                        keys=("hooks", event, at),
                        name=observer_of(command),
                        caller=caller,
                    )


def parse_strict_json(
    content: bytes,
    *,
    allow_bom: bool = True,
    allow_duplicates: bool = True,
    allow_comments: bool = False,
    allow_trailing_commas: bool = False,
) -> tuple[dict[str, Any], str]:
    """Parse a settings file as strictly as an agent does. Returns the object and, if it is invalid, why.

    The flags say which deviations the agent accepts: a byte order mark, duplicate keys in an object, comments,
    trailing commas.
    """

    def check_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        if not allow_duplicates and len(names) > len(set(names)):
            raise ValueError(f"{next(each for each in names if names.count(each) > 1)!r} occurs twice")
        return dict(pairs)

    def reject_constant(word: str) -> None:
        raise ValueError(f"{word} is not valid JSON")

    text = content.decode("utf-8", "replace")
    if text.startswith("\ufeff") and not allow_bom:
        return {}, "it begins with a byte order mark"
    text = text.removeprefix("\ufeff")
    text = _COMMENT.sub(lambda each: each[1] or "\n" * each[0].count("\n"), text) if allow_comments else text
    text = _COMMA.sub(lambda each: each[1] or "", text) if allow_trailing_commas else text
    if not text.strip(" \t\r\n"):
        return {}, ""
    try:
        value = json.loads(text, object_pairs_hook=check_members, parse_constant=reject_constant)
    except json.JSONDecodeError as error:
        rejected = [
            "single quotes",
            *([] if allow_comments else ["comments"]),
            *([] if allow_trailing_commas else ["trailing commas"]),
        ]
        return {}, f"line {error.lineno} is invalid ({', '.join(rejected)} and the like are not accepted)"
    except (ValueError, RecursionError) as error:
        return {}, str(error)
    return (value, "") if isinstance(value, dict) else ({}, "it is not a JSON object")


def observer_of(command: str) -> str:
    """Return the tool that a command or plug-in belongs to if it is known to observe sessions; else empty."""
    return next((name for mark, name in _KNOWN_OBSERVERS.items() if mark in command.lower()), "")
