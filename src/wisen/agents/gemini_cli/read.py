"""From records of a Gemini CLI chat to events.

Messages that the user rewound did happen, so they are told like the rest. Patches of a header may hold whole messages:
those are what the model was given instead (a summary, a context), or copies of lines that stand on their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.agents import call_arguments
from wisen.agents.citations import citations
from wisen.agents.concessions import concedes
from wisen.agents.event_collector import Notebook, moment
from wisen.agents.gemini_cli.gemini_cli_outcomes import SHELL, GeminiEnding, end_of
from wisen.agents.gemini_cli.gemini_cli_typed_text import typed_text
from wisen.agents.gemini_cli.records import PASSED_OVER, READ, Record, as_document, parts_of, record_decoder
from wisen.agents.masked_failures import hides_exit_code
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.source import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.gemini_cli.gemini_cli_outcomes import GeminiEnd
    from wisen.agents.gemini_cli.records import About, Called
    from wisen.agents.log_follower import Cursor
    from wisen.model.event import SessionKey

AGENT = "gemini-cli"
_SUB_AGENT = "subagent"
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_FILES: dict[str, dict[str, int]] = {
    "write_file": {"content": 0},
    "replace": {"old_string": 2_000, "new_string": 2_000},
}
"""Arguments that are files, or may be, and how many characters of them are kept."""
_BEGINNINGS = frozenset({"id", "sessionId", "$set", "$rewindTo"})
_STATUS = {
    GeminiEnding.WELL: Status.OK,
    GeminiEnding.FAILED: Status.FAILED,
    GeminiEnding.MASKED: Status.MASKED,
    GeminiEnding.BLOCKED: Status.CANCELLED,
}


class ChatFormat:
    """What the lines of one chat mean."""

    decoder = record_decoder
    teaching = READ
    passed_over = PASSED_OVER

    def __init__(self, cursor: Cursor, *, name: str, parent: str, place: str) -> None:
        """`name`: the session when no header tells it; `parent`: the session whose sub-agent this is, or nothing."""
        self.notebook = Notebook(AGENT, cursor.segments)
        self._session = cursor.state.get("session", name)
        self._kind = cursor.state.get("kind", _SUB_AGENT if parent else "main")
        self._parent = parent
        self._place = place
        self._told: set[str] = set()

    def state(self) -> dict[str, str]:
        """What the header said."""
        return {"session": self._session, "kind": self._kind}

    def glance(self, block: bytearray, start: int, end: int) -> bool:
        """Nothing is told by bytes alone."""
        return False

    def is_whole(self, value: Mapping[str, object]) -> bool:
        """Whether this begins as a line does."""
        return next(iter(value), "") in _BEGINNINGS

    def document(self, data: bytes) -> None:
        """Take in a chat that is one document. Raises: msgspec.DecodeError."""
        chat = as_document(data)
        self._about(chat)
        for raw in chat.messages:
            try:
                self.record(record_decoder.decode(raw), 0)
            except _UNREADABLE:
                self.notebook.trouble(TroubleKind.MISSHAPEN, 0)
            except Exception as error:  # noqa: BLE001 - a fence: a message that the reader breaks on costs that one only
                self.notebook.note_broken_record(0, error)

    def record(self, record: Record, offset: int) -> None:
        """Take one record in."""
        if record.type in READ:
            try:
                self._message(record, offset)
            except msgspec.ValidationError:
                self.notebook.trouble(TroubleKind.MISSHAPEN, offset, record.type)
        elif record.patch is not None:
            self._about(record.patch)
        elif record.sessionId is not None:
            self._about(record)
        elif record.type not in PASSED_OVER and record.rewind is None:
            self.notebook.trouble(TroubleKind.UNKNOWN, offset, record.type)

    def _about(self, about: About) -> None:
        self._session = about.sessionId or self._session
        self._kind = about.kind or self._kind

    @property
    def _is_sub_agent(self) -> bool:
        return self._kind == _SUB_AGENT or bool(self._parent)

    def _message(self, record: Record, offset: int) -> None:
        at = moment(record.timestamp)
        if at is None or not record.id:
            self.notebook.trouble(TroubleKind.MISSHAPEN, offset, record.type)
            return
        native = f"{self._parent or 'chat'}/{self._session}" if self._is_sub_agent else self._session
        session = self.notebook.sessions.session(native, at, self._place)
        if record.type == "user":
            self._user(record, record.id, session, at)
        else:
            self._gemini(record, record.id, session, at, offset)

    def _user(self, record: Record, identity: str, session: SessionKey, at: datetime) -> None:
        parts = parts_of(record.content)
        if any(part.functionResponse is not None for part in parts):
            return  # results, which stand with their calls, and perhaps what was said to the model about them
        shown = parts_of(record.displayContent)
        text = typed_text(part.text for part in shown or parts if part.text)
        if text is not None and self._is_new(identity):
            self.notebook.events.append(
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

    def _gemini(self, record: Record, identity: str, session: SessionKey, at: datetime, offset: int) -> None:
        said = next((part.text for part in parts_of(record.content) if part.text and not part.thought), "")
        if said and concedes(said) and self._is_new(f"conceded:{identity}"):
            conceded = Concession(id=f"conceded:{identity}", session=session, at=at, place=self._place)
            self.notebook.events.append(conceded)
        whole = "\n".join(part.text for part in parts_of(record.content) if part.text and not part.thought)
        named = citations(identity, whole, session, at, self._place)
        self.notebook.events += [each for each in named if self._is_new(each.id)]
        stopped = ""
        for called in record.toolCalls or ():
            if not called.id or not called.name:
                self.notebook.trouble(TroubleKind.MISSHAPEN, offset, "toolCall")
                continue
            hides = called.name == SHELL and hides_exit_code(call_arguments.shell_of(called.args).command or "")
            self._call(called, called.id, session, at, offset, hides=hides)
            end = end_of(called, hides=hides)
            if end is None or not self._is_new(f"end:{called.id}"):
                continue
            self.notebook.close(called.id)
            ended = max(at, moment(called.timestamp) or at)
            if end.how is GeminiEnding.STOPPED:
                stopped = called.id
            else:
                self._end(called.id, end, session, ended)
        if stopped and not self._is_sub_agent and self._is_new(f"stop:{identity}"):
            stop = Interrupt(id=f"stop:{identity}", session=session, at=at, place=self._place, call=stopped)
            self.notebook.events.append(stop)

    def _call(
        self, called: Called, identity: str, session: SessionKey, at: datetime, offset: int, *, hides: bool
    ) -> None:
        if not self._is_new(identity):
            return
        tool = called.name or ""
        call = Call(
            id=identity,
            session=session,
            at=at,
            place=self._place,
            tool=tool,
            arguments=call_arguments.without_files(called.args, _FILES.get(tool, {})),
        )
        self.notebook.call(call, offset, hides=hides)

    def _end(self, call: str, end: GeminiEnd, session: SessionKey, at: datetime) -> None:
        if end.how is GeminiEnding.REFUSED:
            refusal = Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=self._place)
            self.notebook.events.append(refusal)
        else:
            self.notebook.outcome(call, session, at, self._place, _STATUS[end.how], end.text)

    def _is_new(self, identity: str) -> bool:
        """Whether this was not told before in this pass: a message is written again whenever it grows."""
        if identity in self._told:
            return False
        self._told.add(identity)
        return True
