"""From records of an OpenClaw conversation to events.

A transcript is a tree: an edit or a retry begins a new branch and leaves the old one behind. What stands on a branch
that was left did happen, so it is told like the rest. OpenClaw also rewrites long histories by appending copies under
new ids; a message is therefore known by its own time and text, and a call by the provider's id.
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
from wisen.agents.event_collector import parse_time, plausible_time
from wisen.agents.local_models import is_local_model
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.openclaw import openclaw_typed_text
from wisen.agents.openclaw.openclaw_speakers import Speaker
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
"""Arguments that are files, or may be, and how many characters of them are kept."""
_NEVER_RAN = frozenset({"approval-pending", "approval-unavailable", "blocked"})
_UNAPPROVED, _DENIED = ("Plugin approval ", "Approval timed out"), "Denied by user"
"""How OpenClaw's reason begins where a plug-in wanted a call to be approved: nobody was there to ask, or he said no."""
_WENT_WRONG = frozenset({"failed", "error", "forbidden"})
_EXITED = re.compile(r"\(?Command exited with code [1-9]\d*\)?\s*\Z")
_REFUSED = re.compile(r"exec denied\b[^\n]{0,200}\buser-denied\b", re.IGNORECASE)
_MISSING = "[openclaw] missing tool result in session history"
_FILE_BEHIND = "Current file contents:"
"""What the edit tool says before it shows the whole file that it could not change."""
_FROM_PEOPLE = frozenset({"", "external_user"})
_USER_ABORTS = frozenset({"rpc", "stop-command"})
_UNIQUE = re.compile(r"(?=(?:[A-Za-z_-]*\d){3})[\w-]{16,}")


class OpenCallRef(NamedTuple):
    """A call that was not answered yet."""

    id: str
    place: str


class OpenclawConversation:
    """One session while it is read: where it stands, who speaks in it, and which calls are open."""

    def __init__(
        self, collector: EventCollector, speaker_of: Callable[[str], Speaker | None], *, program_prompts: bool
    ) -> None:
        self._collector = collector
        self._speaker_of = speaker_of
        self._program_prompts = program_prompts
        self._asked: dict[str, OpenCallRef] = {}
        self._stopped = False
        self.native = ""
        self.place = ""
        self.speaker: Speaker | None = None
        """None while neither the key nor a prompt has told."""
        self.local = False
        """Whether the model that is spoken to is known to run on the user's own machine."""

    def begin(self, native: str, place: str) -> None:
        """What follows belongs to this session."""
        self.native, self.place = native, place
        self.speaker = self._speaker_of(native)

    def parse_record(self, record: Record, offset: int) -> None:
        """Take one record in."""
        if record.type == "message":
            self._message(record, offset)
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

    def _message(self, record: Record, offset: int) -> None:
        said = record.message
        if said is None or not said.role:
            self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "message")
            return
        take = {"user": self._user, "assistant": self._assistant, "toolResult": self._result}.get(said.role)
        if take is None:
            if said.role not in IGNORED_ROLES:
                self._collector.add_problem(ReadProblemKind.UNKNOWN, offset, f"message of {said.role}")
            return
        at, blocks = _when(said, record), blocks_of(said.content)
        if at is None or not self.native:
            self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, said.role)
            return
        take(said, blocks, at, offset)

    def _user(self, said: StoredMessage, blocks: list[Block], at: datetime, offset: int) -> None:
        del offset
        text = text_of(blocks)
        if self.speaker is None:
            self.speaker = Speaker.JOB if openclaw_typed_text.is_job(text) else Speaker.USER
        self._stopped = False
        session = self._collector.sessions.session_at(self.native, at, self.place)
        own = openclaw_typed_text.extract_typed_text(text) if source_kind(said.provenance) in _FROM_PEOPLE else None
        if own is None:
            return
        owner = is_from_owner(said.meta)
        mine = self._is_typed_by_user(owner) and (owner is True or not openclaw_typed_text.is_from_room(text))
        self._collector.events.append(
            Message(
                id=_derive_id(at, own),
                session=session,
                at=at,
                place=self.place,
                text=own,
                origin=MessageOrigin.QUEUED if openclaw_typed_text.is_queued(text) else MessageOrigin.PROMPT,
                provenance=Provenance.TYPED if mine else Provenance.OTHER,
                local=self.local,
            )
        )

    def _is_typed_by_user(self, owner: bool | None) -> bool:  # noqa: FBT001 - a fact of the record, not a switch
        if self.speaker is Speaker.ROOM:
            return owner is True
        if self.speaker is Speaker.PROGRAM:
            return self._program_prompts and owner is not False
        return self.speaker is Speaker.USER and owner is not False

    def _assistant(self, said: StoredMessage, blocks: list[Block], at: datetime, offset: int) -> None:
        calls = [block for block in blocks if block.type in CALLS]
        stopped = said.stopReason == "aborted" or abort_origin(said.openclawAbort) in _USER_ABORTS
        text = next((block.text for block in blocks if block.type == "text"), None) or ""
        conceded, named = is_concession(text), find_cited_ids(text_of(blocks))
        if not calls and not stopped and not conceded and not named:
            return
        session = self._collector.sessions.session_at(self.native, at, self.place)
        if conceded:
            identity = f"conceded:{_derive_id(at, text)}"
            self._collector.events.append(Concession(id=identity, session=session, at=at, place=self.place))
        if named:
            whole = text_of(blocks)
            self._collector.events += find_citations(_derive_id(at, whole), whole, session, at, self.place)
        for block in calls:
            if block.id and block.name:
                self._call(block, session, at, offset)
            else:
                self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, block.type)
        if stopped and not self._stopped and self.speaker in (Speaker.USER, Speaker.ROOM, None):
            # The runtime and the gateway may both record one stop.
            self._stopped = True
            identity = f"stop:{_derive_id(at, text_of(blocks))}"
            self._collector.events.append(Interrupt(id=identity, session=session, at=at, place=self.place))

    def _call(self, block: Block, session: SessionKey, at: datetime, offset: int) -> None:
        native, tool = block.id or "", block.name or ""
        shell = call_arguments.shell_arguments(block.arguments)
        # Some providers count their calls from nought in each turn.
        identity = native if _UNIQUE.search(native) else f"{native}@{int((at - EPOCH).total_seconds() * 1000)}"
        place = shell.workdir if shell.workdir and PurePath(shell.workdir).is_absolute() else self.place
        self._asked[native] = OpenCallRef(identity, place)
        call = Call(
            id=identity,
            session=session,
            at=at,
            place=place,
            tool=tool,
            arguments=call_arguments.strip_file_contents(block.arguments, _FILES.get(tool, {})),
        )
        self._collector.add_call(call, offset, hides_exit=tool in _SHELLS and can_hide_exit_code(shell.command or ""))

    def _result(self, said: StoredMessage, blocks: list[Block], at: datetime, offset: int) -> None:
        native = said.toolCallId
        if not native:
            self._collector.add_problem(ReadProblemKind.MISSHAPEN, offset, said.role)
            return
        call, place = self._asked.pop(native, OpenCallRef(native, self.place))
        session = self._collector.sessions.session_at(self.native, at, self.place)
        hides_exit = self._collector.close_call(call).hides_exit
        status, text = _end(said, blocks, hides_exit=hides_exit)
        if status is not None:
            self._collector.add_outcome(call, session, at, place, status, text)
        elif text is not None:
            self._collector.events.append(
                Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=place)
            )


def _end(said: StoredMessage, blocks: list[Block], *, hides_exit: bool) -> tuple[Status | None, str | None]:
    """How a call ended, with the words of a failure. No status: nobody knows, or, with a text, the user refused it."""
    details = details_of(said.details)
    code, text = details.exit_code, ""
    shell = said.toolName in _SHELLS
    if said.isError or hides_exit or (shell and code is None) or code or details.state in _WENT_WRONG:
        text = text_of(blocks)
    if said.isError and (details.openclawSyntheticMissingToolResult is True or text.startswith(_MISSING)):
        return None, None
    denied = details.reason.startswith(_DENIED)
    if shell and code is None and (denied or _REFUSED.match(text)):
        return None, text
    if details.state in _NEVER_RAN or denied or details.reason.startswith(_UNAPPROVED):
        return Status.CANCELLED, None  # other tools than a shell may say of themselves that they were denied
    wrong = said.isError or code or details.timedOut is True or details.state in _WENT_WRONG
    if wrong or (shell and code is None and _EXITED.search(text)):
        return Status.FAILED, (text or text_of(blocks)).partition(_FILE_BEHIND)[0]
    if hides_exit and has_error_line(text):
        return Status.MASKED, text
    return Status.OK, None


def _when(said: StoredMessage, record: Record) -> datetime | None:
    """When a message was made. The record's own time is that of a copy, when the history was rewritten."""
    made = time_of(said.timestamp)
    if isinstance(made, str):
        return parse_time(made)
    try:
        return plausible_time(EPOCH + timedelta(milliseconds=made)) if made else parse_time(record.timestamp)
    except (OverflowError, ValueError):
        return None


def _derive_id(at: datetime, text: str) -> str:
    """The identity of something that keeps its time and text, but not its id, when it is copied."""
    exact = f"{at.isoformat()}\0{text}".encode("utf-8", "surrogatepass")
    return f"made:{hashlib.blake2b(exact, digest_size=12).hexdigest()}"
