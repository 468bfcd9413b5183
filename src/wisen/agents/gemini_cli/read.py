"""Parses Gemini CLI chat records into events.

Messages that the user rewound did happen, so they become events like the rest. Patches of a header may contain whole
messages: those replace what the model sees (a summary, a context), or are copies of other lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import EventCollector, parse_time
from wisen.agents.gemini_cli.gemini_cli_outcomes import SHELL, GeminiOutcomeKind, outcome_of
from wisen.agents.gemini_cli.gemini_cli_typed_text import extract_typed_text
from wisen.agents.gemini_cli.records import (
    IGNORED_TYPES,
    RELEVANT_TYPES,
    Record,
    decode_document,
    parts_of,
    record_decoder,
)
from wisen.agents.masked_failures import can_hide_exit_code
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.source import ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.gemini_cli.gemini_cli_outcomes import GeminiOutcome
    from wisen.agents.gemini_cli.records import Header, ToolCall
    from wisen.agents.log_follower import Cursor
    from wisen.model.event import SessionKey

AGENT = "gemini-cli"
_SUB_AGENT = "subagent"
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_FILES: dict[str, dict[str, int]] = {
    "write_file": {"content": 0},
    "replace": {"old_string": 2_000, "new_string": 2_000},
}
"""Arguments that are or may be file contents, and how many characters of them are kept."""
_BEGINNINGS = frozenset({"id", "sessionId", "$set", "$rewindTo"})
_STATUS = {
    GeminiOutcomeKind.SUCCEEDED: Status.OK,
    GeminiOutcomeKind.FAILED: Status.FAILED,
    GeminiOutcomeKind.MASKED: Status.MASKED,
    GeminiOutcomeKind.BLOCKED: Status.CANCELLED,
}


class GeminiParser:
    """Parses the lines of one chat."""

    decoder = record_decoder
    relevant_types = RELEVANT_TYPES
    ignored_types = IGNORED_TYPES

    def __init__(self, cursor: Cursor, *, name: str, parent: str, place: str) -> None:
        """`name`: the session if no header names it; `parent`: the session that started this sub-agent, or empty."""
        self.collector = EventCollector(AGENT, cursor.segments)
        self._session = cursor.state.get("session", name)
        self._kind = cursor.state.get("kind", _SUB_AGENT if parent else "main")
        self._parent = parent
        self._place = place
        self._seen: set[str] = set()

    def state(self) -> dict[str, str]:
        """Return what the header said."""
        return {"session": self._session, "kind": self._kind}

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Handle nothing by its bytes alone."""
        return False

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether this begins like a line."""
        return next(iter(value), "") in _BEGINNINGS

    def parse_document(self, data: bytes) -> None:
        """Parse a chat that is one document. Raises: msgspec.DecodeError."""
        chat = decode_document(data)
        self._apply_header(chat)
        for raw in chat.messages:
            try:
                self.parse_record(record_decoder.decode(raw), 0)
            except _UNREADABLE:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, 0)
            except Exception as error:  # noqa: BLE001 - error boundary: a message that fails costs that message only
                self.collector.add_parser_error(0, error)

    def parse_record(self, record: Record, offset: int) -> None:
        """Parse one record."""
        if record.type in RELEVANT_TYPES:
            try:
                self._parse_message(record, offset)
            except msgspec.ValidationError:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, record.type)
        elif record.patch is not None:
            self._apply_header(record.patch)
        elif record.sessionId is not None:
            self._apply_header(record)
        elif record.type not in IGNORED_TYPES and record.rewind is None:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, offset, record.type)

    def _apply_header(self, header: Header) -> None:
        self._session = header.sessionId or self._session
        self._kind = header.kind or self._kind

    @property
    def _is_sub_agent(self) -> bool:
        return self._kind == _SUB_AGENT or bool(self._parent)

    def _parse_message(self, record: Record, offset: int) -> None:
        at = parse_time(record.timestamp)
        if at is None or not record.id:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, record.type)
            return
        native = f"{self._parent or 'chat'}/{self._session}" if self._is_sub_agent else self._session
        session = self.collector.sessions.session_at(native, at, self._place)
        if record.type == "user":
            self._parse_user(record, record.id, session, at)
        else:
            self._parse_gemini(record, record.id, session, at, offset)

    def _parse_user(self, record: Record, identity: str, session: SessionKey, at: datetime) -> None:
        parts = parts_of(record.content)
        if any(part.functionResponse is not None for part in parts):
            return  # results, which are recorded with their calls, and perhaps comments on them for the model
        display_parts = parts_of(record.displayContent)
        text = extract_typed_text(part.text for part in display_parts or parts if part.text)
        if text is not None and self._is_new(identity):
            self.collector.events.append(
                Message(
                    id=identity,
                    session=session,
                    at=at,
                    place=self._place,
                    text=text,
                    origin=MessageOrigin.PROMPT,
                    provenance=Provenance.OTHER if self._is_sub_agent else Provenance.TYPED,
                )
            )

    def _parse_gemini(self, record: Record, identity: str, session: SessionKey, at: datetime, offset: int) -> None:
        first_text = next((part.text for part in parts_of(record.content) if part.text and not part.thought), "")
        if first_text and is_concession(first_text) and self._is_new(f"conceded:{identity}"):
            concession = Concession(id=f"conceded:{identity}", session=session, at=at, place=self._place)
            self.collector.events.append(concession)
        whole_text = "\n".join(part.text for part in parts_of(record.content) if part.text and not part.thought)
        citations = find_citations(identity, whole_text, session, at, self._place)
        self.collector.events += [each for each in citations if self._is_new(each.id)]
        stopped = ""
        for tool_call in record.toolCalls or ():
            if not tool_call.id or not tool_call.name:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "toolCall")
                continue
            hides_exit = tool_call.name == SHELL and can_hide_exit_code(
                call_arguments.shell_arguments(tool_call.args).command or ""
            )
            self._add_call(tool_call, tool_call.id, session, at, offset, hides_exit=hides_exit)
            outcome = outcome_of(tool_call, hides_exit=hides_exit)
            if outcome is None or not self._is_new(f"end:{tool_call.id}"):
                continue
            self.collector.close_call(tool_call.id)
            ended_at = max(at, parse_time(tool_call.timestamp) or at)
            if outcome.kind is GeminiOutcomeKind.STOPPED:
                stopped = tool_call.id
            else:
                self._add_outcome(tool_call.id, outcome, session, ended_at)
        if stopped and not self._is_sub_agent and self._is_new(f"stop:{identity}"):
            stop = Interrupt(id=f"stop:{identity}", session=session, at=at, place=self._place, call=stopped)
            self.collector.events.append(stop)

    def _add_call(
        self, tool_call: ToolCall, identity: str, session: SessionKey, at: datetime, offset: int, *, hides_exit: bool
    ) -> None:
        if not self._is_new(identity):
            return
        tool = tool_call.name or ""
        call = Call(
            id=identity,
            session=session,
            at=at,
            place=self._place,
            tool=tool,
            arguments=call_arguments.strip_file_contents(tool_call.args, _FILES.get(tool, {})),
        )
        self.collector.add_call(call, offset, hides_exit=hides_exit)

    def _add_outcome(self, call: str, outcome: GeminiOutcome, session: SessionKey, at: datetime) -> None:
        if outcome.kind is GeminiOutcomeKind.REJECTED:
            refusal = Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=self._place)
            self.collector.events.append(refusal)
        else:
            self.collector.add_outcome(call, session, at, self._place, _STATUS[outcome.kind], outcome.text)

    def _is_new(self, identity: str) -> bool:
        """Whether this id was not seen before in this pass: a message is written again whenever it grows."""
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True
