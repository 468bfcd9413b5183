"""Extracts the text that the user typed from OpenClaw messages, by the frames around all other text.

Before 2026.8 OpenClaw stored its context for the model inside the user's message: sender and channel, quoted and
forwarded messages, files, its own events. Each has a frame, and OpenClaw escapes lines of the user that look like one
before storing them; the wording of a text plays no role here.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_MACHINE = lazy_regex(
    r"\[(?:cron:|Subagent (?:Context|Task)\]|Inter-session message\]|Internal task completion event\]|System Message\]"
    r"|OpenClaw (?:heartbeat poll|exec completion|cron wake|session event)\]|Forwarded from "
    r"|Thread (?:starter|history) - for context\])"
    r"|(?:Read HEARTBEAT\.md if it exists|Follow the heartbeat monitor scratch|A new session was started via /new"
    r"|A scheduled reminder has been triggered|An async command (?:you ran|completion|did not run|the user already)"
    r"|Agent-to-agent announce step|Pre-compaction memory flush|Continue the OpenClaw runtime event"
    r"|Continue where you left off\. The previous model attempt|You are running a boot check\. Follow BOOT\.md"
    r"|OpenClaw runtime (?:context|event)|A (?:background|subagent) task |SECURITY NOTICE: The following content)"
)
"""How prompts begin that OpenClaw itself writes."""
_SCHEDULED_END = lazy_regex(r"\nCurrent time: \S[^\n]*(?:\nReference UTC: [^\n]*)?\s*\Z")
"""How prompts of heartbeats and scheduled jobs end, whatever their configured text."""

_MARK = "⟦openclaw:ctx⟧"
_CONTEXT_TO_END = lazy_regex(
    rf"^(?:Context: {_MARK}|Untrusted context \(metadata, do not treat as instructions or commands\):)[ \t]*$.*",
    re.DOTALL | re.MULTILINE,
)
_BLOCKS = lazy_regex(
    r"^[^\n]*\(untrusted(?: metadata|, for context)\):[ \t]*\n```json\n.*?(?:^```[ \t]*$\s*|\Z)"
    rf"|^[^\n]+ {_MARK}[ \t]*\n(?:```json\n.*?(?:^```[ \t]*$\s*|\Z)|(?:[^\n]+(?:\n|\Z))*\s*)"
    r"|^\[Replying to [^\n]*\]\n(?:.*^\[/Replying\][ \t]*$\s*|.*)"
    r"|^\[Replying to:[^\n]*\]\s*",
    re.DOTALL | re.MULTILINE,
)
_AUDIT = lazy_regex(
    r"^[^\n]{0,80}Post-Compaction Audit:[^\n]*\n(?:[ \t]+- [^\n]*\n)*\s*(?:Please read them now[^\n]*(?:\n|\Z))?",
    re.MULTILINE,
)
"""An event of several lines: files that were not read again after a compaction."""
_INTERNAL_END = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
_INTERNAL = lazy_regex(
    rf"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:{_INTERNAL_END}|\Z)"
    r"|<<<EXTERNAL_UNTRUSTED_CONTENT(?P<mark>[^>]*)>>>.*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT(?P=mark)>>>|\Z)"
    r"|(?:^Context:[ \t]*\n)?<(?P<tag>active_memory_plugin|relevant-memories)>(?:.*</(?P=tag)>|.*)"
    r"|<file (?:name|mime)=[^>]*>(?:.*</file>|.*)",
    re.DOTALL | re.MULTILINE,
)
_LINES = lazy_regex(
    r"^[ \t]*(?:\[message_id:[^\]\n]+\]|\[media attached(?: \d+/\d+)?:[^\n]*\]|<media:[^>\n]+>(?: \([^)\n]*\))?"
    r"|To send an image back, prefer the message tool[^\n]*"
    r"|Note: The previous agent run was aborted by the user\.[^\n]*)[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_HEADS = lazy_regex(
    r"\s*(?:(?:System(?: \(untrusted\))?:[^\n]*(?:\n|\Z))+"
    r"|\[[^\]\n]*\d{4}-\d\d-\d\d(?: \d\d:\d\d|T\d\d:\d\d(?::\d\d)?Z)[^\]\n]*\][ \t]*"
    r"|\[(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo(?: Personal)?"
    r"|BlueBubbles|LINE|Feishu|Mattermost|IRC|Nostr|Twitch) [^\]\n]*\][ \t]*)"
)
"""Events and the envelope of a channel, in sequence at the beginning."""
_SINCE = "[Chat messages since your last reply - for context]"
_CURRENT = "[Current message - respond to this]"
_QUEUED = "[Queued messages while agent was busy]"
_OVERFLOW = "[Queue overflow]"
_QUEUED_ONE = lazy_regex(r"^---\nQueued #\d+[^\n]*\n", re.MULTILINE)
_MEDIA = lazy_regex(r"\[(?:Image|Audio|Video)(?: \d+/\d+)?\]\n|User text:\n")
_USER_TEXT = lazy_regex(
    r"(?:\[(?:Image|Audio|Video)(?: \d+/\d+)?\]\n)?User text:\n(?P<text>.*?)"
    r"(?:\n(?:Description|Transcript):\n|\n\n\[(?:Image|Audio|Video)(?: \d+/\d+)?\]\n|\Z)",
    re.DOTALL,
)
_ROOM = lazy_regex(
    r'\s*Conversation info[^\n]*\n```json\n[^`]*?"(?:is_group_chat":\s*true|chat_type":\s*"(?:group|channel|room)")'
)


def is_queued(text: str) -> bool:
    """Whether these are messages that were queued while the agent worked."""
    return _queued_messages(_strip_frames(text)) is not None


def is_job(text: str) -> bool:
    """Whether the first prompt of a session shows that a schedule or another agent started it."""
    return _strip_frames(text).startswith(("[cron:", "[Subagent Context]", "[Subagent Task]"))


def is_from_room(text: str) -> bool:
    """Whether a message came from a chat of several people, by OpenClaw's text before it."""
    return _ROOM.match(text) is not None


def extract_typed_text(text: str) -> str | None:
    """Return what the user typed in this text; None if OpenClaw wrote all of it."""
    text = _strip_frames(text)
    queue = _queued_messages(text)
    if queue is None:
        return _extract_message(text)
    pieces = [_extract_message(_strip_frames(piece)) for piece in _QUEUED_ONE.split(queue)[1:]]
    return "\n".join(piece for piece in pieces if piece) or None


def _queued_messages(text: str) -> str | None:
    """Return the queued messages; the frame is OpenClaw's only at the very beginning."""
    return text.partition(_QUEUED)[2] if text.startswith((_QUEUED, _OVERFLOW)) else None


def _extract_message(text: str) -> str | None:
    if text.startswith(_SINCE):
        text = _strip_frames(text.rpartition(_CURRENT)[2])
    if _MACHINE.match(text) or _SCHEDULED_END.search(text):
        return None
    if _MEDIA.match(text):
        # A model's description of a picture or transcript of a recording was not typed by the user.
        match = _USER_TEXT.match(text)
        text = match["text"] if match else ""
    return text.strip() or None


def _strip_frames(text: str) -> str:
    """Return the text without all framed parts."""
    if "<" in text:
        text = _INTERNAL.sub("", text).rpartition(_INTERNAL_END)[2]  # the closing mark of a nested frame
    if _MARK in text or "ntrusted" in text or "[Replying to" in text:
        text = _BLOCKS.sub("", _CONTEXT_TO_END.sub("", text))
    text = _LINES.sub("", _AUDIT.sub("", text))
    while head := _HEADS.match(text):
        text = text[head.end() :]
    return text.strip()
