"""Who speaks in the user's place in a session: told by its key and by how it was made, never by what is said.

OpenClaw runs scheduled jobs, webhooks, heartbeats and sub-agents as sessions like any other; only the key tells them
from a chat. In a group anybody may speak, so there only what OpenClaw marks as the owner's counts.
"""

from __future__ import annotations

from enum import StrEnum

_JOBS = frozenset({"cron", "hook", "heartbeat", "boot", "temp", "internal", "plugin", "probe"})
_JOB_NAMES = ("dreaming-", "heartbeat-", "model-run-", "probe-", "skill-", "slug-")
_PROGRAMS = frozenset({"openai", "openai-user", "openresponses", "openresponses-user", "mcp"})
_ROOMS = frozenset({"group", "channel", "room"})
_MADE_BY = {"spawn": "sub-agent", "cron": "job", "plugin": "job", "internal": "job"}


class Speaker(StrEnum):
    """Whose words the user messages of a session are."""

    USER = "user"
    ROOM = "room"
    """A chat of several people: only the owner's words are the user's."""
    PROGRAM = "program"
    """Something that talks to OpenClaw's API."""
    JOB = "job"
    """A schedule, a webhook, a heartbeat."""
    SUB_AGENT = "sub-agent"
    """Another agent of the same installation."""


def speaker_of(
    key: str, *, spawned_by: str | None = None, created_via: str | None = None, chat_type: str | None = None
) -> Speaker:
    """Who speaks in a session of this key."""
    parts = key.lower().split(":")
    name = parts[2:] if parts[0] == "agent" else parts
    if spawned_by or "subagent" in name:
        return Speaker.SUB_AGENT
    made_by = _MADE_BY.get(created_via or "")
    if made_by is not None:
        return Speaker(made_by)
    first = name[0] if name else ""
    if first in _JOBS or name[-1:] == ["heartbeat"] or any(part.startswith(_JOB_NAMES) for part in name[:2]):
        return Speaker.JOB
    if first in _PROGRAMS:
        return Speaker.PROGRAM
    if chat_type in _ROOMS or _ROOMS & set(name[1:3]):
        return Speaker.ROOM
    return Speaker.USER
