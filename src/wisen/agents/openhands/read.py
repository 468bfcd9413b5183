"""Parses OpenHands events into events. Branches that the user left did happen, so they are included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import EventCollector, parse_local_time
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.openhands.openhands_typed_text import extract_reason, extract_typed_text
from wisen.agents.openhands.records import IGNORED_TYPES, RELEVANT_TYPES, text_of
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.source import ReadProblemKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.openhands.records import Event, Observation
    from wisen.agents.session_segments import Segment
    from wisen.model.event import SessionKey

AGENT = "openhands"
_SHELLS = frozenset({"terminal", "execute_bash"})
_EDITORS = frozenset({"file_editor", "str_replace_editor", "planning_file_editor"})
_PROSE = frozenset({"finish", "think"})
"""Tools without effect, by which the model only says something."""
_FILES = {
    "file_text": 0,
    "old_str": 2_000,
    "new_str": 2_000,
    "insert_line_text": 2_000,
    "patch": 2_000,
    "content": 2_000,
}
"""Arguments that are or may be file contents, and how many characters of them are kept."""
_UNIQUE = lazy_regex(r"[0-9A-Za-z]{16}|[0-9a-f]{8}-[0-9a-f]{4}-")
_STILL_RUNS = -1


class _Position(NamedTuple):
    """The session, time and number of an event."""

    session: SessionKey
    at: datetime
    number: int


class OpenhandsConversation:
    """Parses the events of one conversation."""

    def __init__(self, segments: Mapping[str, Segment], *, native: str, place: str, sub_agent: bool) -> None:
        self.collector = EventCollector(AGENT, segments)
        self.place = place
        """The current directory of the shell."""
        self._native, self._sub_agent = native, sub_agent
        self._places: list[tuple[int, str]] = []

    def place_at(self, number: int) -> str:
        """Return the directory of the shell at the time of an event."""
        return next((place for before, place in self._places if before >= number), self.place)

    def parse_event(self, event: Event, number: int) -> None:
        """Parse one event."""
        if event.kind not in RELEVANT_TYPES:
            if event.kind not in IGNORED_TYPES:
                self.collector.add_problem(ReadProblemKind.UNKNOWN, number, event.kind)
            return
        at = parse_local_time(event.timestamp)
        if at is None or not event.id:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, number, event.kind)
            return
        position = _Position(self.collector.sessions.session_at(self._native, at, self.place), at, number)
        if event.kind == "MessageEvent":
            self._parse_message(event, position)
        elif event.kind in ("PauseEvent", "InterruptEvent"):
            stop = Interrupt(id=event.id, session=position.session, at=at, place=self.place)
            self.collector.events.append(stop)
        elif not event.tool_name or not event.tool_call_id:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, number, event.kind)
        elif event.kind == "ActionEvent":
            self._parse_call(event, position)
        elif event.tool_name not in _PROSE:
            self._handle_result(event, position)

    def _parse_message(self, event: Event, position: _Position) -> None:
        message = event.llm_message
        if message is None:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, position.number, event.kind)
        elif event.source == "agent":
            self._scan_answer(event.id, text_of(message.content), position)
        elif (
            event.source == "user" and message.role == "user" and (text := extract_typed_text(text_of(message.content)))
        ):
            from_agent = self._sub_agent or event.sender is not None
            self._add_message(
                event.id, text, position, MessageOrigin.PROMPT, Provenance.OTHER if from_agent else Provenance.TYPED
            )

    def _add_message(
        self, identity: str, text: str, position: _Position, origin: MessageOrigin, provenance: Provenance
    ) -> None:
        self.collector.events.append(
            Message(
                id=identity,
                session=position.session,
                at=position.at,
                place=self.place,
                text=text,
                origin=origin,
                provenance=provenance,
            )
        )

    def _scan_answer(self, identity: str, text: str, position: _Position) -> None:
        if text and is_concession(text):
            concession = Concession(
                id=f"conceded:{identity}", session=position.session, at=position.at, place=self.place
            )
            self.collector.events.append(concession)
        self.collector.events += find_citations(identity, text, position.session, position.at, self.place)

    def _parse_call(self, event: Event, position: _Position) -> None:
        self._scan_answer(event.id, text_of(event.thought), position)
        arguments = _arguments_of(event)
        if event.tool_name in _PROSE:
            text = arguments.get("message") if event.tool_name == "finish" else None
            self._scan_answer(event.tool_call_id, text if isinstance(text, str) else "", position)
            return
        encoded = call_arguments.strip_file_contents(
            msgspec.Raw(json.dumps(arguments, ensure_ascii=False).encode("utf-8", "replace")), _FILES
        )
        call = Call(
            id=self._call_id(event),
            session=position.session,
            at=position.at,
            place=self.place,
            tool=event.tool_name,
            arguments=encoded,
        )
        command = arguments.get("command") if event.tool_name in _SHELLS else None
        self.collector.add_call(
            call, position.number, hides_exit=isinstance(command, str) and can_hide_exit_code(command)
        )

    def _call_id(self, event: Event) -> str:
        """Return a unique id of a call: some model servers assign the same ids in every conversation."""
        call = event.tool_call_id
        return call if _UNIQUE.search(call) else f"{self._native}:{call}"

    def _handle_result(self, event: Event, position: _Position) -> None:
        call = self._call_id(event)
        hides_exit = self.collector.close_call(call).hides_exit
        if event.kind == "UserRejectObservation":
            self._add_rejection(event, call, position)
            return
        if event.kind == "AgentErrorEvent":
            self.collector.add_outcome(call, position.session, position.at, self.place, Status.FAILED, event.error)
            return
        observation = event.observation
        if observation is None:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, position.number, event.kind)
            return
        status, text = _outcome_of(observation, hides_exit=hides_exit)
        if status is not None:
            self.collector.add_outcome(call, position.session, position.at, self.place, status, text)
        directory = observation.metadata.working_dir if observation.metadata else None
        if directory and directory != self.place:
            self._places.append((position.number, self.place))
            self.place = directory

    def _add_rejection(self, event: Event, call: str, position: _Position) -> None:
        if event.rejection_source != "user":  # a hook blocked it
            self.collector.add_outcome(call, position.session, position.at, self.place, Status.CANCELLED)
            return
        rejection = Rejection(id=event.id, call=call, session=position.session, at=position.at, place=self.place)
        self.collector.events.append(rejection)
        if reason := extract_reason(event.rejection_reason):
            self._add_message(f"reason:{event.id}", reason, position, MessageOrigin.REJECTION, Provenance.TYPED)


def _arguments_of(event: Event) -> dict[str, object]:
    """Return the arguments of a call, without the model's comments on it."""
    try:
        arguments = json.loads(event.tool_call.arguments or "{}") if event.tool_call else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(arguments, dict):
        return {}
    arguments.pop("security_risk", None)
    arguments.pop("summary", None)
    typed_in = arguments.get("is_input") is True or arguments.get("command") == ""
    if "command" in arguments and (typed_in or event.tool_name in _EDITORS):
        # Input for a running command and the operation of an editor are not command lines.
        arguments["input" if typed_in else "operation"] = arguments.pop("command")
    return arguments


def _outcome_of(observation: Observation, *, hides_exit: bool) -> tuple[Status | None, str | None]:
    """Return the status of a call, with the error text of a failure. No status: the command still runs."""
    text = observation.text
    if observation.is_error or observation.timeout:
        return Status.FAILED, text or (observation.metadata.suffix if observation.metadata else None) or ""
    if observation.exit_code == _STILL_RUNS:
        return None, None
    if observation.exit_code:
        return Status.FAILED, f"Exit code {observation.exit_code}\n{text}"
    return (Status.MASKED, text) if hides_exit and has_error_line(text) else (Status.OK, None)
