"""Parses Claude Code transcript records into events."""

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
from wisen.model.source import ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.log_follower import Cursor

AGENT = "claude-code"
_FILES: dict[str, dict[str, int]] = {"Write": {"content": 0}, "NotebookEdit": {"new_source": 0}}
"""Arguments that are whole files: their content is never kept."""


class ClaudeParser:
    """Parses the lines of one transcript."""

    decoder = record_decoder
    relevant_types = RELEVANT_TYPES
    ignored_types = IGNORED_TYPES

    def __init__(self, cursor: Cursor, *, program_prompts: bool = False) -> None:
        self.collector = EventCollector(AGENT, cursor.segments)
        self._program_prompts = program_prompts
        self._queued: dict[str, Message] = {}
        self._dequeued: Message | None = None
        """The message that left the queue last: the next user record shows who sent it."""
        self._passed_on: dict[str, Message] = {}
        self._attributed: dict[str, Message] = {}
        self._rejected: dict[str, Rejection] = {}
        self._shell_message: Message | None = None

    def state(self) -> dict[str, str]:
        """Return nothing besides the segments."""
        return {}

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Handle most lines by their bytes: successful results, progress, and prose without concessions."""
        result = scan_line(block, start, end)
        if result is None or result is IRRELEVANT:
            return result is IRRELEVANT
        at = parse_time(result[1])
        return at is not None and self.collector.record_success(result[0], at)

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether a value is a top-level record: only these name their session if they are relevant."""
        return "sessionId" in value or str(value.get("type")) in IGNORED_TYPES

    def parse_record(self, record: Record, offset: int) -> None:
        """Parse one record."""
        if record.type == "user":
            self._parse_user(record, offset)
        elif record.type == "assistant":
            self._parse_assistant(record, offset)
        elif record.type == "queue-operation":
            self._parse_queue_operation(record, offset)
        elif record.type == "attachment":
            self._parse_attachment(record, offset)
        elif record.type not in IGNORED_TYPES:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, offset, record.type)

    def _locate(self, record: Record, offset: int) -> tuple[SessionKey, datetime] | None:
        at, native = parse_time(record.timestamp), record.sessionId
        if at is None or not native:
            # A record without a session may be torn out of another one: not a statement of the user.
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, record.type)
            return None
        if record.isSidechain:
            native = f"{native}/{record.agentId or 'sidechain'}"
        return self.collector.sessions.session_at(native, at, record.cwd or ""), at

    def _parse_assistant(self, record: Record, offset: int) -> None:
        content = record.message.content if record.message else None
        if not isinstance(content, list):
            return
        position = self._locate(record, offset)
        if position is None:
            return
        session, at = position
        has_text = False
        for block in content:
            if block.type == "text":
                self._parse_answer_text(record, block.text or "", session, at, begins=not has_text)
                has_text = True
            if block.type != "tool_use":
                continue
            self._add_rejections(session, stopped=False)
            if not block.id or not block.name:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "tool_use")
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

    def _parse_answer_text(self, record: Record, text: str, session: SessionKey, at: datetime, *, begins: bool) -> None:
        """Add the concession that begins an assistant text, and the lessons that it cites."""
        place = record.cwd or ""
        if begins and is_concession(text):
            identity = f"conceded:{record.uuid or _derive_id(at, text)}"
            self.collector.events.append(Concession(id=identity, session=session, at=at, place=place))
        self.collector.events += find_citations(record.uuid or _derive_id(at, text), text, session, at, place)

    def _parse_user(self, record: Record, offset: int) -> None:
        content = record.message.content if record.message else None
        if content is None:
            return
        position = self._locate(record, offset)
        if position is None:
            return
        session, at = position
        texts: list[str] = []
        origin = MessageOrigin.QUEUED if record.promptSource == "queued" else MessageOrigin.PROMPT
        for block in [Block(type="text", text=content)] if isinstance(content, str) else content:
            if block.type == "tool_result":
                self._parse_result(record, block, session, at, offset)
                origin = MessageOrigin.QUEUED
            elif block.type == "text" and block.text:
                texts.append(block.text)
        if texts:
            self._parse_user_texts(record, texts, session, origin)

    def _parse_user_texts(self, record: Record, texts: list[str], session: SessionKey, origin: MessageOrigin) -> None:
        """Parse the texts of a user record: an interrupt, a command, or what the user typed."""
        at = parse_time(record.timestamp) or EPOCH
        place, identity = record.cwd or "", record.uuid or _derive_id(at, "\n".join(texts))
        call = self._add_rejections(session, stopped=record.interruptedMessageId is not None)
        if any(text.startswith(typed_text.INTERRUPTED) for text in texts):
            self.collector.events.append(Interrupt(id=identity, session=session, at=at, place=place, call=call))
        if any(typed_text.is_clear(text) for text in texts):
            self.collector.sessions.begin_segment(session.native)
        if record.isMeta or record.isSidechain or record.isCompactSummary or bytes(record.planContent) not in _ABSENT:
            self._drop_dequeued(session, texts)
            return
        self._parse_shell_command(record, texts, session, at)
        typed = [typed_text.extract_typed_text(text) for text in texts if not text.startswith(typed_text.INTERRUPTED)]
        text = "\n".join(piece for piece in typed if piece)
        if not text:
            if not any(each.startswith(typed_text.INTERRUPTED) for each in texts):
                self._drop_dequeued(session, texts)
            return
        self._resolve(self._remove_queued(text))
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

    def _parse_shell_command(self, record: Record, texts: list[str], session: SessionKey, at: datetime) -> None:
        """Parse a command that the user ran directly. A wisen command is a statement once its output is recorded.

        Text in a prompt that looks like one has a source, or is not followed by the output of a command.
        """
        for command in filter(None, map(typed_text.extract_shell_command, texts)):
            self._resolve(self._remove_queued(command))
            is_direct = record.promptSource is None and record.origin is None and len(texts) == 1
            if is_direct and record.uuid and typed_text.is_wisen_command(command):
                self._shell_message = Message(
                    id=record.uuid,
                    session=session,
                    at=at,
                    place=record.cwd or "",
                    text=command,
                    origin=MessageOrigin.SHELL,
                    provenance=Provenance.TYPED,
                )
        message = self._shell_message
        if message is not None and record.parentUuid == message.id and record.promptSource is None:
            self._shell_message = None
            if any(text.startswith(typed_text.COMMAND_OUTPUT) for text in texts):
                self.collector.events.append(message)

    def _provenance(self, source: str | None, sender: Sender | str | None) -> Provenance:
        kind = sender.kind if isinstance(sender, Sender) else sender
        is_typed = typed_text.is_typed_by_user(source, kind, program_prompts=self._program_prompts)
        return Provenance.TYPED if is_typed else Provenance.OTHER

    def _parse_result(self, record: Record, block: Block, session: SessionKey, at: datetime, offset: int) -> None:
        call = block.tool_use_id
        if not call:
            return
        tool, hides_exit, call_session, place = self.collector.close_call(call)
        # A result belongs to the directory of its call: a command that changes the directory ran in the old one.
        session, place = call_session or session, place or record.cwd or ""
        if not block.is_error:
            text = text_of(block.content) if hides_exit else ""
            status = Status.MASKED if hides_exit and has_error_line(text) else Status.OK
            self.collector.add_outcome(call, session, at, place, status, text if status is Status.MASKED else None)
            return
        text = text_of(block.content)
        if typed_text.is_rejection(text):
            rejection = Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=record.cwd or "")
            self._add_rejection(record, rejection, text, offset, foreign=not tool or tool.startswith("mcp__"))
        elif typed_text.is_interrupted(text):
            self.collector.events.append(Interrupt(id=f"stop:{call}", session=session, at=at, place=place, call=call))
        elif record.toolDenialKind or typed_text.is_cancelled(text):
            self.collector.add_outcome(call, session, at, place, Status.CANCELLED, None)
        else:
            self.collector.add_outcome(call, session, at, place, Status.FAILED, text)

    def _add_rejection(self, record: Record, rejection: Rejection, text: str, offset: int, *, foreign: bool) -> None:
        """Add the user's rejection of a call, and the reason if they typed one.

        A tool of a foreign server words its own errors and could forge a rejection, so what seems typed there, or for
        a call that is not in this log, does not count as typed unless the record itself says so.
        """
        if typed_text.has_no_reason(text):
            # The next record shows whether the call had been running.
            self._rejected[rejection.id] = rejection
            self.collector.wait(rejection.id, offset, otherwise=rejection)
            return
        self.collector.events.append(rejection)
        reason = typed_text.rejection_reason(text)
        if reason:
            is_doubtful = (foreign or record.isSidechain) and not record.holdsPersonsWords
            self.collector.events.append(
                Message(
                    id=f"reason:{rejection.call}",
                    session=rejection.session,
                    at=rejection.at,
                    place=rejection.place,
                    text=reason,
                    origin=MessageOrigin.REJECTION,
                    provenance=Provenance.OTHER if is_doubtful else Provenance.TYPED,
                )
            )

    def _add_rejections(self, session: SessionKey, *, stopped: bool) -> str | None:
        """Add rejections without a reason, unless the calls ran and were stopped; returns the last call."""
        if not self._rejected:
            return None
        rejections = [each for each in self._rejected.values() if each.session.native == session.native]
        for rejection in rejections:
            del self._rejected[rejection.id]
            self.collector.resolve(rejection.id)
            if not stopped:
                self.collector.events.append(rejection)
        return rejections[-1].call if rejections else None

    def _parse_queue_operation(self, record: Record, offset: int) -> None:
        if record.operation == "enqueue" and bytes(record.content) not in _ABSENT:
            text = typed_text.extract_queued_text(text_of(record.content))
            position = self._locate(record, offset)
            if text is None or position is None or not {record.mode, record.commandMode} <= _PROMPTS:
                return
            session, at = position
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
            # Taken back for editing: it need not be sent again.
            for message in self._queued.values():
                self._add_dequeued(message)
            self._queued.clear()
        elif record.operation == "remove":
            self._handle_removal(record)
        elif record.operation == "dequeue":
            self._dequeued = next(iter(self._queued.values()), None)

    def _drop_dequeued(self, session: SessionKey, texts: list[str]) -> None:
        """Drop queued messages that occur in a record nobody typed: they were not typed in the queue either."""
        queued, record_text = list(self._queued.values()), "\n".join(texts)
        for message in queued:
            is_same = message is self._dequeued or (message.text or "") in record_text
            if is_same and message.session.native == session.native:
                self._resolve(self._queued.pop(message.id))
        self._dequeued = None

    def _handle_removal(self, record: Record) -> None:
        """Handle a queued prompt passed to the agent during its turn: at most an attachment follows, no prompt."""
        if bytes(record.content) not in _ABSENT:
            message = self._remove_queued(typed_text.extract_queued_text(text_of(record.content)))
        else:
            message = self._remove_queued(next((each.text for each in self._queued.values()), None))
        if message is None:
            return
        if record.reason != "absorbed_mid_turn":
            self._add_dequeued(message)
        elif message.id in self._attributed:
            self._add_dequeued(self._attributed.pop(message.id))
        else:
            self._passed_on[message.id] = message

    def _parse_attachment(self, record: Record, offset: int) -> None:
        """Find the sender of a prompt that is passed on just before or after this; programs are not named."""
        attachment = record.attachment
        if attachment is None or attachment.type != "queued_command":
            return
        text = typed_text.extract_queued_text(text_of(attachment.prompt))
        candidates = [*self._passed_on.values(), *self._queued.values()]
        message = next((each for each in candidates if each.text == text and each.id not in self._attributed), None)
        if message is None or self._locate(record, offset) is None:
            return
        by_program = attachment.origin is None or attachment.commandMode not in _PROMPTS
        provenance = self._provenance("sdk" if by_program else None, attachment.origin)
        attributed = replace(message, place=record.cwd or message.place, provenance=provenance)
        if self._passed_on.pop(message.id, None) is None:
            self._attributed[message.id] = attributed
        else:
            self._add_dequeued(attributed)

    def _add_dequeued(self, message: Message) -> None:
        """Add a prompt that left the queue for good."""
        self._resolve(message)
        self.collector.events.append(message)

    def _remove_queued(self, text: str | None) -> Message | None:
        """Remove the prompt with this text from the queue."""
        message = next((each for each in self._queued.values() if each.text == text), None)
        return self._queued.pop(message.id) if message is not None else None

    def _resolve(self, message: Message | None) -> None:
        if message is not None:
            self.collector.resolve(message.id)


_ABSENT = (b"", b"null", b'""')
_PROMPTS = frozenset({None, "prompt"})
"""The modes of queued prompts that a person typed; others are notifications and shell commands."""


def _derive_id(at: datetime, text: str) -> str:
    """Derive an id for something that has none: the same in every copy of the log."""
    exact = f"{at.isoformat()}\0{text}".encode("utf-8", "surrogatepass")
    return f"made:{hashlib.blake2b(exact, digest_size=12).hexdigest()}"
