"""Determines who writes the user messages of an OpenClaw session, by its key and origin, never by its text.

OpenClaw runs scheduled jobs, webhooks, heartbeats and sub-agents as normal sessions; only the key distinguishes them
from a chat. In a group anybody may write, so there only messages count that OpenClaw marks as the owner's.
"""

from __future__ import annotations

from enum import StrEnum

_JOB_KEYS = frozenset({"cron", "hook", "heartbeat", "boot", "temp", "internal", "plugin", "probe"})
_JOB_PREFIXES = ("dreaming-", "heartbeat-", "model-run-", "probe-", "skill-", "slug-")
_PROGRAM_KEYS = frozenset({"openai", "openai-user", "openresponses", "openresponses-user", "mcp"})
_ROOM_KEYS = frozenset({"group", "channel", "room"})
_CREATORS = {"spawn": "sub-agent", "cron": "job", "plugin": "job", "internal": "job"}


class OpenclawSpeaker(StrEnum):
    """Who writes the user messages of a session."""

    USER = "user"
    ROOM = "room"
    """A chat of several people: only the owner's messages are the user's."""
    PROGRAM = "program"
    """A client of OpenClaw's API."""
    JOB = "job"
    """A schedule, a webhook, a heartbeat."""
    SUB_AGENT = "sub-agent"
    """Another agent of the same installation."""


def speaker_of(
    key: str, *, spawned_by: str | None = None, created_via: str | None = None, chat_type: str | None = None
) -> OpenclawSpeaker:
    """Return who writes in a session with this key."""
    parts = key.lower().split(":")
    name = parts[2:] if parts[0] == "agent" else parts
    if spawned_by or "subagent" in name:
        return OpenclawSpeaker.SUB_AGENT
    creator = _CREATORS.get(created_via or "")
    if creator is not None:
        return OpenclawSpeaker(creator)
    first = name[0] if name else ""
    if first in _JOB_KEYS or name[-1:] == ["heartbeat"] or any(part.startswith(_JOB_PREFIXES) for part in name[:2]):
        return OpenclawSpeaker.JOB
    if first in _PROGRAM_KEYS:
        return OpenclawSpeaker.PROGRAM
    if chat_type in _ROOM_KEYS or _ROOM_KEYS & set(name[1:3]):
        return OpenclawSpeaker.ROOM
    return OpenclawSpeaker.USER
