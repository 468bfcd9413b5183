"""Parses Codex rollout records into events.

Codex records most facts twice; each becomes one event, at its first copy. Copies of a message are recognized by its
text within the turn, copies of a call and its outcome by the call's id.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.citations import find_citations, find_cited_ids
from wisen.agents.codex import codex_speakers, records
from wisen.agents.codex.codex_calls import (
    SHELL_LETTER,
    SHELLS,
    STDIN_LETTER,
    CodexCall,
    call_in_item,
    call_in_turn_item,
    tool_for_letter,
    tool_letter,
)
from wisen.agents.codex.codex_outcomes import CodexOutcome, CodexOutcomeKind, outcome_of_item, outcome_of_output
from wisen.agents.codex.codex_speakers import CodexSpeaker
from wisen.agents.codex.thread_state import FINISHED, TURN_ENDED, CallNote, ThreadState
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import EventCollector, parse_time
from wisen.agents.local_models import is_local_model
from wisen.agents.masked_failures import can_hide_exit_code, has_error_line
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.model.source import ReadProblemKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.agents.codex.records import Event, Item, Record, ResponseItem
    from wisen.agents.codex.thread_state import Copy
    from wisen.agents.log_follower import Cursor

AGENT = "codex"
_HEAD = 160
_PAYLOAD = b'"payload":{'
_IGNORED_PAYLOADS = tuple(
    _PAYLOAD + f'"type":"{name}"'.encode() for name in ("reasoning", "token_count", "agent_message", "agent_reasoning")
)
_IGNORED_LINES = tuple(f'"type":"{name}",'.encode() + _PAYLOAD for name in ("token_usage_record", "world_state"))
_UNIQUE = lazy_regex(r"[0-9A-Za-z]{16}|[0-9a-f]{8}-[0-9a-f]{4}-")
_USER_SHELL = ("user_shell", "userShell")
_INTERACTION = ("unified_exec_interaction", "unifiedExecInteraction")


class CodexParser:
    """Parses the lines of one rollout."""

    decoder = records.record_decoder
    relevant_types = records.RELEVANT_TYPES | records.UNWRAPPED_TYPES
    ignored_types = records.IGNORED_TYPES

    def __init__(self, cursor: Cursor, *, name: str, program_prompts: bool) -> None:
        self._thread = ThreadState(AGENT, cursor.segments, cursor.state)
        self.collector: EventCollector = self._thread
        self._state = self._thread.state
        self._name = name
        self._program_prompts = program_prompts

    def state(self) -> dict[str, str]:
        """Return the state of the thread where the next pass begins."""
        return dict(self._thread.resume_state)

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Whether a line is clearly one of the most frequent irrelevant records.

        Both checks examine only bytes before any inner text can begin.
        """
        payload = block.find(_PAYLOAD, start, min(end, start + _HEAD))
        if payload < 0 or block.find(b"{", start + 1, payload) >= 0:
            return False
        return block.startswith(_IGNORED_PAYLOADS, payload, end) or block.endswith(
            _IGNORED_LINES, start, payload + len(_PAYLOAD)
        )

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether a record was on a line of its own, not nested in another one.

        In a torn line, tool output could appear at the top level. So a user's turn must name its thread, which tools
        do not know.
        """
        payload, kind = value.get("payload"), str(value.get("type"))
        if not isinstance(payload, dict) or "timestamp" not in value:
            return kind in records.IGNORED_TYPES
        if payload.get("role") == "user" or payload.get("type") == "user_message":
            return False
        item = payload.get("item")
        if not isinstance(item, dict) or item.get("type") != "UserMessage":
            return kind in records.RELEVANT_TYPES or kind in records.IGNORED_TYPES
        return payload.get("thread_id") == self._native().rsplit("/", 1)[-1]

    def parse_record(self, record: Record, offset: int) -> None:
        """Parse one record."""
        self._thread.begin_line(offset)
        kind = record.type
        try:
            if kind in records.RELEVANT_TYPES and records.is_present(record.payload):
                inner = records.type_of(record.payload).type
                kind = f"{kind}/{inner}".removesuffix("/")
                self._parse_wrapped(record, inner, offset)
            elif kind in records.UNWRAPPED_TYPES:
                self._parse_response_item(record, self._time_of(record), offset, unwrapped=True)
            elif not kind and record.id and record.timestamp:
                self._parse_header(record)
            elif kind not in records.IGNORED_TYPES and record.record_type != "state":
                self._thread.add_problem(ReadProblemKind.UNKNOWN, offset, kind)
        except (msgspec.ValidationError, _MissingTime):
            self._thread.add_problem(ReadProblemKind.MISSHAPEN, offset, kind)

    def _parse_wrapped(self, record: Record, inner: str, offset: int) -> None:
        at = self._time_of(record)
        if record.type == "session_meta":
            self._parse_meta(records.decode_meta(record.payload))
        elif record.type == "turn_context":
            context = records.decode_context(record.payload)
            self._state["place"] = context.cwd or self._state.get("place", "")
            self._state["reviewer"] = context.approvals_reviewer or "user"
            self._state["model"] = context.model or self._state.get("model", "")
        elif inner in (records.IGNORED_ITEMS if record.type == "response_item" else records.IGNORED_EVENTS):
            return
        elif record.type == "response_item":
            inherited = b'"inherited_user_message":true' in bytes(record.metadata)
            self._parse_response_item(records.decode_response_item(record.payload), at, offset, inherited=inherited)
        elif inner in records.TURN_EVENTS:
            self._handle_turn(records.decode_event(record.payload), at)
        else:
            self._parse_event(inner, record.payload, at, offset)

    def _time_of(self, record: Record) -> datetime:
        stamp = record.timestamp or self._state.get("at")
        at = parse_time(stamp)
        if at is None:
            raise _MissingTime
        return at

    def _parse_header(self, record: Record) -> None:
        """Parse the first line of the oldest rollouts: an id and the only time in the file."""
        if "native" not in self._state:
            self._state.update(native=record.id or "", origin=record.id or "", who=CodexSpeaker.USER)
        self._state["at"] = record.timestamp or ""

    def _parse_meta(self, meta: records.Meta) -> None:
        if "native" in self._state:
            return  # a fork also contains the first lines of its parents
        speaker = codex_speakers.speaker_of_thread(meta)
        native = codex_speakers.session_id_of(meta, speaker) or self._name
        self._state.update(native=native, origin=meta.forked_from_id or native, who=speaker, place=meta.cwd or "")
        self._state["provider"] = meta.model_provider or ""

    def _native(self) -> str:
        return self._state.get("native") or self._name

    def _unique_id(self, call: str | None) -> str:
        """Return the unique id of a call: its own, prefixed with the session if the model counts calls from one."""
        if not call or _UNIQUE.search(call):
            return call or ""
        return f"{self._native()}:{call}"

    def _speaker(self) -> CodexSpeaker:
        return CodexSpeaker(self._state.get("turn_who") or self._state.get("who") or CodexSpeaker.NOBODY)

    def _provenance(self) -> Provenance:
        speaker = self._speaker()
        is_typed = speaker is CodexSpeaker.USER or (speaker is CodexSpeaker.PROGRAM and self._program_prompts)
        return Provenance.TYPED if is_typed else Provenance.OTHER

    def _parse_response_item(
        self, item: ResponseItem, at: datetime, offset: int, *, unwrapped: bool = False, inherited: bool = False
    ) -> None:
        if item.type == "message":
            text = codex_speakers.text_of_unwrapped(item) if unwrapped else codex_speakers.text_of_item(item)
            if text is not None and not inherited:
                self._add_message("item", item.id, text, at)
            elif item.role == "assistant":
                self._parse_answer(item, at)
        elif item.type in records.CALLS:
            call, codex_call = self._unique_id(item.call_id or item.id), call_in_item(item)
            if not call or codex_call is None:
                self._thread.add_problem(ReadProblemKind.MISSHAPEN, offset, f"response_item/{item.type}")
            elif self._thread.note(call) is None:
                self._add_call(call, codex_call, at, offset)
        elif item.type in records.OUTPUTS and item.call_id:
            self._parse_output(self._unique_id(item.call_id), item.output, at)
        elif item.type not in records.IGNORED_ITEMS:
            self._thread.add_problem(ReadProblemKind.UNKNOWN, offset, f"response_item/{item.type}")

    def _parse_event(self, kind: str, payload: msgspec.Raw, at: datetime, offset: int) -> None:
        if kind == "item_completed":
            item = records.decode_event(payload).item
            self._parse_turn_item(records.type_of(item).type if records.is_present(item) else "", item, at, offset)
        elif kind == "user_message":
            text = codex_speakers.text_of_event(records.decode_event(payload))
            if text is not None:
                self._add_message("event", None, text, at)
        elif kind in records.END_EVENTS:
            self._parse_ended_call(records.END_EVENTS[kind], records.decode_item(payload), at, offset)
        elif kind in records.BEGIN_EVENTS:
            begun = records.decode_item(payload)
            call = self._unique_id(begun.call_id)
            if call and begun.source not in _USER_SHELL and self._thread.note(call) is None:
                self._add_call(call, call_in_turn_item(records.BEGIN_EVENTS[kind], begun), at, offset)
        else:
            self._thread.add_problem(ReadProblemKind.UNKNOWN, offset, f"event_msg/{kind}")

    def _parse_turn_item(self, kind: str, raw: msgspec.Raw, at: datetime, offset: int) -> None:
        if kind == "UserMessage":
            item = records.decode_item(raw)
            text = codex_speakers.text_of_turn_item(item)
            if text is not None:
                self._add_message("event", item.id, text, at)
        elif kind in records.CALL_ITEMS:
            self._parse_ended_call(kind, records.decode_item(raw), at, offset)
        elif kind not in records.IGNORED_TURN_ITEMS:
            self._thread.add_problem(ReadProblemKind.UNKNOWN, offset, f"item/{kind}")

    def _handle_turn(self, event: Event, at: datetime) -> None:
        """Handle the start or end of a turn: calls that are still open will not get a normal result."""
        begins, stopped = event.type.endswith("_started"), event.type == "turn_aborted"
        open_calls = {call: note for call, note in self._thread.notes().items() if _is_open(note)}
        for call, note in open_calls.items():
            self._thread.close_call(call)
            self._thread.remember(call, FINISHED if stopped else note._replace(process=TURN_ENDED))
        if stopped and event.reason == "interrupted":
            self._add_interrupt(list(open_calls)[-1] if open_calls else None, event.turn_id, at)
        for key in ("owed", "turn", "turn_who", *(("stopped",) if begins else ())):
            self._state.pop(key, None)
        if begins:
            self._state["turn"] = "begun"
            self._state["turn_who"] = codex_speakers.speaker_of_turn(self._speaker(), event.turn_attribution)

    def _add_message(self, copy: Copy, identity: str | None, text: str, at: datetime) -> None:
        if self._thread.is_copy(copy, text):
            return
        number = self._thread.increment("said")
        turn = self._state.get("turn")
        if turn != "said":
            self._state.pop("stopped", None)
        if turn:
            self._state["turn"] = "said"
        if self._speaker() is CodexSpeaker.NOBODY:
            return
        place = self._state.get("place", "")
        self._thread.events.append(
            Message(
                id=identity or _derive_id(self._state.get("origin") or self._native(), number, text),
                session=self._thread.sessions.session_at(self._native(), at, place),
                at=at,
                place=place,
                text=text,
                origin=MessageOrigin.QUEUED if turn == "said" else MessageOrigin.PROMPT,
                provenance=self._provenance(),
                local=is_local_model(self._state.get("provider"), self._state.get("model")),
            )
        )

    def _parse_answer(self, item: ResponseItem, at: datetime) -> None:
        """Parse an assistant message from the model's item: the client's events are copies of it."""
        parts = records.parts_of(item.content)
        first_text, whole_text = next(iter(parts), ""), "\n".join(parts)
        concedes = is_concession(first_text)
        if self._speaker() is CodexSpeaker.NOBODY or not (concedes or find_cited_ids(whole_text)):
            return
        identity, place = item.id or "", self._state.get("place", "")
        if not _UNIQUE.search(identity):
            origin = self._state.get("origin") or self._native()
            identity = _derive_id(origin, self._thread.increment("conceded"), first_text)
        session = self._thread.sessions.session_at(self._native(), at, place)
        if concedes:
            self._thread.events.append(Concession(id=f"conceded:{identity}", session=session, at=at, place=place))
        self._thread.events += find_citations(identity, whole_text, session, at, place)

    def _add_call(self, call: str, codex_call: CodexCall, at: datetime, offset: int) -> None:
        hides_exit = codex_call.tool in SHELLS and can_hide_exit_code(codex_call.command)
        self._thread.add_call(self._build_call(call, codex_call, at), offset, hides_exit=hides_exit)
        self._thread.remember(call, CallNote(tool_letter(codex_call.tool), hides_exit, codex_call.process))

    def _build_call(self, call: str, codex_call: CodexCall, at: datetime) -> Call:
        place = self._state.get("place", "")
        session = self._thread.sessions.session_at(self._native(), at, place)
        return Call(id=call, session=session, at=at, place=place, tool=codex_call.tool, arguments=codex_call.arguments)

    def _parse_output(self, call: str, output: msgspec.Raw, at: datetime) -> None:
        note = self._thread.note(call)
        if note == FINISHED:
            return
        outcome = outcome_of_output(tool_for_letter(note.kind) if note else "", output)
        if (
            note is not None
            and note.kind == STDIN_LETTER
            and outcome.kind is not CodexOutcomeKind.STOPPED
            and not _is_client_error(outcome)
        ):
            # What ended is the process that was written to, which another call started.
            notes = (
                self._thread.notes().items() if outcome.kind is not CodexOutcomeKind.RUNNING and note.process else ()
            )
            for starting_call, other in notes:
                if (other.kind, other.process) == (SHELL_LETTER, note.process):
                    self._add_outcome(starting_call, outcome, at)
            outcome = CodexOutcome(CodexOutcomeKind.SUCCEEDED)
        self._add_outcome(call, outcome, at)

    def _parse_ended_call(self, kind: str, item: Item, at: datetime, offset: int) -> None:
        call = self._unique_id(item.call_id or item.id)
        if item.source in _USER_SHELL or item.source in _INTERACTION or not call:
            return
        note = self._thread.note(call)
        outcome = outcome_of_item(kind, item)
        if note == FINISHED or outcome is None:
            return
        if note is None:
            self._add_call(call, call_in_turn_item(kind, item), at, offset)
        self._add_outcome(call, outcome, at)

    def _add_outcome(self, call: str, outcome: CodexOutcome, at: datetime) -> None:
        note = self._thread.note(call) or CallNote("", hides_exit=False)
        self._thread.close_call(call)
        self._thread.remember(
            call, note._replace(process=outcome.process) if outcome.kind is CodexOutcomeKind.RUNNING else FINISHED
        )
        place = self._state.get("place", "")
        session = self._thread.sessions.session_at(self._native(), at, place)
        if outcome.kind is CodexOutcomeKind.STOPPED:
            self._add_interrupt(call, None, at)
        elif outcome.kind is CodexOutcomeKind.REJECTED:
            # Codex can be configured to have another model review calls; its rejection is not the user's.
            by_user = self._state.get("reviewer", "user") == "user"
            provenance = self._provenance() if by_user else Provenance.OTHER
            refusal = f"refusal:{call}"
            self._thread.events.append(
                Rejection(id=refusal, call=call, session=session, at=at, place=place, provenance=provenance)
            )
        elif outcome.kind is CodexOutcomeKind.CANCELLED:
            self._thread.add_outcome(call, session, at, place, Status.CANCELLED)
        elif outcome.kind is CodexOutcomeKind.FAILED:
            self._thread.add_outcome(call, session, at, place, Status.FAILED, outcome.text)
        elif outcome.kind is CodexOutcomeKind.SUCCEEDED:
            is_masked = note.hides_exit and has_error_line(outcome.text)
            status, text = (Status.MASKED, outcome.text) if is_masked else (Status.OK, None)
            self._thread.add_outcome(call, session, at, place, status, text)

    def _add_interrupt(self, call: str | None, turn: str | None, at: datetime) -> None:
        """Add the interrupt of a turn once, although each running call and the turn itself record it."""
        if self._state.get("stopped") or self._speaker() is CodexSpeaker.NOBODY:
            return
        self._state["stopped"] = "yes"
        place = self._state.get("place", "")
        self._thread.events.append(
            Interrupt(
                id=f"stop:{call or turn or _derive_id(self._native(), 0, at.isoformat())}",
                session=self._thread.sessions.session_at(self._native(), at, place),
                at=at,
                place=place,
                call=call,
                provenance=self._provenance(),
            )
        )


class _MissingTime(Exception):
    """A record has no time, and none is known from before."""


def _is_client_error(outcome: CodexOutcome) -> bool:
    """Whether a failed write is an error of the client, not the end of the process."""
    return outcome.kind is CodexOutcomeKind.FAILED and not outcome.text.startswith("Exit code ")


def _is_open(note: CallNote) -> bool:
    """Whether a call still awaits its outcome within the turn."""
    return note != FINISHED and note.process != TURN_ENDED and (note.kind == STDIN_LETTER or not note.process)


def _derive_id(origin: str, number: int, text: str) -> str:
    """Derive an id for something that has none: the same in a fork, which has the same beginning."""
    exact = f"{origin}\0{number}\0{text}".encode("utf-8", "surrogatepass")
    return f"made:{hashlib.blake2b(exact, digest_size=12).hexdigest()}"
