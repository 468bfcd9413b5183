"""Turns the parts of aider chats into events: typed prompts, beginnings of answers, and aider's messages.

The input history decides whether a text was typed; without one, the preceding text does. The outcome of a command that
the user approved is not recorded anywhere, so no event is created for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.aider.messages import (
    EDIT_QUESTION,
    LINT_QUESTION,
    QUESTION,
    SHELL_QUESTION,
    ClassifiedMessage,
    MessageKind,
    classify_message,
    is_non_interactive,
    parse_edit_failure,
)
from wisen.agents.citations import find_citations, find_cited_ids
from wisen.agents.concessions import is_concession
from wisen.agents.event_collector import parse_local_time
from wisen.agents.local_models import is_local_model_name
from wisen.agents.session_segments import EPOCH
from wisen.model.event import Call, Concession, Interrupt, Message, MessageOrigin, Provenance, Rejection, Status
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.agents.aider.input_history import InputHistory
    from wisen.agents.stateful_collector import StatefulCollector
    from wisen.model.event import SessionKey

_COMMAND = lazy_regex(r"/(?P<mode>ask|code|architect|context)\s+(?P<asked>\S.*)|[/!]\S.*", re.DOTALL)
"""A command to aider itself; some are followed by a prompt for the model, which the chat then repeats."""
_MAX_OUTPUT_LINES = 200
"""Lines of a command's output that are kept."""
_TICK = timedelta(milliseconds=1)


class _Position(NamedTuple):
    """The id, session and time of an event."""

    id: str
    session: SessionKey
    at: datetime


class AiderConversation:
    """Creates the events of the chats of one file, one after another."""

    def __init__(
        self, collector: StatefulCollector, place: str, history: InputHistory, *, program_prompts: bool
    ) -> None:
        self._collector, self._state = collector, collector.state
        self._place, self._history, self._program_prompts = place, history, program_prompts
        self._name = _digest(Path(place).name)
        self.subject = ""
        """Aider's last message, if the next may be a question about it."""
        self._awaits_reason = False
        self._check_output: list[str] = []

    @property
    def is_incomplete(self) -> bool:
        """Whether aider's next message belongs to this one."""
        return self._awaits_reason or bool(self._check_output)

    @property
    def has_begun(self) -> bool:
        """Whether the start time of the chat is known."""
        return "began" in self._state

    def begin_chat(self, stamp: str) -> bool:
        """Begin a new chat. False if the time is invalid."""
        began = parse_local_time(stamp)
        if began is None:
            return False
        name, at = stamp.translate({45: None, 58: None, 32: "T"}), str((began - EPOCH) // _TICK)
        before = self._state.get("began", "")
        self._collector.sessions.end_session(self._state.get("session", ""))
        self._state.clear()
        # Two chats that began in the same second get different names.
        self._state.update(began=f"{before}+" if before.rstrip("+") == name else name, at=at)
        return True

    def change_speaker(self) -> None:
        """End aider's last messages: whatever would have completed them did not follow."""
        self._finish_check()
        self._awaits_reason, self.subject = False, ""

    def add_prompt(self, text: str, *, answers: bool) -> bool:
        """Add a text in the position of a prompt. False if it is part of the answer just before it.

        `answers`: whether an answer of the model is just before it.
        """
        expected, machine = self._state.pop("asked", ""), self._state.pop("machine", "")
        if not text or text == "<blank>" or QUESTION.match(text):
            return not answers
        typed_at = self._find_typed(text)
        command = _COMMAND.fullmatch(text)
        if command:
            if command["mode"] and (typed_at or "noted" not in self._state):
                self._state["asked"] = _digest(command["asked"].strip())
            return typed_at is not None or not answers
        is_echo = self._state.get("answer") == _digest(text.split("\n", 1)[0].strip())
        is_unmarked = "noted" not in self._state and not (answers or machine or is_echo)
        if typed_at is None and expected != _digest(text) and not is_unmarked:
            return not answers
        self._state["open"] = "1"
        position = self._next_position()
        by_program = "program" in self._state and not self._program_prompts
        self._collector.events.append(
            Message(
                id=position.id,
                session=position.session,
                at=position.at,
                place=self._place,
                text=text,
                origin=MessageOrigin.PROMPT,
                provenance=Provenance.OTHER if by_program else Provenance.TYPED,
                local="local" in self._state,
            )
        )
        return True

    def begin_answer(self, line: str) -> None:
        """Remember the first line of an answer."""
        self._state["answer"] = _digest(line.strip())

    def end_answer(self, beginning: str) -> None:
        """Add the concession and citations at the beginning of an answer."""
        if is_concession(beginning):
            position = self._next_position()
            self._collector.events.append(
                Concession(id=position.id, session=position.session, at=position.at, place=self._place)
            )
        if find_cited_ids(beginning):
            position = self._next_position()
            self._collector.events += find_citations(position.id, beginning, position.session, position.at, self._place)

    def add_message(self, text: str) -> None:
        """Add a message of aider."""
        subject, self.subject = self.subject, ""
        ran = self._state.pop("ran", "")
        message = classify_message(text)
        if self._awaits_reason:
            if message.kind is not MessageKind.LINK:
                self._awaits_reason = False
                reason, path = parse_edit_failure(text)
                self._add_outcome(self._add_call("edit", **({"path": path} if path else {})), Status.FAILED, reason)
        elif self._check_output and message.kind in (MessageKind.OTHER, MessageKind.LINK):
            self._check_output.append(text)
        else:
            self._finish_check()
            if message.kind is MessageKind.MODEL:
                self._set_model(message.about)
            if message.kind in (MessageKind.OTHER, MessageKind.MODEL):
                self.subject = text
            elif message.kind is MessageKind.REMARK and "\n" in text:
                for line in text.split("\n"):
                    self.add_message(line)
                self._finish_check()
            elif message.kind is MessageKind.ASKED:
                self._handle_question(message, subject)
            elif message.kind is MessageKind.STOPPED:
                self._add_interrupt(ran)
            elif message.kind is MessageKind.BEGUN and is_non_interactive(subject):
                self._state["program"] = "1"
            else:
                self._handle_action(message)

    def continue_message(self, line: str) -> None:
        """Add a line to a message that seemed complete: aider pads commands with spaces to one length."""
        if self.subject:
            self.subject += f"\n{line}"

    def _handle_action(self, message: ClassifiedMessage) -> None:
        if message.kind is MessageKind.ANSWERED:
            self._state.pop("open", None)
        elif message.kind is MessageKind.EDITED:
            self._add_outcome(self._add_call("edit", path=message.about), Status.OK)
        elif message.kind is MessageKind.MALFORMED:
            self._awaits_reason = True
        elif message.kind is MessageKind.SKIPPED and "refused" in self._state:
            self._add_rejection(self._add_call("edit", path=message.about))
        elif message.kind is MessageKind.RAN:
            self._state["ran"] = self._add_call("shell", command=message.about).id
        elif message.kind is MessageKind.CLEARED and "session" in self._state:
            self._collector.sessions.begin_segment(self._state["session"])
        elif message.kind is MessageKind.CHECKED:
            self._check_output = [message.about]

    def _set_model(self, model: str) -> None:
        """Set the model that answers from here on."""
        self._state.pop("local", None)
        if is_local_model_name(model):
            self._state["local"] = "yes"

    def _handle_question(self, question: ClassifiedMessage, subject: str) -> None:
        is_rejected = question.answer not in ("y", "a")
        self._state.pop("refused", None)
        # Aider can be configured to answer itself, so a no is the user's only if it is known to be typed.
        typed_at = self._find_typed(answer=question.answer) if question.answer else None
        by_user = typed_at is not None or question.answer in ("d", "s")
        if LINT_QUESTION.match(question.about):
            self._state["machine"] = "1"  # the errors follow, as if the user had typed them
        elif EDIT_QUESTION.match(question.about) and is_rejected and by_user:
            self._state["refused"] = "1"
        elif SHELL_QUESTION.match(question.about) and is_rejected and subject:
            call = self._add_call("shell", command="\n".join(line.strip() for line in subject.split("\n")))
            if by_user:
                self._add_rejection(call)
            else:
                self._add_outcome(call, Status.CANCELLED)

    def _add_rejection(self, call: Call) -> None:
        position = self._next_position()
        rejection = Rejection(
            id=f"refusal:{call.id}", call=call.id, session=position.session, at=position.at, place=self._place
        )
        self._collector.events.append(rejection)

    def _add_interrupt(self, ran: str) -> None:
        if self._state.pop("open", "") or ran:  # otherwise nothing was running: ^C is also typed at the prompt
            position = self._next_position()
            stop = Interrupt(
                id=position.id, session=position.session, at=position.at, place=self._place, call=ran or None
            )
            self._collector.events.append(stop)

    def _finish_check(self) -> None:
        if self._check_output:
            (command, *printed), self._check_output = self._check_output, []
            text = "\n".join(filter(None, printed[:_MAX_OUTPUT_LINES]))
            self._add_outcome(self._add_call("shell", command=command), Status.FAILED, text)

    def _find_typed(self, text: str = "", *, answer: str = "") -> datetime | None:
        """Return when this was typed, if the input history has it; from then on the history is relied on."""
        after = EPOCH + int(self._state.get("heard", self._state["at"])) * _TICK
        typed_at = self._history.answered_at(answer, after) if answer else self._history.typed_at(text, after)
        if typed_at is not None:
            ticks = -((EPOCH - typed_at) // _TICK)
            self._state.update(noted="1", heard=str(ticks), at=str(max(ticks, int(self._state["at"]))))
        return typed_at

    def _add_call(self, tool: str, **arguments: str) -> Call:
        encoded = json.dumps(arguments, ensure_ascii=False)
        position = self._next_position()
        call = Call(
            id=position.id, session=position.session, at=position.at, place=self._place, tool=tool, arguments=encoded
        )
        self._collector.events.append(call)
        return call

    def _add_outcome(self, call: Call, status: Status, text: str | None = None) -> None:
        position = self._next_position()
        self._collector.add_outcome(call.id, position.session, position.at, self._place, status, text)

    def _next_position(self) -> _Position:
        """Return the next event's id, session and time. A chat is named after its start and its project."""
        self._state["at"] = str(int(self._state["at"]) + 1)
        at = EPOCH + int(self._state["at"]) * _TICK
        native = self._state.setdefault("session", f"{self._state['began']}-{self._name}")
        return _Position(
            f"{native}:{self._collector.increment('count')}",
            self._collector.sessions.session_at(native, at, self._place),
            at,
        )


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
