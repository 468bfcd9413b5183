"""Parses the parts of opencode messages into events.

A part is changed in place while it grows, so an incomplete answer stays pending. A fork copies messages under new ids;
copies are older than their session, and are skipped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations
from wisen.agents.concessions import is_concession
from wisen.agents.json_recovery import replace_invalid_text
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.opencode.records import (
    IGNORED_TYPES,
    RELEVANT_TYPES,
    Part,
    State,
    StoredMessage,
    decode_message,
    decode_part,
    parse_milliseconds,
)
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.source import ReadProblemKind
from wisen.safety import sentinel
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from wisen.agents.event_collector import EventCollector
    from wisen.model.event import SessionKey

Row = TypeVar("Row")

AGENT = "opencode"
_SHELL = "bash"
_FILES: dict[str, dict[str, int]] = {
    "write": {"content": 0},
    "edit": {"oldString": 2_000, "newString": 2_000},
    "apply_patch": {"patchText": 2_000},
    "patch": {"patchText": 2_000},
}
"""Arguments that are or may be file contents, and how many characters of them are kept."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_UNIQUE = lazy_regex(r"(?=(?:[A-Za-z_-]*\d){3})[\w-]{16,}")
_ABORTED = "MessageAbortedError"
_REJECTED = lazy_regex(
    r"The user rejected permission to use this specific tool call"
    r"(?: with the following feedback: (?P<reason>.*))?",
    re.DOTALL,
)
_BUILT_IN_TOOLS = frozenset(
    "apply_patch bash batch codesearch edit external_directory glob grep invalid list ls lsp multiedit patch plan_enter"
    " plan_exit question read shell skill task todoread todowrite webfetch websearch write".split()
)
"""opencode's built-in tools. Others word their own errors and could forge a message of the user."""
_QUOTED = lazy_regex(r'"((?:\\"|[^"])*)"')
"""How `opencode run` passes on a prompt that was given as one argument."""
_NEVER_RAN = lazy_regex(r"The user has specified a rule which prevents|The user dismissed this question")
_STOPPED = "Tool execution aborted"
_STOPPED_COMMAND = lazy_regex(r"<(?:bash|shell)_metadata>[^<]*User aborted[^<]*</(?:bash|shell)_metadata>\s*\Z")
"""How the output of a command ends that the user stopped: its status is completed."""
_TIMED_OUT = lazy_regex(r"<(?:bash|shell)_metadata>[^<]*exceed[^<]*timeout[^<]*</(?:bash|shell)_metadata>\s*\Z")


class OpencodeSession(NamedTuple):
    """What the database records about a session."""

    place: str = ""
    parent: str = ""
    created: float = 0
    by_program: bool = False
    """Whether `opencode run` began it."""


class _Position(NamedTuple):
    """The session, time, directory and row of a part."""

    session: SessionKey
    at: datetime
    place: str
    row: int


class OpencodeConversation:
    """Parses the parts of one session."""

    def __init__(
        self, session: str, info: OpencodeSession, collector: EventCollector, *, program_prompts: bool
    ) -> None:
        self.collector = collector
        self.native = f"{info.parent}/{session}" if info.parent else session
        self._info = info
        self._typed = not info.parent and (program_prompts or not info.by_program)
        self._current_message: tuple[str, StoredMessage | None] = ("", None)
        self._seen: set[str] = set()

    def parse_row(self, cells: tuple[Any, ...], row: int) -> None:
        """Parse one part: its data, its id, its message's id and its message's data."""
        data, identity, message, message_cell = (bytes(cell or b"") for cell in cells)
        try:
            part = _decode(decode_part, data)
        except msgspec.ValidationError:
            self._report_odd_part(data, row)
            return
        except _UNREADABLE:
            self.collector.add_problem(ReadProblemKind.GARBLED, row)
            return
        message_data = self._load_message(_text_of(message), message_cell, row)
        at = parse_milliseconds(message_data.time.created) if message_data else None
        if message_data is None or at is None or (message_data.time.created or 0) < self._info.created:
            if message_data is not None and at is None:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, "message")
            return
        if part.type not in RELEVANT_TYPES | IGNORED_TYPES:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, row, part.type)
        self._parse_part(part, _text_of(identity), _text_of(message), message_data, at, row)

    def _report_odd_part(self, data: bytes, row: int) -> None:
        try:
            kind = msgspec.json.decode(data).get("type", "")
        except (*_UNREADABLE, AttributeError):
            kind = ""
        if kind not in IGNORED_TYPES:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, str(kind))

    def _load_message(self, message: str, message_cell: bytes, row: int) -> StoredMessage | None:
        """Return the message that a part belongs to; decoded once for all of its parts."""
        if self._current_message[0] != message:
            try:
                self._current_message = message, _decode(decode_message, message_cell)
            except _UNREADABLE:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, "message")
                self._current_message = message, None
        return self._current_message[1]

    def _parse_part(
        self, part: Part, identity: str, message: str, message_data: StoredMessage, at: datetime, row: int
    ) -> None:
        place = (message_data.path.cwd if message_data.path else None) or self._info.place
        session = self.collector.sessions.session_at(self.native, at, self._info.place or place)
        if message_data.role == "user":
            self._parse_user(part, identity, session, at)
            return
        if not message_data.is_complete:
            self.collector.wait(message, row)
        if part.type == "tool" and part.state is not None:
            self._parse_call(part, part.state, identity, _Position(session, at, place, row))
        elif part.type == "text" and part.text and message_data.is_complete:
            begun_at = (parse_milliseconds(part.time.start) if part.time else None) or at
            if self._is_new(message) and is_concession(part.text):
                concession = Concession(id=f"conceded:{identity}", session=session, at=begun_at, place=self._info.place)
                self.collector.events.append(concession)
            self.collector.events += find_citations(identity, part.text, session, begun_at, self._info.place)
        if message_data.error is not None and message_data.error.name == _ABORTED:
            self._add_interrupt(f"stop:{message}", session, parse_milliseconds(message_data.time.completed) or at, part)

    def _add_interrupt(self, identity: str, session: SessionKey, at: datetime, part: Part) -> None:
        """Add the interrupt of an answer once, after its last call."""
        events, was_seen = self.collector.events, not self._is_new(identity)
        previous = next((each for each in events if each.id == identity), None)
        if not self._typed or (was_seen and (previous is None or part.type != "tool")):
            return
        if previous is not None:
            events.remove(previous)
        call = part.callID if part.type == "tool" else None
        events.append(Interrupt(id=identity, session=session, at=at, place=self._info.place, call=call))

    def _parse_user(self, part: Part, identity: str, session: SessionKey, at: datetime) -> None:
        text = (part.text or "").strip()
        if self._info.by_program and (quoted := _QUOTED.fullmatch(text)):
            text = quoted[1].replace('\\"', '"').strip()
        if part.type != "text" or part.synthetic or part.ignored or not text:
            return
        self._add_message(identity, session, at, text, MessageOrigin.PROMPT)

    def _add_message(self, identity: str, session: SessionKey, at: datetime, text: str, origin: MessageOrigin) -> None:
        self.collector.events.append(
            Message(
                id=identity,
                session=session,
                at=at,
                place=self._info.place,
                text=text,
                origin=origin,
                provenance=Provenance.TYPED if self._typed else Provenance.OTHER,
                local=self._current_message[1] is not None and self._current_message[1].is_local,
            )
        )

    def _parse_call(self, part: Part, state: State, identity: str, position: _Position) -> None:
        if not part.tool or not part.callID:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, position.row, "tool")
            return
        if state.status == "pending":
            self.collector.wait(identity, position.row)  # its arguments are not complete yet
            return
        hides_exit = part.tool == _SHELL and can_hide_exit_code(
            call_arguments.shell_arguments(state.input).command or ""
        )
        begun_at = parse_milliseconds(state.time.start) or position.at
        call = Call(
            id=part.callID if _UNIQUE.search(part.callID) else identity,
            session=position.session,
            at=begun_at,
            place=position.place,
            tool=part.tool,
            arguments=call_arguments.strip_file_contents(state.input, _FILES.get(part.tool, {})),
        )
        self.collector.add_call(call, position.row, hides_exit=hides_exit)
        if state.status in ("completed", "error"):
            self.collector.close_call(call.id)
            self._add_outcome(call, state, parse_milliseconds(state.time.end) or begun_at, hides_exit=hides_exit)

    def _add_outcome(self, call: Call, state: State, at: datetime, *, hides_exit: bool) -> None:
        status, text = _outcome_of(state, hides_exit=hides_exit)
        rejected = _REJECTED.match(text or "") if status is Status.FAILED else None
        if rejected is None:
            if status is not None:
                self.collector.add_outcome(call.id, call.session, at, call.place, status, text)
            return
        reason = (rejected["reason"] or "").strip()
        if not self._typed or (self._info.by_program and not reason):
            # Where nobody can be asked, every call that needs permission is rejected.
            self.collector.add_outcome(call.id, call.session, at, call.place, Status.CANCELLED)
            return
        rejection = Rejection(id=f"refusal:{call.id}", call=call.id, session=call.session, at=at, place=call.place)
        self.collector.events.append(rejection)
        if reason and call.tool in _BUILT_IN_TOOLS:
            self._add_message(f"reason:{call.id}", call.session, at, reason, MessageOrigin.REJECTION)

    def _is_new(self, identity: str) -> bool:
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True


def _outcome_of(state: State, *, hides_exit: bool) -> tuple[Status | None, str | None]:
    """Return the status of a call, with the error text of a failure. No status: it was stopped."""
    output = state.output or ""
    if state.status == "error":
        error = state.error or ""
        if error.startswith(_STOPPED) or (state.metadata or {}).get("interrupted") is True:
            return None, None
        return (Status.CANCELLED, None) if _was_blocked(error) else (Status.FAILED, error)
    if state.exit_code is None and _STOPPED_COMMAND.search(output):
        return None, None
    if state.exit_code:
        return Status.FAILED, f"Exit code {state.exit_code}\n{output}"
    if _TIMED_OUT.search(output):
        return Status.FAILED, output
    return (Status.MASKED, output) if hides_exit and has_error_line(output) else (Status.OK, None)


def _was_blocked(error: str) -> bool:
    """Whether a call was blocked before it ran: by the user's rules, or by a guard, whose text is the whole error."""
    return bool(_NEVER_RAN.match(error)) or (sentinel.strip(error) is not error and not sentinel.strip(error).strip())


def _text_of(cell: bytes) -> str:
    return cell.decode("utf-8", "replace")


def _decode(decode: Callable[[bytes], Row], data: bytes) -> Row:
    """Decode a row's JSON, with lone surrogates and invalid bytes replaced. Raises: one of _UNREADABLE."""
    try:
        return decode(data)
    except msgspec.ValidationError:
        raise
    except _UNREADABLE:
        return decode(replace_invalid_text(data))
