"""Parses the hooks section that the settings of Claude Code, Codex and Gemini CLI share: events, groups, commands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from wisen.model.hook import Calling, caller_in

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
"""What stands in the commands and plug-ins of others that learn from or add to sessions, and who they are."""
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[\]}])', re.DOTALL)


def command_group(command: str, seconds: int) -> dict[str, Any]:
    """A group of one command; after so many seconds the agent goes on without an answer."""
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def configured_commands(settings: dict[str, Any], agent: str) -> Iterator[Calling]:
    """Every command that stands below `hooks`; `agent` as our own commands name it."""
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for at, each in enumerate(groups if isinstance(groups, list) else ()):
            inner = each.get("hooks") if isinstance(each, dict) else None
            for hook in inner if isinstance(inner, list) else ():
                called = hook.get("command") or hook.get("url") or hook.get("type") if isinstance(hook, dict) else None
                if isinstance(called, str):
                    ours = caller_in(called, agent)
                    yield Calling(
                        event=event, command=called, keys=("hooks", event, at), name=observer_of(called), caller=ours
                    )


def parse_strict_json(
    content: bytes,
    *,
    allow_bom: bool = True,
    allow_duplicates: bool = True,
    allow_comments: bool = False,
    allow_trailing_commas: bool = False,
) -> tuple[dict[str, Any], str]:
    """What a file says by the letter of JSON, and why an agent that takes nothing else could not read it.

    `bom`: whether a byte order mark may stand before it; `twice`: whether a name may stand twice in an object;
    `comments`, `commas`: whether comments and trailing commas may stand in it.
    """

    def check_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        named = [name for name, _ in pairs]
        if not allow_duplicates and len(named) > len(set(named)):
            raise ValueError(f"{next(each for each in named if named.count(each) > 1)!r} stands there twice")
        return dict(pairs)

    def reject_constant(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    text = content.decode("utf-8", "replace")
    if text.startswith("\ufeff") and not allow_bom:
        return {}, "it begins with a byte order mark"
    text = text.removeprefix("\ufeff")
    text = _COMMENT.sub(lambda each: each[1] or "\n" * each[0].count("\n"), text) if allow_comments else text
    text = _COMMA.sub(lambda each: each[1] or "", text) if allow_trailing_commas else text
    if not text.strip(" \t\r\n"):
        return {}, ""
    try:
        found = json.loads(text, object_pairs_hook=check_members, parse_constant=reject_constant)
    except json.JSONDecodeError as error:
        refused = [
            "single quotes",
            *([] if allow_comments else ["comments"]),
            *([] if allow_trailing_commas else ["trailing commas"]),
        ]
        return {}, f"line {error.lineno} cannot be read there ({', '.join(refused)} and the like are not taken)"
    except (ValueError, RecursionError) as error:
        return {}, str(error)
    return (found, "") if isinstance(found, dict) else ({}, "it is not an object in braces")


def observer_of(called: str) -> str:
    """Who a command or a plug-in belongs to, where it is known to observe sessions; else empty."""
    return next((name for mark, name in _KNOWN_OBSERVERS.items() if mark in called.lower()), "")
