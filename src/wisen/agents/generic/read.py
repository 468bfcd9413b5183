"""Parses OpenAI-style messages into events."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.citations import find_citations, find_cited_ids
from wisen.agents.concessions import is_concession
from wisen.agents.generic.records import (
    Line,
    Turn,
    decode_line,
    decode_turn,
    first_text_of,
    line_decoder,
    text_of,
    time_of,
    typed_text_of,
)
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.stateful_collector import StatefulCollector
from wisen.agents.tool_results import find_failure
from wisen.model.event import Call, Concession, Message, MessageOrigin, Provenance, Status
from wisen.model.source import ReadProblemKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.event_collector import EventCollector
    from wisen.agents.generic.records import Function
    from wisen.agents.log_follower import Cursor

AGENT = "generic"
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_IGNORED_ROLES = frozenset({"system", "developer"})
_UNIQUE = lazy_regex(r"[0-9A-Za-z]{16}|[0-9a-f]{8}-[0-9a-f]{4}-")
_PATH_ARGUMENTS = frozenset({"path", "file_path", "filepath", "filename", "file", "target_file"})
_CONTENT_ARGUMENTS = ("content", "contents", "file_text", "new_source", "code_edit")


class GenericParser:
    """Parses the lines of one file: a message each, or a conversation each."""

    decoder = line_decoder
    relevant_types = frozenset({""})
    ignored_types: frozenset[str] = frozenset()

    def __init__(self, cursor: Cursor, *, name: str, modified: datetime) -> None:
        self._stateful_collector = StatefulCollector(AGENT, cursor.segments, cursor.state)
        self.collector: EventCollector = self._stateful_collector
        self._name = name
        self._modified = modified
        self._open: list[str] = []

    def state(self) -> dict[str, str]:
        """Return how many messages precede the point where the next pass begins."""
        return dict(self._stateful_collector.resume_state)

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Handle nothing by its bytes alone."""
        return False

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether this is a message or a conversation; a message of a torn conversation keeps its role."""
        return "role" in value or "messages" in value

    def parse_record(self, record: Line, offset: int) -> None:
        """Parse one line."""
        self._stateful_collector.begin_line(offset)
        if record.messages is not None:
            number = self._stateful_collector.increment("lines")
            name = record.conversation or record.id or (f"{self._name}-{number}" if number > 1 else self._name)
            self.parse_conversation(record.messages, name, record, offset)
        elif record.role:
            name = record.conversation or self._name
            self._parse_turn(record, name, self._stateful_collector.increment("turns"), offset)
        else:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, offset)

    def parse_document(self, content: list[msgspec.Raw] | Line) -> None:
        """Parse a whole file: a list of messages, one conversation, or a list of conversations."""
        if isinstance(content, Line):
            self.parse_record(content, 0)
            return
        for raw in content:
            try:
                record = decode_line(raw)
            except _UNREADABLE:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, 0)
                continue
            self.parse_record(record, 0)

    def parse_conversation(self, messages: list[msgspec.Raw], name: str, about: Turn, offset: int) -> None:
        """Parse the messages of one conversation."""
        for index, raw in enumerate(messages, start=1):
            try:
                turn = decode_turn(raw)
                turn.cwd = turn.cwd or about.cwd
                if not bytes(turn.timestamp) and not bytes(turn.created_at):
                    turn.timestamp, turn.created_at = about.timestamp, about.created_at
            except _UNREADABLE:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset)
                continue
            self._parse_turn(turn, name, index, offset)
        self._close_open_calls()

    def _parse_turn(self, turn: Turn, name: str, index: int, offset: int) -> None:
        try:
            self._dispatch_role(turn, name, index, offset)
        except _UNREADABLE:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, turn.role or "")
        except Exception as error:  # noqa: BLE001 - error boundary: a turn that fails costs that turn only
            self.collector.add_parser_error(offset, error)

    def _dispatch_role(self, turn: Turn, name: str, index: int, offset: int) -> None:
        at = time_of(turn) or self._modified
        if turn.role == "user":
            self._close_open_calls()
            self._parse_user(turn, name, index, at)
        elif turn.role == "assistant":
            self._parse_answer(turn, name, index, at)
            self._parse_calls(turn, name, index, at, offset)
        elif turn.role in ("tool", "function"):
            self._parse_result(turn, name, at)
        elif turn.role not in _IGNORED_ROLES:
            self.collector.add_problem(ReadProblemKind.UNKNOWN, offset, turn.role or "")

    def _parse_user(self, turn: Turn, name: str, index: int, at: datetime) -> None:
        text, place = typed_text_of(turn.content).strip(), turn.cwd or ""
        if not text:
            return
        self.collector.events.append(
            Message(
                id=_unique_id(turn.id, name) or _derive_id(name, index, "user", text),
                session=self.collector.sessions.session_at(name, at, place),
                at=at,
                place=place,
                text=text,
                origin=MessageOrigin.PROMPT,
                provenance=Provenance.TYPED,
            )
        )

    def _parse_answer(self, turn: Turn, name: str, index: int, at: datetime) -> None:
        text, place = first_text_of(turn.content), turn.cwd or ""
        concedes = is_concession(text)
        if not concedes and not find_cited_ids(text):
            return
        identity = _unique_id(turn.id, name) or _derive_id(name, index, "assistant", text)
        session = self.collector.sessions.session_at(name, at, place)
        if concedes:
            self.collector.events.append(Concession(id=f"conceded:{identity}", session=session, at=at, place=place))
        self.collector.events += find_citations(identity, text, session, at, place)

    def _parse_calls(self, turn: Turn, name: str, index: int, at: datetime, offset: int) -> None:
        calls = [(call.id, call.function) for call in turn.tool_calls or ()]
        if turn.function_call is not None:
            calls.append((None, turn.function_call))
        for number, (call_id, function) in enumerate(calls):
            if function is None or not function.name:
                self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "tool_call")
                continue
            call = _unique_id(call_id, name) or _derive_id(name, index, f"call {number}", function.name)
            place = turn.cwd or ""
            arguments, command = _parse_arguments(function)
            event = Call(
                id=call,
                session=self.collector.sessions.session_at(name, at, place),
                at=at,
                place=place,
                tool=function.name,
                arguments=arguments,
            )
            self._open.append(call)
            self.collector.add_call(event, offset, hides_exit=can_hide_exit_code(command))

    def _parse_result(self, turn: Turn, name: str, at: datetime) -> None:
        call = _unique_id(turn.tool_call_id, name) or (self._open[0] if self._open else None)
        if call is None:
            return
        if call in self._open:
            self._open.remove(call)
        hides_exit, place = self.collector.close_call(call).hides_exit, turn.cwd or ""
        session = self.collector.sessions.session_at(name, at, place)
        text = text_of(turn.content)
        failure = find_failure(text) or (text if turn.is_error else None)
        if failure is not None:
            self.collector.add_outcome(call, session, at, place, Status.FAILED, failure)
        elif hides_exit and has_error_line(text):
            self.collector.add_outcome(call, session, at, place, Status.MASKED, text)
        else:
            self.collector.add_outcome(call, session, at, place, Status.OK)

    def _close_open_calls(self) -> None:
        """Close all open calls: the user wrote again or the conversation is over, so no results will follow."""
        for call in self._open:
            self.collector.close_call(call)
        self._open.clear()


def _unique_id(id_: str | None, name: str) -> str | None:
    """Return a unique id: prefixed with the conversation if ids are counted from one in each."""
    return id_ if not id_ or _UNIQUE.search(id_) else f"{name}:{id_}"


def _derive_id(*parts: object) -> str:
    """Derive an id for something that has none: the same in every copy of the file."""
    exact = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return f"made:{hashlib.blake2b(exact, digest_size=12).hexdigest()}"


def _parse_arguments(function: Function) -> tuple[str, str]:
    """Return the arguments as JSON, and the command if they contain one."""
    arguments = msgspec.json.decode(function.arguments) if bytes(function.arguments) else None
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            arguments = {"input": arguments}
    if not isinstance(arguments, dict):
        arguments = {} if arguments is None else {"input": arguments}
    for name in _CONTENT_ARGUMENTS if _PATH_ARGUMENTS & arguments.keys() else ():
        text = arguments.get(name)
        if isinstance(text, str):
            digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
            arguments[name] = {"characters": len(text), "digest": digest}
    command = arguments.get("command", arguments.get("cmd"))
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return json.dumps(arguments, ensure_ascii=False), command if isinstance(command, str) else ""
