"""An OpenClaw transcript as lines of a file: which line is which, also when it is torn or glued to another."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from wisen.agents.citations import may_cite
from wisen.agents.concessions import may_concede
from wisen.agents.event_collector import EventCollector
from wisen.agents.openclaw.openclaw_speakers import Speaker
from wisen.agents.openclaw.read import AGENT, OpenclawConversation
from wisen.agents.openclaw.records import IGNORED_TYPES, RELEVANT_TYPES, Record, record_decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from wisen.agents.log_follower import Cursor

_HEAD = 400
"""The fields before a message's content fit in this many bytes."""
_PROSE = b'"message":{"role":"assistant"'
_ACTS = (b'"toolCall"', b'"toolUse"', b'"functionCall"', b'"aborted"')
_BLOCKS = b',"content":['
_TEXT = b'"text":'
_BEFORE_TEXT = b'{"type":"text",'
_OWN_ID = re.compile(rb'\s*\{"type":"[a-z_]+","id":"([^"\\]+)"')
_WITHIN = (b":", b"[", b",")
_decoder = json.JSONDecoder(strict=False)


class TranscriptLineParser:
    """What the lines of one transcript mean."""

    decoder = record_decoder
    relevant_types = RELEVANT_TYPES
    ignored_types = IGNORED_TYPES

    def __init__(
        self, cursor: Cursor, name: str, speaker_of: Callable[[str], Speaker | None], *, program_prompts: bool
    ) -> None:
        self.collector = EventCollector(AGENT, cursor.segments)
        self._conversation = OpenclawConversation(self.collector, speaker_of, program_prompts=program_prompts)
        self._conversation.begin(cursor.state.get("session", name), cursor.state.get("place", ""))
        if self._conversation.speaker is None and "voice" in cursor.state:
            self._conversation.speaker = Speaker(cursor.state["voice"])
        self._conversation.local = "local" in cursor.state
        self._last: str | None = None
        self._span = bytearray(), 0, 0

    def state(self) -> dict[str, str]:
        """The session that the file's first line named, who speaks in it, and whether to a local model."""
        told = {"session": self._conversation.native, "place": self._conversation.place}
        told |= {"local": "yes"} if self._conversation.local else {}
        return told if self._conversation.speaker is None else told | {"voice": self._conversation.speaker.value}

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Whether a line plainly is prose of the assistant that concedes and names nothing, which never teaches.

        Inside a JSON string each quote is escaped, so that nothing a message quotes can look like its own fields.
        """
        prose = block.find(_PROSE, start, min(start + _HEAD, end))
        if prose >= 0 and block.find(b"{", start + 1, prose) < 0 and block[end - 1 : end] == b"}":
            said = prose + len(_PROSE)
            return all(block.find(act, start, end) < 0 for act in _ACTS) and not _may_tell(block, said, end)
        self._span = block, start, end
        return False

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether a record found in a torn line stood on a line of its own, and not inside another record.

        One that stands where a field's value would may be either; it counts only when it goes on from the record
        before it, whose id nobody can know who only supplied what that record quotes.
        """
        block, start, end = self._span
        begin = block.rfind(f'{{"type":"{value.get("type")}","id":"{value.get("id")}"'.encode(), start, end)
        if begin < 0 or _goes_on(bytes(block[begin:end])):
            return value.get("type") == "session" and block.startswith(b'{"type":"session"', start)
        before = bytes(block[start:begin]).rstrip(b"\0 \t\r")
        if not before.endswith(_WITHIN):
            return True
        own = _OWN_ID.match(before)
        known = {self._last, own[1].decode("utf-8", "replace") if own else None} - {None}
        return value.get("parentId") in known

    def parse_record(self, record: Record, offset: int) -> None:
        """Take one record in."""
        self._conversation.parse_record(record, offset)
        self._last = record.id or self._last


def _may_tell(block: bytearray, said: int, end: int) -> bool:
    """Whether the first text of a message may begin by conceding, or is not where it usually stands; or names an id."""
    if may_cite(block, said, end):
        return True
    text = block.find(_TEXT, said, end)
    if text < 0:
        return not block.startswith(_BLOCKS, said, end)
    begin = text + len(_TEXT) + 1
    quote = block.find(b'"', begin, end)
    plain = block.endswith(_BEFORE_TEXT, said, text) and block.startswith(b'"', begin - 1, end)
    return not plain or quote < 0 or may_concede(block, begin, quote)


def _goes_on(rest: bytes) -> bool:
    """Whether what follows the record shows that it is a field of another."""
    text = rest.decode("utf-8", "replace").replace("\0", "")
    try:
        _, stop = _decoder.raw_decode(text)
    except (ValueError, RecursionError):
        return True
    return text[stop:].lstrip()[:1] in (",", "]", "}")
