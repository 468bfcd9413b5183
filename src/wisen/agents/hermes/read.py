"""From rows of a Hermes session to events.

What hooks inject stands in a column of its typed, which is not read. A tool says `ok` of whatever it ran: how a command
ended stands inside its result.
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
from wisen.agents.event_collector import plausible_time
from wisen.agents.hermes.hermes_session_table import row_digest
from wisen.agents.hermes.hermes_typed_text import extract_typed_text, text_of
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.session_segments import EPOCH
from wisen.agents.tool_results import find_failure
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
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
"""Arguments that are files, or may be, and how many characters of them are kept."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_PASSED_OVER = frozenset({"system", "session_meta", "developer"})
_UNIQUE = re.compile(r"(?=(?:[A-Za-z_-]*\d){3})[\w-]{16,}")
_CANCELLED = re.compile(r"\s*\[?Tool execution cancelled\b")
_SKIPPED = re.compile(r"\s*(?:\[Tool execution skipped\b|Skipped: (?:an)?other tool call\b)")
_REFUSED = re.compile(r"\s*(?:Error executing tool\b|Tool '[^']*' does not exist\b|Tool call rejected\b)")
"""How Hermes says that a call came to nothing, where no tool answered."""
_PERSISTED = re.compile(r"\s*<persisted-output>")
_TRUNCATED = re.compile(r"\n\[Truncated: tool response was [\d,.]+ chars[^\n]*\Z")
"""Results of which the log has the beginning only: how the call ended stood at their end."""
_FRAMED = re.compile(r"\s*<untrusted_tool_result\b[^>\n]*>\n[^\n]*\n\n(.*)\n</untrusted_tool_result>", re.DOTALL)
_EMPTIED_FIELD = ('{"wisen": "", ', '{"wisen": ""')
"""What is left of our words in front of a result."""
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
    """What a tool says about its typed end."""

    output: object = None
    exit_code: object = None
    exit_code_meaning: object = None
    error: object = None
    status: object = None
    guardrail: object = None
    """Why Hermes itself did not make a call that failed too often."""


_asked = msgspec.json.Decoder(list[_ToolCall])
_result = msgspec.json.Decoder(_Result)


class HermesConversation:
    """One session while its rows are taken in."""

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
        """`typed`: whether the user messages are the user's; `local`: whether a model on their machine answers."""
        self.collector = collector
        self.native = native
        self._place = place
        self._excluded = excluded_rows
        self._typed, self._local = typed, local
        self._is_stopped = False
        """Whether this turn was: Hermes says it of the call, and then of the turn."""
        self._finished: set[str] = set()
        """The calls whose results were seen in this pass."""

    def parse_row(self, cells: tuple[Any, ...], row: int) -> None:
        """Take one row in: role, content, tool calls, the call that it answers, its time."""
        role, content, calls, answered, stamp = cells
        at = _parse_stamp(stamp)
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
            self._user(text_of(text), at, row)
        elif role == "assistant":
            self._assistant(text_of(text), calls, at, row)
        elif role == "tool":
            self._handle_result(_to_text(answered), text_of(text), at, row)
        elif role not in _PASSED_OVER:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, row, role)

    def _user(self, text: str, at: datetime, row: int) -> None:
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

    def _assistant(self, text: str, calls: bytes, at: datetime, row: int) -> None:
        session = self.collector.sessions.session_at(self.native, at, self._place)
        if is_concession(text) and extract_typed_text(text) is not None:  # a summary may tell what was conceded before
            conceded = Concession(id=f"conceded:{self.native}:{row}", session=session, at=at, place=self._place)
            self.collector.events.append(conceded)
        if extract_typed_text(text) is not None:
            self.collector.events += find_citations(f"{self.native}:{row}", text, session, at, self._place)
        for number, asked in enumerate(_asked.decode(calls) or () if calls.strip() not in (b"", b"null") else ()):
            name = asked.call_id or asked.id
            if not name or asked.function is None or not asked.function.name:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, f"tool_call {number}")
                continue
            tool, raw = asked.function.name, msgspec.Raw((asked.function.arguments or "{}").encode("utf-8", "replace"))
            shell = call_arguments.shell_arguments(raw)
            place = shell.workdir if shell.workdir and PurePath(shell.workdir).is_absolute() else self._place
            call = Call(
                id=self._identity(name),
                session=session,
                at=at,
                place=place,
                tool=tool,
                arguments=_ensure_object(call_arguments.strip_file_contents(raw, _FILES.get(tool, {}))),
            )
            self.collector.add_call(call, row, hides_exit=tool == _SHELL and can_hide_exit_code(shell.command or ""))
        if _STOPPED.match(text) and not self._is_stopped:
            self._add_interrupt(at, row, None)

    def _identity(self, call: str) -> str:
        return call if _UNIQUE.search(call) else f"{self.native}:{call}"

    def _add_interrupt(self, at: datetime, row: int, call: str | None) -> None:
        self._is_stopped = True
        if self._typed:
            session = self.collector.sessions.session_at(self.native, at, self._place)
            id_ = f"stop:{call or f'{self.native}:{row}'}"  # the row of a call may be written again
            stop = Interrupt(id=id_, session=session, at=at, place=self._place, call=call)
            self.collector.events.append(stop)

    def _handle_result(self, answered: str, text: str, at: datetime, row: int) -> None:
        if not answered:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, row, "tool")
            return
        call = self._identity(answered)
        _, hides_exit, began, place = self.collector.close_call(call)
        if call in self._finished:
            return  # its result was written again
        self._finished.add(call)
        session = began or self.collector.sessions.session_at(self.native, at, self._place)
        if _is_guard_rejection(text):
            self.collector.add_outcome(call, session, at, place or self._place, Status.CANCELLED, None)
            return
        typed, text = text, strip_additions(text)
        result = _parse_result(text)
        error = result.error if isinstance(result.error, str) else ""
        stopped = result.status == "cancelled" and _CANCELLED.match(error)
        if (
            stopped
            or _CANCELLED.match(text)
            or (result.exit_code == 130 and "[Command interrupted]" in str(result.output))
        ):
            self._add_interrupt(at, row, call)
        elif _is_blocked(result) and _DENIED.search(error) and self._typed:
            refusal = Rejection(id=f"refusal:{call}", call=call, session=session, at=at, place=place or self._place)
            self.collector.events.append(refusal)
        elif not _PERSISTED.match(typed) and not _TRUNCATED.search(typed):
            status, words = _outcome_of(result, text, hides_exit=hides_exit)
            self.collector.add_outcome(call, session, at, place or self._place, status, words)


def _outcome_of(result: _Result, text: str, *, hides_exit: bool) -> tuple[Status, str | None]:
    """How a call ended, with the words of a failure."""
    if _is_blocked(result) or _SKIPPED.match(text):
        return Status.CANCELLED, None
    if _REFUSED.match(text):
        return Status.FAILED, text
    meant = result.exit_code_meaning if isinstance(result.exit_code_meaning, str) else ""
    failure = None if "not an error" in meant else find_failure(text)
    if failure is not None:
        return Status.FAILED, failure
    output = result.output if isinstance(result.output, str) else text
    return (Status.MASKED, output) if hides_exit and has_error_line(output) else (Status.OK, None)


def _is_guard_rejection(text: str) -> bool:
    """Whether a call was stopped by a guard of ours: its words are all that the result says."""
    result = _parse_result(text) if strip(text) is not text else _Result()
    error = result.error if isinstance(result.error, str) else ""
    return bool(error.strip()) and not strip(error).strip() and result.exit_code is None


def _is_blocked(result: _Result) -> bool:
    """Whether a call was not made: Hermes' typed word, or that of one who was asked about it."""
    return result.status == "blocked" or result.guardrail is not None or str(result.error).startswith("BLOCKED:")


def strip_additions(text: str) -> str:
    """A result without what we told with it, and without what Hermes writes around it.

    That is a frame around what comes from elsewhere, and behind it warnings, and what instruction files say.
    """
    text = strip(text)
    framed = _FRAMED.match(text)
    if framed is not None:
        text = framed[1]
    for ours in _EMPTIED_FIELD:
        if text.startswith(ours):
            text = f"{{{text.removeprefix(ours)}"
    if not text.lstrip().startswith("{") or text.rstrip().endswith("}"):
        return text
    try:
        _, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return text
    return text.lstrip()[:end]


def _parse_result(text: str) -> _Result:
    try:
        return _result.decode(text) if text.lstrip().startswith("{") else _Result()
    except (*_UNREADABLE, UnicodeEncodeError):
        return _Result()


def _ensure_object(given: str) -> str:
    """Arguments as JSON; what is none is kept as a text."""
    try:
        msgspec.json.decode(given)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return msgspec.json.encode({"input": given}).decode()
    return given


def _to_text(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else "" if cell is None else str(cell)


def _parse_stamp(stamp: object) -> datetime | None:
    try:
        if not isinstance(stamp, int | float) or stamp <= 0:
            return None
        return plausible_time(EPOCH + timedelta(seconds=stamp))
    except (OverflowError, ValueError):
        return None
