"""From events of an OpenHands conversation to ours. Branches that the user left did happen, so they are told too."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents import call_arguments
from wisen.agents.citations import find_citations
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import EventCollector, parse_local_time
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.agents.openhands.openhands_typed_text import extract_typed_text, reason_in
from wisen.agents.openhands.records import IGNORED_TYPES, RELEVANT_TYPES, text_of
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.source import ReadProblemKind

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
"""Tools that do nothing: the model says something with them."""
_FILES = {
    "file_text": 0,
    "old_str": 2_000,
    "new_str": 2_000,
    "insert_line_text": 2_000,
    "patch": 2_000,
    "content": 2_000,
}
"""Arguments that are files, or may be, and how many characters of them are kept."""
_UNIQUE = re.compile(r"[0-9A-Za-z]{16}|[0-9a-f]{8}-[0-9a-f]{4}-")
_STILL_RUNS = -1


class _Position(NamedTuple):
    """Where an event stands."""

    session: SessionKey
    at: datetime
    number: int


class OpenhandsConversation:
    """One conversation while its events are taken in."""

    def __init__(self, segments: Mapping[str, Segment], *, native: str, place: str, sub_agent: bool) -> None:
        self.collector = EventCollector(AGENT, segments)
        self.place = place
        """The directory in which the shell stands."""
        self._native, self._sub_agent = native, sub_agent
        self._places: list[tuple[int, str]] = []

    def place_at(self, number: int) -> str:
        """The directory in which the shell stood when an event came."""
        return next((place for before, place in self._places if before >= number), self.place)

    def parse_event(self, event: Event, number: int) -> None:
        """Take one event in."""
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
            self._message(event, position)
        elif event.kind in ("PauseEvent", "InterruptEvent"):
            stop = Interrupt(id=event.id, session=position.session, at=at, place=self.place)
            self.collector.events.append(stop)
        elif not event.tool_name or not event.tool_call_id:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, number, event.kind)
        elif event.kind == "ActionEvent":
            self._call(event, position)
        elif event.tool_name not in _PROSE:
            self._handle_result(event, position)

    def _message(self, event: Event, position: _Position) -> None:
        said = event.llm_message
        if said is None:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, position.number, event.kind)
        elif event.source == "agent":
            self._scan_answer(event.id, text_of(said.content), position)
        elif event.source == "user" and said.role == "user" and (text := extract_typed_text(text_of(said.content))):
            given = self._sub_agent or event.sender is not None
            self._add_message(
                event.id, text, position, MessageOrigin.PROMPT, Provenance.OTHER if given else Provenance.TYPED
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

    def _scan_answer(self, identity: str, said: str, position: _Position) -> None:
        if said and is_concession(said):
            conceded = Concession(id=f"conceded:{identity}", session=position.session, at=position.at, place=self.place)
            self.collector.events.append(conceded)
        self.collector.events += find_citations(identity, said, position.session, position.at, self.place)

    def _call(self, event: Event, position: _Position) -> None:
        self._scan_answer(event.id, text_of(event.thought), position)
        given = _arguments_of(event)
        if event.tool_name in _PROSE:
            said = given.get("message") if event.tool_name == "finish" else None
            self._scan_answer(event.tool_call_id, said if isinstance(said, str) else "", position)
            return
        told = call_arguments.strip_file_contents(
            msgspec.Raw(json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")), _FILES
        )
        call = Call(
            id=self._call_id(event),
            session=position.session,
            at=position.at,
            place=self.place,
            tool=event.tool_name,
            arguments=told,
        )
        command = given.get("command") if event.tool_name in _SHELLS else None
        self.collector.add_call(
            call, position.number, hides_exit=isinstance(command, str) and can_hide_exit_code(command)
        )

    def _call_id(self, event: Event) -> str:
        """The id of a call: the model's server gave it, and some give the same in every conversation."""
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
        seen = event.observation
        if seen is None:
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, position.number, event.kind)
            return
        status, text = _outcome_of(seen, hides_exit=hides_exit)
        if status is not None:
            self.collector.add_outcome(call, position.session, position.at, self.place, status, text)
        moved = seen.metadata.working_dir if seen.metadata else None
        if moved and moved != self.place:
            self._places.append((position.number, self.place))
            self.place = moved

    def _add_rejection(self, event: Event, call: str, position: _Position) -> None:
        if event.rejection_source != "user":  # a hook stopped it
            self.collector.add_outcome(call, position.session, position.at, self.place, Status.CANCELLED)
            return
        refusal = Rejection(id=event.id, call=call, session=position.session, at=position.at, place=self.place)
        self.collector.events.append(refusal)
        if reason := reason_in(event.rejection_reason):
            self._add_message(f"reason:{event.id}", reason, position, MessageOrigin.REJECTION, Provenance.TYPED)


def _arguments_of(event: Event) -> dict[str, object]:
    """The arguments that the model gave, without what it said about the call."""
    try:
        given = json.loads(event.tool_call.arguments or "{}") if event.tool_call else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(given, dict):
        return {}
    given.pop("security_risk", None)
    given.pop("summary", None)
    typed_in = given.get("is_input") is True or given.get("command") == ""
    if "command" in given and (typed_in or event.tool_name in _EDITORS):
        # What is typed into a command that runs, and what the editor does, is no command line.
        given["input" if typed_in else "operation"] = given.pop("command")
    return given


def _outcome_of(seen: Observation, *, hides_exit: bool) -> tuple[Status | None, str | None]:
    """How a call ended, with the words of a failure. No status: the command still runs."""
    text = seen.text
    if seen.is_error or seen.timeout:
        return Status.FAILED, text or (seen.metadata.suffix if seen.metadata else None) or ""
    if seen.exit_code == _STILL_RUNS:
        return None, None
    if seen.exit_code:
        return Status.FAILED, f"Exit code {seen.exit_code}\n{text}"
    return (Status.MASKED, text) if hides_exit and has_error_line(text) else (Status.OK, None)
