"""Which text of a user message was typed by the user, told by the frames that OpenClaw puts around everything else.

Before 2026.8 OpenClaw stored what it told the model inside the user's message: who wrote from which channel, quoted and
forwarded messages, files, events of its own. Each has a frame, and lines of the user that look like one are altered
by OpenClaw before they are stored; nothing here looks at what a text says.
"""

from __future__ import annotations

import re

_MACHINE = re.compile(
    r"\[(?:cron:|Subagent (?:Context|Task)\]|Inter-session message\]|Internal task completion event\]|System Message\]"
    r"|OpenClaw (?:heartbeat poll|exec completion|cron wake|session event)\]|Forwarded from "
    r"|Thread (?:starter|history) - for context\])"
    r"|(?:Read HEARTBEAT\.md if it exists|Follow the heartbeat monitor scratch|A new session was started via /new"
    r"|A scheduled reminder has been triggered|An async command (?:you ran|completion|did not run|the user already)"
    r"|Agent-to-agent announce step|Pre-compaction memory flush|Continue the OpenClaw runtime event"
    r"|Continue where you left off\. The previous model attempt|You are running a boot check\. Follow BOOT\.md"
    r"|OpenClaw runtime (?:context|event)|A (?:background|subagent) task |SECURITY NOTICE: The following content)"
)
"""How prompts begin that OpenClaw writes itself."""
_CLOCKED = re.compile(r"\nCurrent time: \S[^\n]*(?:\nReference UTC: [^\n]*)?\s*\Z")
"""How prompts of heartbeats and scheduled jobs end, whatever their owner made them say."""

_MARK = "⟦openclaw:ctx⟧"
_ALL_BEHIND = re.compile(
    rf"^(?:Context: {_MARK}|Untrusted context \(metadata, do not treat as instructions or commands\):)[ \t]*$.*",
    re.DOTALL | re.MULTILINE,
)
_BLOCKS = re.compile(
    r"^[^\n]*\(untrusted(?: metadata|, for context)\):[ \t]*\n```json\n.*?(?:^```[ \t]*$\s*|\Z)"
    rf"|^[^\n]+ {_MARK}[ \t]*\n(?:```json\n.*?(?:^```[ \t]*$\s*|\Z)|(?:[^\n]+(?:\n|\Z))*\s*)"
    r"|^\[Replying to [^\n]*\]\n(?:.*^\[/Replying\][ \t]*$\s*|.*)"
    r"|^\[Replying to:[^\n]*\]\s*",
    re.DOTALL | re.MULTILINE,
)
_INTERNAL_END = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
_INTERNAL = re.compile(
    rf"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:{_INTERNAL_END}|\Z)"
    r"|<<<EXTERNAL_UNTRUSTED_CONTENT(?P<mark>[^>]*)>>>.*?(?:<<<END_EXTERNAL_UNTRUSTED_CONTENT(?P=mark)>>>|\Z)"
    r"|(?:^Context:[ \t]*\n)?<(?P<tag>active_memory_plugin|relevant-memories)>(?:.*</(?P=tag)>|.*)"
    r"|<file (?:name|mime)=[^>]*>.*?(?:</file>|\Z)",
    re.DOTALL | re.MULTILINE,
)
_LINES = re.compile(
    r"^[ \t]*(?:\[message_id:[^\]\n]+\]|\[media attached(?: \d+/\d+)?:[^\n]*\]|<media:[^>\n]+>(?: \([^)\n]*\))?"
    r"|To send an image back, prefer the message tool[^\n]*"
    r"|Note: The previous agent run was aborted by the user\.[^\n]*)[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_HEADS = re.compile(
    r"\s*(?:(?:System:[^\n]*(?:\n|\Z))+"
    r"|\[[^\]\n]*\d{4}-\d\d-\d\d(?: \d\d:\d\d|T\d\d:\d\d(?::\d\d)?Z)[^\]\n]*\][ \t]*"
    r"|\[(?:WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo(?: Personal)?"
    r"|BlueBubbles|LINE|Feishu|Mattermost|IRC|Nostr|Twitch) [^\]\n]*\][ \t]*)"
)
"""Events and the envelope of a channel, one after the other at the beginning."""
_SINCE = "[Chat messages since your last reply - for context]"
_CURRENT = "[Current message - respond to this]"
_QUEUED = "[Queued messages while agent was busy]"
_OVERFLOW = "[Queue overflow]"
_QUEUED_ONE = re.compile(r"^---\nQueued #\d+[^\n]*\n", re.MULTILINE)
_MEDIA = re.compile(r"\[(?:Image|Audio|Video)(?: \d+/\d+)?\]\n|User text:\n")
_USER_TEXT = re.compile(
    r"(?:\[(?:Image|Audio|Video)(?: \d+/\d+)?\]\n)?User text:\n(?P<text>.*?)"
    r"(?:\n(?:Description|Transcript):\n|\n\n\[(?:Image|Audio|Video)(?: \d+/\d+)?\]\n|\Z)",
    re.DOTALL,
)
_ROOM = re.compile(
    r'\s*Conversation info[^\n]*\n```json\n[^`]*?"(?:is_group_chat":\s*true|chat_type":\s*"(?:group|channel|room)")'
)


def is_queued(text: str) -> bool:
    """Whether these are messages that waited while the agent worked."""
    return _queue_of(_unframed(text)) is not None


def is_job(text: str) -> bool:
    """Whether the first prompt of a session shows that a schedule or another agent began it."""
    return _unframed(text).startswith(("[cron:", "[Subagent Context]", "[Subagent Task]"))


def is_from_room(text: str) -> bool:
    """Whether a message came from a chat of several people, by what OpenClaw wrote before it."""
    return _ROOM.match(text) is not None


def extract_typed_text(text: str) -> str | None:
    """What the user typed in this text; None when all of it is OpenClaw's own."""
    text = _unframed(text)
    queue = _queue_of(text)
    if queue is None:
        return _one(text)
    pieces = [_one(_unframed(piece)) for piece in _QUEUED_ONE.split(queue)[1:]]
    return "\n".join(piece for piece in pieces if piece) or None


def _queue_of(text: str) -> str | None:
    """The messages that waited; only at the very beginning the frame is OpenClaw's."""
    return text.partition(_QUEUED)[2] if text.startswith((_QUEUED, _OVERFLOW)) else None


def _one(text: str) -> str | None:
    if text.startswith(_SINCE):
        text = _unframed(text.rpartition(_CURRENT)[2])
    if _MACHINE.match(text) or _CLOCKED.search(text):
        return None
    if _MEDIA.match(text):
        # What a model saw in a picture or heard in a recording is its reading, not the user's word.
        said = _USER_TEXT.match(text)
        text = said["text"] if said else ""
    return text.strip() or None


def _unframed(text: str) -> str:
    """The text without everything that stands in a frame."""
    if "<" in text:
        text = _INTERNAL.sub("", text).rpartition(_INTERNAL_END)[2]  # the end of one frame within another
    if _MARK in text or "ntrusted" in text or "[Replying to" in text:
        text = _BLOCKS.sub("", _ALL_BEHIND.sub("", text))
    text = _LINES.sub("", text)
    while head := _HEADS.match(text):
        text = text[head.end() :]
    return text.strip()
