"""Whom an agent calls, in the settings that Claude Code, Codex and Gemini CLI shape alike: events, groups, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wisen.domain.hooks import Calling, caller_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBSERVERS = {
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


def group(command: str, seconds: int) -> dict[str, Any]:
    """A group of one command; after so many seconds the agent goes on without an answer."""
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def commands(settings: dict[str, Any], agent: str = "") -> Iterator[Calling]:
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
                        event=event, command=called, keys=("hooks", event, at), name=observer(called), caller=ours
                    )


def observer(called: str) -> str:
    """Who a command or a plug-in belongs to, where it is known to observe sessions; else empty."""
    return next((name for mark, name in _OBSERVERS.items() if mark in called.lower()), "")
