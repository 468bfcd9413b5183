"""Parses rows of Hermes sessions into events.

Text injected by hooks is in a separate column, which is not read. A tool reports `ok` for whatever it ran: the outcome
of a command is inside its result.
"""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import msgspec

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations
from wisen.agents.concessions import is_concession
from wisen.agents.hermes.hermes_session_table import row_digest
from wisen.agents.hermes.hermes_typed_text import extract_typed_text, text_of
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.session_segments import EPOCH
from wisen.agents.tool_results import find_failure
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.plausible_time import plausible_time
from wisen.model.source import ReadProblemKind
from wisen.safety.sentinel import strip

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.agents.event_collector import EventCollector
    from wisen.agents.hermes.hermes_session_table import ExcludedRows

AGENT = "hermes"
_SHELL = "terminal"
_FILES: dict[str, dict[str, int]] = {
    "write_file": {"content": 0},
    "patch": {"old_string": 2_000, "new_string": 2_000, "patch": 2_000},
    "execute_code": {"code": 2_000},
}
"""Arguments that are or may be file contents, and how many characters of them are kept."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_IGNORED_ROLES = frozenset({"system", "session_meta", "developer"})
_UNIQUE = re.compile(r"(?=(?:[A-Za-z_-]*\d){3})[\w-]{16,}")
_CANCELLED = re.compile(r"\s*\[?Tool execution cancelled\b")
_SKIPPED = re.compile(r"\s*(?:\[Tool execution skipped\b|Skipped: (?:an)?other tool call\b)")
_NOT_EXECUTED = re.compile(r"\s*(?:Error executing tool\b|Tool '[^']*' does not exist\b|Tool call rejected\b)")
"""How Hermes reports a call that no tool answered."""
_PERSISTED = re.compile(r"\s*<persisted-output>")
_TRUNCATED = re.compile(r"\n\[Truncated: tool response was [\d,.]+ chars[^\n]*\Z")
"""Results of which the log has only the beginning: the outcome was at their end."""
_FRAMED = re.compile(r"\s*<untrusted_tool_result\b[^>\n]*>\n[^\n]*\n\n(.*)\n</untrusted_tool_result>", re.DOTALL)
_EMPTIED_PREFIXES = ('{"wisen": "", ', '{"wisen": ""')
"""What is left of our text at the beginning of a result."""
_DENIED = re.compile(r"user denied|denied by user", re.IGNORECASE)
_STOPPED = re.compile(r"\s*Operation interrupted\b")


class _Function(msgspec.Struct):
    name: str = ""
    arguments: str | None = None


class _ToolCall(msgspec.Struct):
    id: str | None = None
    call_id: str | None = None
    function: _Function | None = None


class _Result(msgspec.Struct):
    """What a tool reports about its own outcome."""

    output: object = None
    exit_code: object = None
    exit_code_meaning: object = None
    error: object = None
    status: object = None
    guardrail: object = None
    """Why Hermes itself blocked a call that failed too often."""


_tool_calls = msgspec.json.Decoder(list[_ToolCall])
_result = msgspec.json.Decoder(_Result)


class HermesConversation:
    """Parses the rows of one session."""

    def __init__(
        self,
        collector: EventCollector,
        native: str,
        place: str,
        excluded_rows: ExcludedRows,
        *,
        typed: bool,
        local: bool,
    ) -> None:
        """`typed`: whether the user typed the user messages; `local`: whether a model on their machine answers."""
        self.collector = collector
        self.native = native
        self._place = place
        self._excluded = excluded_rows
        self._typed, self._local = typed, local
        self._is_stopped = False
        """Whether this turn was interrupted: Hermes records it for the call, and then for the turn."""
        self._finished: set[str] = set()
        """The calls whose results were read in this pass."""

    def parse_row(self, cells: tuple[Any, ...], row: int) -> None:
        """Parse one row: role, content, tool calls, the call that it answers, and its time."""
        role, content, calls, answered, stamp = cells
        at = parse_stamp(stamp)
        if at is None:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, "timestamp")
            return
        if row in self._excluded.observed:
            return
        if self._excluded.copies.get(row_digest(role, content, calls), row) < row:
            return
        try:
            self._parse_cells(bytes(role or b"").decode(), _to_text(content), bytes(calls or b""), answered, at, row)
        except _UNREADABLE:
            self.collector.add_problem(ReadProblemKind.GARBLED, row, "row")

    def _parse_cells(self, role: str, text: str, calls: bytes, answered: bytes | None, at: datetime, row: int) -> None:
        if role == "user":
            self._parse_user(text_of(text), at, row)
        elif role == "assistant":
            self._parse_assistant(text_of(text), calls, at, row)
        elif role == "tool":
            self._handle_result(_to_text(answered), text_of(text), at, row)
        elif role not in _IGNORED_ROLES:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, row, role)

    def _parse_user(self, text: str, at: datetime, row: int) -> None:
        session, typed = self.collector.sessions.session_at(self.native, at, self._place), extract_typed_text(text)
        self._is_stopped = False
        if typed is not None:
            self.collector.events.append(
                Message(
                    id=f"{self.native}:{row}",
                    session=session,
                    at=at,
                    place=self._place,
                    text=typed,
                    origin=MessageOrigin.PROMPT,
                    provenance=Provenance.TYPED if self._typed else Provenance.OTHER,
                    local=self._local,
                )
            )

    def _parse_assistant(self, text: str, calls: bytes, at: datetime, row: int) -> None:
        session = self.collector.sessions.session_at(self.native, at, self._place)
        if is_concession(text) and extract_typed_text(text) is not None:  # a summary may quote earlier concessions
            concession = Concession(id=f"conceded:{self.native}:{row}", session=session, at=at, place=self._place)
            self.collector.events.append(concession)
        if extract_typed_text(text) is not None:
            self.collector.events += find_citations(f"{self.native}:{row}", text, session, at, self._place)
        for number, tool_call in enumerate(
            _tool_calls.decode(calls) or () if calls.strip() not in (b"", b"null") else ()
        ):
            name = tool_call.call_id or tool_call.id
            if not name or tool_call.function is None or not tool_call.function.name:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, f"tool_call {number}")
                continue
            tool, raw = (
                tool_call.function.name,
                msgspec.Raw((tool_call.function.arguments or "{}").encode("utf-8", "replace")),
            )
            shell = call_arguments.shell_arguments(raw)
            place = shell.workdir if shell.workdir and PurePath(shell.workdir).is_absolute() else self._place
            call = Call(
                id=self._unique_id(name),
                session=session,
                at=at,
                place=place,
                tool=tool,
                arguments=_ensure_object(call_arguments.strip_file_contents(raw, _FILES.get(tool, {}))),
            )
            self.collector.add_call(call, row, hides_exit=tool == _SHELL and can_hide_exit_code(shell.command or ""))
        if _STOPPED.match(text) and not self._is_stopped:
            self._add_interrupt(at, row, None)

    def _unique_id(self, call: str) -> str:
        return call if _UNIQUE.search(call) else f"{self.native}:{call}"

    def _add_interrupt(self, at: datetime, row: int, call: str | None) -> None:
        self._is_stopped = True
        if self._typed:
            session = self.collector.sessions.session_at(self.native, at, self._place)
            id_ = f"stop:{call or f'{self.native}:{row}'}"  # a call may be copied to another row
            stop = Interrupt(id=id_, session=session, at=at, place=self._place, call=call)
            self.collector.events.append(stop)

    def _handle_result(self, answered: str, text: str, at: datetime, row: int) -> None:
        if not answered:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, "tool")
            return
        call = self._unique_id(answered)
        _, hides_exit, call_session, place = self.collector.close_call(call)
        if call in self._finished:
            return  # a copy of its result
        self._finished.add(call)
        session = call_session or self.collector.sessions.session_at(self.native, at, self._place)
        if _is_guard_rejection(text):
            self.collector.add_outcome(call, session, at, place or self._place, Status.CANCELLED, None)
            return
        raw_text, text = text, strip_additions(text)
        result = parse_result(text)
        error = result.error if isinstance(result.error, str) else ""
        stopped = result.status == "cancelled" and _CANCELLED.match(error)
        if (
            stopped
            or _CANCELLED.match(text)
            or (result.exit_code == 130 and "[Command interrupted]" in str(result.output))
        ):
            self._add_interrupt(at, row, call)
        elif _is_blocked(result) and _DENIED.search(error) and self._typed:
            rejection = Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=place or self._place)
            self.collector.events.append(rejection)
        elif not _PERSISTED.match(raw_text) and not _TRUNCATED.search(raw_text):
            status, error_text = outcome_of(result, text, hides_exit=hides_exit)
            self.collector.add_outcome(call, session, at, place or self._place, status, error_text)


def outcome_of(result: _Result, text: str, *, hides_exit: bool) -> tuple[Status, str | None]:
    """Return the status of a call, with the error text of a failure."""
    if _is_blocked(result) or _SKIPPED.match(text):
        return Status.CANCELLED, None
    if _NOT_EXECUTED.match(text):
        return Status.FAILED, text
    meaning = result.exit_code_meaning if isinstance(result.exit_code_meaning, str) else ""
    failure = None if "not an error" in meaning else find_failure(text)
    if failure is not None:
        return Status.FAILED, failure
    output = result.output if isinstance(result.output, str) else text
    return (Status.MASKED, output) if hides_exit and has_error_line(output) else (Status.OK, None)


def _is_guard_rejection(text: str) -> bool:
    """Whether a guard of ours blocked a call: the result contains nothing but its text."""
    result = parse_result(text) if strip(text) is not text else _Result()
    error = result.error if isinstance(result.error, str) else ""
    return bool(error.strip()) and not strip(error).strip() and result.exit_code is None


def _is_blocked(result: _Result) -> bool:
    """Whether a call did not run: blocked by Hermes itself, or by someone who was asked about it."""
    return result.status == "blocked" or result.guardrail is not None or str(result.error).startswith("BLOCKED:")


def strip_additions(text: str) -> str:
    """Return a result without the text that we delivered with it and without Hermes' additions.

    Those are a frame around untrusted content, and after it warnings and the content of instruction files.
    """
    text = strip(text)
    framed = _FRAMED.match(text)
    if framed is not None:
        text = framed[1]
    for prefix in _EMPTIED_PREFIXES:
        if text.startswith(prefix):
            text = f"{{{text.removeprefix(prefix)}"
    if not text.lstrip().startswith("{") or text.rstrip().endswith("}"):
        return text
    try:
        _, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return text
    return text.lstrip()[:end]


def parse_result(text: str) -> _Result:
    """Return what a tool answered; an empty result for a text that is not one."""
    try:
        return _result.decode(text) if text.lstrip().startswith("{") else _Result()
    except (*_UNREADABLE, UnicodeEncodeError):
        return _Result()


def _ensure_object(arguments: str) -> str:
    """Return arguments as JSON; invalid JSON is kept as a text."""
    try:
        msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return msgspec.json.encode({"input": arguments}).decode()
    return arguments


def _to_text(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else "" if cell is None else str(cell)


def parse_stamp(stamp: object) -> datetime | None:
    """Convert a time of the database."""
    try:
        if not isinstance(stamp, int | float) or stamp <= 0:
            return None
        return plausible_time(EPOCH + timedelta(seconds=stamp))
    except (OverflowError, ValueError):
        return None
