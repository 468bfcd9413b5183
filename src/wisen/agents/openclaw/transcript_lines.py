"""Parses OpenClaw transcript files line by line, including torn and joined lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen.agents.citations import may_cite
from wisen.agents.concessions import may_concede
from wisen.agents.event_collector import EventCollector
from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker
from wisen.agents.openclaw.read import AGENT, OpenclawConversation
from wisen.agents.openclaw.records import IGNORED_TYPES, RELEVANT_TYPES, Record, record_decoder
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wisen.agents.log_follower import Cursor

_HEAD = 400
"""Bytes that contain all fields before a message's content."""
_PROSE = b'"message":{"role":"assistant"'
_ACTION_MARKS = (b'"toolCall"', b'"toolUse"', b'"functionCall"', b'"aborted"')
_BLOCKS = b',"content":['
_TEXT = b'"text":'
_BEFORE_TEXT = b'{"type":"text",'
_RECORD_ID = lazy_regex(rb'\s*\{"type":"[a-z_]+","id":"([^"\\]+)"')
_VALUE_PREFIXES = (b":", b"[", b",")
_decoder = json.JSONDecoder(strict=False)


class TranscriptLineParser:
    """Parses the lines of one transcript."""

    decoder = record_decoder
    relevant_types = RELEVANT_TYPES
    ignored_types = IGNORED_TYPES

    def __init__(
        self, cursor: Cursor, name: str, speaker_of: Callable[[str], OpenclawSpeaker | None], *, program_prompts: bool
    ) -> None:
        self.collector = EventCollector(AGENT, cursor.segments)
        self._conversation = OpenclawConversation(self.collector, speaker_of, program_prompts=program_prompts)
        self._conversation.begin(cursor.state.get("session", name), cursor.state.get("place", ""))
        if self._conversation.speaker is None and "voice" in cursor.state:
            self._conversation.speaker = OpenclawSpeaker(cursor.state["voice"])
        self._conversation.local = "local" in cursor.state
        self._last: str | None = None
        self._span = bytearray(), 0, 0

    def state(self) -> dict[str, str]:
        """Return the session named in the first line, who writes in it, and whether its model is local."""
        state = {"session": self._conversation.native, "place": self._conversation.place}
        state |= {"local": "yes"} if self._conversation.local else {}
        return state if self._conversation.speaker is None else state | {"voice": self._conversation.speaker.value}

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Whether a line is clearly irrelevant prose of the assistant, without concession or citation.

        Inside a JSON string every quotation mark is escaped, so quoted text cannot look like fields of the message.
        """
        prose = block.find(_PROSE, start, min(start + _HEAD, end))
        if prose >= 0 and block.find(b"{", start + 1, prose) < 0 and block[end - 1 : end] == b"}":
            content_start = prose + len(_PROSE)
            return all(block.find(act, start, end) < 0 for act in _ACTION_MARKS) and not _may_be_relevant(
                block, content_start, end
            )
        self._span = block, start, end
        return False

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether a record recovered from a torn line was on a line of its own, not nested in another record.

        A record in the position of a field's value may be either; it counts only if it continues the record before
        it, whose id is unknown to anyone who only supplied the text quoted there.
        """
        block, start, end = self._span
        begin = block.rfind(f'{{"type":"{value.get("type")}","id":"{value.get("id")}"'.encode(), start, end)
        if begin < 0 or _is_nested(bytes(block[begin:end])):
            return value.get("type") == "session" and block.startswith(b'{"type":"session"', start)
        before = bytes(block[start:begin]).rstrip(b"\0 \t\r")
        if not before.endswith(_VALUE_PREFIXES):
            return True
        id_match = _RECORD_ID.match(before)
        known = {self._last, id_match[1].decode("utf-8", "replace") if id_match else None} - {None}
        return value.get("parentId") in known

    def parse_record(self, record: Record, offset: int) -> None:
        """Parse one record."""
        self._conversation.parse_record(record, offset)
        self._last = record.id or self._last


def _may_be_relevant(block: bytearray, content_start: int, end: int) -> bool:
    """Whether a message may cite an id or concede, or its first text is not at the usual position."""
    if may_cite(block, content_start, end):
        return True
    text = block.find(_TEXT, content_start, end)
    if text < 0:
        return not block.startswith(_BLOCKS, content_start, end)
    begin = text + len(_TEXT) + 1
    quote = block.find(b'"', begin, end)
    plain = block.endswith(_BEFORE_TEXT, content_start, text) and block.startswith(b'"', begin - 1, end)
    return not plain or quote < 0 or may_concede(block, begin, quote)


def _is_nested(rest: bytes) -> bool:
    """Whether the text after the record shows that it is a field of another."""
    text = rest.decode("utf-8", "replace").replace("\0", "")
    try:
        _, stop = _decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return True
    return text[stop:].lstrip()[:1] in (",", "]", "}")
