"""From records of a Claude Code transcript to events."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations
from wisen.agents.claude_code import claude_code_typed_text as typed_text
from wisen.agents.claude_code.fast_path import IRRELEVANT, scan_line
from wisen.agents.claude_code.records import (
    IGNORED_TYPES,
    RELEVANT_TYPES,
    Block,
    Record,
    Sender,
    record_decoder,
    text_of,
)
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import EventCollector, parse_time
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.session_segments import EPOCH
from wisen.model.event import (
    Call,
    Concession,
    Interrupt,
    Message,
    MessageOrigin,
    Provenance,
    Rejection,
    SessionKey,
    Status,
)
from wisen.model.source import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.log_follower import Cursor

AGENT = "claude-code"
_FILES: dict[str, dict[str, int]] = {"Write": {"content": 0}, "NotebookEdit": {"new_source": 0}}
"""Arguments that are whole files: nothing of them is kept."""


class ClaudeParser:
    """What the lines of one transcript mean."""

    decoder = record_decoder
    relevant_types = RELEVANT_TYPES
    ignored_types = IGNORED_TYPES

    def __init__(self, cursor: Cursor, *, program_prompts: bool = False) -> None:
        self.collector = EventCollector(AGENT, cursor.segments)
        self._program_prompts = program_prompts
        self._queued: dict[str, Message] = {}
        self._dequeued: Message | None = None
        """What left the queue last: the next record in the user's place tells whose it was."""
        self._handed: dict[str, Message] = {}
        self._told: dict[str, Message] = {}
        self._refused: dict[str, Rejection] = {}
        self._ran: Message | None = None

    def state(self) -> dict[str, str]:
        """Nothing beside the segments."""
        return {}

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Most lines are results that did not fail, progress, or prose that concedes nothing: their bytes tell."""
        found = scan_line(block, start, end)
        if found is None or found is IRRELEVANT:
            return found is IRRELEVANT
        at = parse_time(found[1])
        return at is not None and self.collector.record_success(found[0], at)

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Only on a line of its own a record that can teach names its session."""
        return "sessionId" in value or str(value.get("type")) in IGNORED_TYPES

    def parse_record(self, record: Record, offset: int) -> None:
        """Take one record in."""
        if record.type == "user":
            self._user(record, offset)
        elif record.type == "assistant":
            self._assistant(record, offset)
        elif record.type == "queue-operation":
            self._queue(record, offset)
        elif record.type == "attachment":
            self._attachment(record, offset)
        elif record.type not in IGNORED_TYPES:
            self.collector.add_problem(TroubleKind.UNKNOWN, offset, record.type)

    def _when_and_where(self, record: Record, offset: int) -> tuple[SessionKey, datetime] | None:
        at, native = parse_time(record.timestamp), record.sessionId
        if at is None or not native:
            # Without a session it may be a record from inside another one, torn out of it: not the user's word.
            self.collector.add_problem(TroubleKind.MISSHAPEN, offset, record.type)
            return None
        if record.isSidechain:
            native = f"{native}/{record.agentId or 'sidechain'}"
        return self.collector.sessions.session_at(native, at, record.cwd or ""), at

    def _assistant(self, record: Record, offset: int) -> None:
        content = record.message.content if record.message else None
        if not isinstance(content, list):
            return
        where = self._when_and_where(record, offset)
        if where is None:
            return
        session, at = where
        spoke = False
        for block in content:
            if block.type == "text":
                self._said(record, block.text or "", session, at, begins=not spoke)
                spoke = True
            if block.type != "tool_use":
                continue
            self._end_refusals(session, stopped=False)
            if not block.id or not block.name:
                self.collector.add_problem(TroubleKind.MISSHAPEN, offset, "tool_use")
                continue
            call = Call(
                id=block.id,
                session=session,
                at=at,
                place=record.cwd or "",
                tool=block.name,
                arguments=call_arguments.strip_file_contents(block.input, _FILES.get(block.name, {})),
            )
            hides_exit = block.name == "Bash" and can_hide_exit_code(
                call_arguments.shell_arguments(block.input).command or ""
            )
            self.collector.add_call(call, offset, hides_exit=hides_exit)

    def _said(self, record: Record, text: str, session: SessionKey, at: datetime, *, begins: bool) -> None:
        """What the assistant said: only whether it began with a concession counts, and which lessons it named."""
        place = record.cwd or ""
        if begins and is_concession(text):
            identity = f"conceded:{record.uuid or _derive_id(at, text)}"
            self.collector.events.append(Concession(id=identity, session=session, at=at, place=place))
        self.collector.events += find_citations(record.uuid or _derive_id(at, text), text, session, at, place)

    def _user(self, record: Record, offset: int) -> None:
        content = record.message.content if record.message else None
        if content is None:
            return
        where = self._when_and_where(record, offset)
        if where is None:
            return
        session, at = where
        texts: list[str] = []
        origin = MessageOrigin.QUEUED if record.promptSource == "queued" else MessageOrigin.PROMPT
        for block in [Block(type="text", text=content)] if isinstance(content, str) else content:
            if block.type == "tool_result":
                self._result(record, block, session, at, offset)
                origin = MessageOrigin.QUEUED
            elif block.type == "text" and block.text:
                texts.append(block.text)
        if texts:
            self._texts(record, texts, session, origin)

    def _texts(self, record: Record, texts: list[str], session: SessionKey, origin: MessageOrigin) -> None:
        """The texts of one user record: an interrupt, a command, or what the user typed."""
        at = parse_time(record.timestamp) or EPOCH
        place, identity = record.cwd or "", record.uuid or _derive_id(at, "\n".join(texts))
        call = self._end_refusals(session, stopped=record.interruptedMessageId is not None)
        if any(text.startswith(typed_text.INTERRUPTED) for text in texts):
            self.collector.events.append(Interrupt(id=identity, session=session, at=at, place=place, call=call))
        if any(typed_text.is_clear(text) for text in texts):
            self.collector.sessions.begin_segment(session.native)
        if record.isMeta or record.isSidechain or record.isCompactSummary or bytes(record.planContent) not in _ABSENT:
            self._drop_dequeued(session, texts)
            return
        self._shell(record, texts, session, at)
        own = [typed_text.extract_typed_text(text) for text in texts if not text.startswith(typed_text.INTERRUPTED)]
        text = "\n".join(piece for piece in own if piece)
        if not text:
            if not any(each.startswith(typed_text.INTERRUPTED) for each in texts):
                self._drop_dequeued(session, texts)
            return
        self._settle(self._unqueue(text))
        self._dequeued = None
        self.collector.events.append(
            Message(
                id=identity,
                session=session,
                at=at,
                place=place,
                text=text,
                origin=origin,
                provenance=self._provenance(record.promptSource, record.origin),
            )
        )

    def _shell(self, record: Record, texts: list[str], session: SessionKey, at: datetime) -> None:
        """A command that the user ran themself. One to wisen is their word, once a record behind it tells what it said.

        Words that look like it in a prompt have a source, or nothing that was said by a command behind them.
        """
        for command in filter(None, map(typed_text.shell_command, texts)):
            self._settle(self._unqueue(command))
            by_hand = record.promptSource is None and record.origin is None and len(texts) == 1
            if by_hand and record.uuid and typed_text.is_to_wisen(command):
                self._ran = Message(
                    id=record.uuid,
                    session=session,
                    at=at,
                    place=record.cwd or "",
                    text=command,
                    origin=MessageOrigin.SHELL,
                    provenance=Provenance.TYPED,
                )
        ran = self._ran
        if ran is not None and record.parentUuid == ran.id and record.promptSource is None:
            self._ran = None
            if any(text.startswith(typed_text.RAN) for text in texts):
                self.collector.events.append(ran)

    def _provenance(self, source: str | None, sender: Sender | str | None) -> Provenance:
        kind = sender.kind if isinstance(sender, Sender) else sender
        by_hand = typed_text.is_by_hand(source, kind, program_prompts=self._program_prompts)
        return Provenance.TYPED if by_hand else Provenance.OTHER

    def _result(self, record: Record, block: Block, session: SessionKey, at: datetime, offset: int) -> None:
        call = block.tool_use_id
        if not call:
            return
        tool, hidden, began, place = self.collector.close_call(call)
        # A result stands where its call stood: a command that changes the directory still ran in the old one.
        session, place = began or session, place or record.cwd or ""
        if not block.is_error:
            text = text_of(block.content) if hidden else ""
            status = Status.MASKED if hidden and has_error_line(text) else Status.OK
            self.collector.add_outcome(call, session, at, place, status, text if status is Status.MASKED else None)
            return
        text = text_of(block.content)
        if typed_text.is_refusal(text):
            rejection = Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=record.cwd or "")
            self._refusal(record, rejection, text, offset, foreign=not tool or tool.startswith("mcp__"))
        elif typed_text.is_interrupted(text):
            self.collector.events.append(Interrupt(id=f"stop:{call}", session=session, at=at, place=place, call=call))
        elif record.toolDenialKind or typed_text.is_cancelled(text):
            self.collector.add_outcome(call, session, at, place, Status.CANCELLED, None)
        else:
            self.collector.add_outcome(call, session, at, place, Status.FAILED, text)

    def _refusal(self, record: Record, rejection: Rejection, text: str, offset: int, *, foreign: bool) -> None:
        """The user refused a call, and perhaps typed why.

        A tool of somebody else's server words its errors itself and could forge a refusal, so what seems typed there,
        or under a call that this log does not show, does not count as typed unless the record itself says so.
        """
        if typed_text.asks_to_stop(text):
            # What is recorded next tells whether the call had been running.
            self._refused[rejection.id] = rejection
            self.collector.wait(rejection.id, offset, otherwise=rejection)
            return
        self.collector.events.append(rejection)
        reason = typed_text.refusal_reason(text)
        if reason:
            doubtful = (foreign or record.isSidechain) and not record.holdsPersonsWords
            self.collector.events.append(
                Message(
                    id=f"reason:{rejection.call}",
                    session=rejection.session,
                    at=rejection.at,
                    place=rejection.place,
                    text=reason,
                    origin=MessageOrigin.REJECTION,
                    provenance=Provenance.OTHER if doubtful else Provenance.TYPED,
                )
            )

    def _end_refusals(self, session: SessionKey, *, stopped: bool) -> str | None:
        """Refusals without a reason are the user's, unless the calls ran and were stopped; returns the last call."""
        if not self._refused:
            return None
        ended = [each for each in self._refused.values() if each.session.native == session.native]
        for rejection in ended:
            del self._refused[rejection.id]
            self.collector.resolve(rejection.id)
            if not stopped:
                self.collector.events.append(rejection)
        return ended[-1].call if ended else None

    def _queue(self, record: Record, offset: int) -> None:
        if record.operation == "enqueue" and bytes(record.content) not in _ABSENT:
            text = typed_text.queued_text(text_of(record.content))
            where = self._when_and_where(record, offset)
            if text is None or where is None or not {record.mode, record.commandMode} <= _PROMPTS:
                return
            session, at = where
            message = Message(
                id=_derive_id(at, text),
                session=session,
                at=at,
                place=session.start,
                text=text,
                origin=MessageOrigin.QUEUED,
                provenance=Provenance.TYPED,
            )
            self._queued[message.id] = message
            self.collector.wait(message.id, offset, otherwise=message)
        elif record.operation == "popAll":
            # Taken back to be edited: it need not be sent again.
            for message in self._queued.values():
                self._leave(message)
            self._queued.clear()
        elif record.operation == "remove":
            self._removed(record)
        elif record.operation == "dequeue":
            self._dequeued = next(iter(self._queued.values()), None)

    def _drop_dequeued(self, session: SessionKey, texts: list[str]) -> None:
        """What stands in a record that no person typed was not typed where it waited either."""
        waiting, told = list(self._queued.values()), "\n".join(texts)
        for message in waiting:
            is_same = message is self._dequeued or (message.text or "") in told
            if is_same and message.session.native == session.native:
                self._settle(self._queued.pop(message.id))
        self._dequeued = None

    def _removed(self, record: Record) -> None:
        """A queued prompt was handed to the agent within its turn: no prompt record follows, at most an attachment."""
        if bytes(record.content) not in _ABSENT:
            message = self._unqueue(typed_text.queued_text(text_of(record.content)))
        else:
            message = self._unqueue(next((each.text for each in self._queued.values()), None))
        if message is None:
            return
        if record.reason != "absorbed_mid_turn":
            self._leave(message)
        elif message.id in self._told:
            self._leave(self._told.pop(message.id))
        else:
            self._handed[message.id] = message

    def _attachment(self, record: Record, offset: int) -> None:
        """Who sent a prompt that was handed over, just before this or just behind: a program is not named."""
        handed = record.attachment
        if handed is None or handed.type != "queued_command":
            return
        text = typed_text.queued_text(text_of(handed.prompt))
        waiting = [*self._handed.values(), *self._queued.values()]
        message = next((each for each in waiting if each.text == text and each.id not in self._told), None)
        if message is None or self._when_and_where(record, offset) is None:
            return
        by_program = handed.origin is None or handed.commandMode not in _PROMPTS
        provenance = self._provenance("sdk" if by_program else None, handed.origin)
        told = replace(message, place=record.cwd or message.place, provenance=provenance)
        if self._handed.pop(message.id, None) is None:
            self._told[message.id] = told
        else:
            self._leave(told)

    def _leave(self, message: Message) -> None:
        """A prompt left the queue, and nothing more will be said of it."""
        self._settle(message)
        self.collector.events.append(message)

    def _unqueue(self, text: str | None) -> Message | None:
        """Take the prompt that says this out of the queue."""
        found = next((each for each in self._queued.values() if each.text == text), None)
        return self._queued.pop(found.id) if found is not None else None

    def _settle(self, message: Message | None) -> None:
        if message is not None:
            self.collector.resolve(message.id)


_ABSENT = (b"", b"null", b'""')
_PROMPTS = frozenset({None, "prompt"})
"""The modes of a queued command that a person typed; others are notifications and shell commands."""


def _derive_id(at: datetime, text: str) -> str:
    """The identity of something that has none of its own: the same in every copy of the log."""
    exact = f"{at.isoformat()}\0{text}".encode("utf-8", "surrogatepass")
    return f"made:{hashlib.blake2b(exact, digest_size=12).hexdigest()}"
