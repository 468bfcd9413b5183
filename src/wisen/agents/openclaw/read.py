"""Parses OpenClaw transcript records into events.

A transcript is a tree: an edit or a retry begins a new branch and abandons the old one. Abandoned branches did happen,
so they become events like the rest. OpenClaw also rewrites long histories by appending copies under new ids; a message
is therefore identified by its time and text, and a call by the provider's id.
"""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations, find_cited_ids
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import parse_time
from wisen.agents.local_models import is_local_model
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.openclaw import openclaw_typed_text
from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker
from wisen.agents.openclaw.records import (
    CALLS,
    IGNORED_ROLES,
    IGNORED_TYPES,
    Block,
    Record,
    StoredMessage,
    abort_origin,
    blocks_of,
    details_of,
    is_from_owner,
    source_kind,
    text_of,
    time_of,
)
from wisen.agents.session_segments import EPOCH
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.plausible_time import plausible_time
from wisen.model.source import ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from wisen.agents.event_collector import EventCollector
    from wisen.model.event import SessionKey

AGENT = "openclaw"
_SHELLS = frozenset({"exec", "bash"})
_FILES: dict[str, dict[str, int]] = {
    "write": {"content": 0},
    "file_write": {"content": 0, "data": 0, "contentBase64": 0},
    "apply_patch": {"input": 2_000, "patch": 2_000},
    "edit": {"oldText": 2_000, "newText": 2_000, "old_string": 2_000, "new_string": 2_000},
}
"""Arguments that are or may be file contents, and how many characters of them are kept."""
_BLOCKED_STATES = frozenset({"approval-pending", "approval-unavailable", "blocked"})
_UNAPPROVED, _DENIED = ("Plugin approval ", "Approval timed out"), "Denied by user"
"""How OpenClaw's reason begins if a plug-in required approval: nobody was there to ask, or the user denied it."""
_FAILURE_STATES = frozenset({"failed", "error", "forbidden"})
_EXITED = re.compile(r"\(?Command exited with code [1-9]\d*\)?\s*\Z")
_REJECTED = re.compile(r"exec denied\b[^\n]{0,200}\buser-denied\b", re.IGNORECASE)
_MISSING = "[openclaw] missing tool result in session history"
_FILE_MARK = "Current file contents:"
"""What the edit tool prints before the whole file that it could not change."""
_HUMAN_SOURCES = frozenset({"", "external_user"})
_USER_ABORTS = frozenset({"rpc", "stop-command"})
_UNIQUE = re.compile(r"(?=(?:[A-Za-z_-]*\d){3})[\w-]{16,}")


class OpenCallRef(NamedTuple):
    """A call without a result so far."""

    id: str
    place: str


class OpenclawConversation:
    """Parses one session: keeps its directory, who writes in it, and which calls are open."""

    def __init__(
        self, collector: EventCollector, speaker_of: Callable[[str], OpenclawSpeaker | None], *, program_prompts: bool
    ) -> None:
        self._collector = collector
        self._speaker_of = speaker_of
        self._program_prompts = program_prompts
        self._open_calls: dict[str, OpenCallRef] = {}
        self._stopped = False
        self.native = ""
        self.place = ""
        self.speaker: OpenclawSpeaker | None = None
        """None until the key or a prompt shows it."""
        self.local = False
        """Whether the current model is known to run on the user's machine."""

    def begin(self, native: str, place: str) -> None:
        """Begin a session; the following records belong to it."""
        self.native, self.place = native, place
        self.speaker = self._speaker_of(native)

    def parse_record(self, record: Record, offset: int) -> None:
        """Parse one record."""
        if record.type == "message":
            self._parse_message(record, offset)
        elif record.type == "session":
            if record.id:
                self.begin(record.id, record.cwd or "")
            else:
                self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "session")
        elif record.type == "reset":
            at = parse_time(record.timestamp)
            if at is not None and self.native:
                self._collector.sessions.session_at(self.native, at, self.place)
                self._collector.sessions.begin_segment(self.native)
        elif record.type == "model_change":
            self.local = is_local_model(record.provider, record.modelId)
        elif record.type not in IGNORED_TYPES:
            self._collector.add_problem(ReadProblemKind.UNKNOWN, offset, record.type)

    def _parse_message(self, record: Record, offset: int) -> None:
        message = record.message
        if message is None or not message.role:
            self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "message")
            return
        parse = {"user": self._parse_user, "assistant": self._parse_assistant, "toolResult": self._parse_result}.get(
            message.role
        )
        if parse is None:
            if message.role not in IGNORED_ROLES:
                self._collector.add_problem(ReadProblemKind.UNKNOWN, offset, f"message of {message.role}")
            return
        at, blocks = _created_at(message, record), blocks_of(message.content)
        if at is None or not self.native:
            self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, message.role)
            return
        parse(message, blocks, at, offset)

    def _parse_user(self, message: StoredMessage, blocks: list[Block], at: datetime, offset: int) -> None:
        del offset
        text = text_of(blocks)
        if self.speaker is None:
            self.speaker = OpenclawSpeaker.JOB if openclaw_typed_text.is_job(text) else OpenclawSpeaker.USER
        self._stopped = False
        session = self._collector.sessions.session_at(self.native, at, self.place)
        typed = (
            openclaw_typed_text.extract_typed_text(text) if source_kind(message.provenance) in _HUMAN_SOURCES else None
        )
        if typed is None:
            return
        owner = is_from_owner(message.meta)
        is_typed = self._is_typed_by_user(owner) and (owner is True or not openclaw_typed_text.is_from_room(text))
        self._collector.events.append(
            Message(
                id=_derive_id(at, typed),
                session=session,
                at=at,
                place=self.place,
                text=typed,
                origin=MessageOrigin.QUEUED if openclaw_typed_text.is_queued(text) else MessageOrigin.PROMPT,
                provenance=Provenance.TYPED if is_typed else Provenance.OTHER,
                local=self.local,
            )
        )

    def _is_typed_by_user(self, owner: bool | None) -> bool:  # noqa: FBT001 - a fact of the record, not a switch
        if self.speaker is OpenclawSpeaker.ROOM:
            return owner is True
        if self.speaker is OpenclawSpeaker.PROGRAM:
            return self._program_prompts and owner is not False
        return self.speaker is OpenclawSpeaker.USER and owner is not False

    def _parse_assistant(self, message: StoredMessage, blocks: list[Block], at: datetime, offset: int) -> None:
        calls = [block for block in blocks if block.type in CALLS]
        stopped = message.stopReason == "aborted" or abort_origin(message.openclawAbort) in _USER_ABORTS
        text = next((block.text for block in blocks if block.type == "text"), None) or ""
        concedes, cited = is_concession(text), find_cited_ids(text_of(blocks))
        if not calls and not stopped and not concedes and not cited:
            return
        session = self._collector.sessions.session_at(self.native, at, self.place)
        if concedes:
            identity = f"conceded:{_derive_id(at, text)}"
            self._collector.events.append(Concession(id=identity, session=session, at=at, place=self.place))
        if cited:
            full_text = text_of(blocks)
            self._collector.events += find_citations(_derive_id(at, full_text), full_text, session, at, self.place)
        for block in calls:
            if block.id and block.name:
                self._add_call(block, session, at, offset)
            else:
                self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, block.type)
        if stopped and not self._stopped and self.speaker in (OpenclawSpeaker.USER, OpenclawSpeaker.ROOM, None):
            # The runtime and the gateway may both record the same interrupt.
            self._stopped = True
            identity = f"stop:{_derive_id(at, text_of(blocks))}"
            self._collector.events.append(Interrupt(id=identity, session=session, at=at, place=self.place))

    def _add_call(self, block: Block, session: SessionKey, at: datetime, offset: int) -> None:
        native, tool = block.id or "", block.name or ""
        shell = call_arguments.shell_arguments(block.arguments)
        # Some providers count their calls from zero in each turn.
        identity = native if _UNIQUE.search(native) else f"{native}@{int((at - EPOCH).total_seconds() * 1000)}"
        place = shell.workdir if shell.workdir and PurePath(shell.workdir).is_absolute() else self.place
        self._open_calls[native] = OpenCallRef(identity, place)
        call = Call(
            id=identity,
            session=session,
            at=at,
            place=place,
            tool=tool,
            arguments=call_arguments.strip_file_contents(block.arguments, _FILES.get(tool, {})),
        )
        self._collector.add_call(call, offset, hides_exit=tool in _SHELLS and can_hide_exit_code(shell.command or ""))

    def _parse_result(self, message: StoredMessage, blocks: list[Block], at: datetime, offset: int) -> None:
        native = message.toolCallId
        if not native:
            self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, message.role)
            return
        call, place = self._open_calls.pop(native, OpenCallRef(native, self.place))
        session = self._collector.sessions.session_at(self.native, at, self.place)
        hides_exit = self._collector.close_call(call).hides_exit
        status, text = _outcome_of(message, blocks, hides_exit=hides_exit)
        if status is not None:
            self._collector.add_outcome(call, session, at, place, status, text)
        elif text is not None:
            self._collector.events.append(
                Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=place)
            )


def _outcome_of(message: StoredMessage, blocks: list[Block], *, hides_exit: bool) -> tuple[Status | None, str | None]:
    """Return the status of a call, and the error text if it failed. No status: unknown, or rejected if there is one."""
    details = details_of(message.details)
    code, text = details.exit_code, ""
    shell = message.toolName in _SHELLS
    if message.isError or hides_exit or (shell and code is None) or code or details.state in _FAILURE_STATES:
        text = text_of(blocks)
    if message.isError and (details.openclawSyntheticMissingToolResult is True or text.startswith(_MISSING)):
        return None, None
    denied = details.reason.startswith(_DENIED)
    if shell and code is None and (denied or _REJECTED.match(text)):
        return None, text
    if details.state in _BLOCKED_STATES or denied or details.reason.startswith(_UNAPPROVED):
        return Status.CANCELLED, None  # tools other than a shell may report themselves as denied
    failed = message.isError or code or details.timedOut is True or details.state in _FAILURE_STATES
    if failed or (shell and code is None and _EXITED.search(text)):
        return Status.FAILED, (text or text_of(blocks)).partition(_FILE_MARK)[0]
    if hides_exit and has_error_line(text):
        return Status.MASKED, text
    return Status.OK, None


def _created_at(message: StoredMessage, record: Record) -> datetime | None:
    """Return when a message was created. The record's time is that of a copy if the history was rewritten."""
    created = time_of(message.timestamp)
    if isinstance(created, str):
        return parse_time(created)
    try:
        return plausible_time(EPOCH + timedelta(milliseconds=created)) if created else parse_time(record.timestamp)
    except (OverflowError, ValueError):
        return None


def _derive_id(at: datetime, text: str) -> str:
    """Derive an id for something that keeps its time and text, but not its id, when it is copied."""
    exact = f"{at.isoformat()}\0{text}".encode("utf-8", "surrogatepass")
    return f"made:{hashlib.blake2b(exact, digest_size=12).hexdigest()}"
