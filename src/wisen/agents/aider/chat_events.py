"""What a chat with aider comes to: what was typed, what the model began with and what aider said become events.

Whether something was typed is told by the input history where there is one; without it, by what stands before. How a
command ended that the user agreed to is told nowhere, so that nothing is said of it.
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

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.agents.aider.input_history import InputHistory
    from wisen.agents.stateful_collector import StatefulCollector
    from wisen.model.event import SessionKey

_COMMAND = re.compile(r"/(?P<mode>ask|code|architect|context)\s+(?P<asked>\S.*)|[/!]\S.*", re.DOTALL)
"""What is typed to aider itself; behind some words stands what the model is asked, which is written down once more."""
_PRINTED = 200
"""Lines of what a command printed that are kept."""
_TICK = timedelta(milliseconds=1)


class _Position(NamedTuple):
    """Where an event stands."""

    id: str
    session: SessionKey
    at: datetime


class AiderConversation:
    """The chats of one file, one after another."""

    def __init__(
        self, collector: StatefulCollector, place: str, history: InputHistory, *, program_prompts: bool
    ) -> None:
        self._collector, self._state = collector, collector.state
        self._place, self._history, self._program_prompts = place, history, program_prompts
        self._name = _digest(Path(place).name)
        self.subject = ""
        """Aider's last message, if the next may be a question about it."""
        self._malformed = False
        self._checked: list[str] = []

    @property
    def is_incomplete(self) -> bool:
        """Whether aider's next message belongs to this one."""
        return self._malformed or bool(self._checked)

    @property
    def has_begun(self) -> bool:
        """Whether it is known when the chat began."""
        return "began" in self._state

    def begin_chat(self, stamp: str) -> bool:
        """A new chat. False when that is no time."""
        began = parse_local_time(stamp)
        if began is None:
            return False
        name, at = stamp.translate({45: None, 58: None, 32: "T"}), str((began - EPOCH) // _TICK)
        before = self._state.get("began", "")
        self._collector.sessions.end_session(self._state.get("session", ""))
        self._state.clear()
        # Two that began in one second are told apart.
        self._state.update(began=f"{before}+" if before.rstrip("+") == name else name, at=at)
        return True

    def change_speaker(self) -> None:
        """Somebody else speaks: what would have been about aider's last messages did not come."""
        self._finish_check()
        self._malformed, self.subject = False, ""

    def add_prompt(self, text: str, *, answers: bool) -> bool:
        """What stands where the user's text stands. False when it is the model's, whose words stand right before it.

        `answers`: whether they do.
        """
        asked, machine = self._state.pop("asked", ""), self._state.pop("machine", "")
        if not text or text == "<blank>" or QUESTION.match(text):
            return not answers
        heard = self._find_typed(text)
        command = _COMMAND.fullmatch(text)
        if command:
            if command["mode"] and (heard or "noted" not in self._state):
                self._state["asked"] = _digest(command["asked"].strip())
            return heard is not None or not answers
        echoed = self._state.get("answer") == _digest(text.split("\n", 1)[0].strip())
        plain = "noted" not in self._state and not (answers or machine or echoed)
        if heard is None and asked != _digest(text) and not plain:
            return not answers
        self._state["open"] = "1"
        position = self._next_position()
        given = "program" in self._state and not self._program_prompts
        self._collector.events.append(
            Message(
                id=position.id,
                session=position.session,
                at=position.at,
                place=self._place,
                text=text,
                origin=MessageOrigin.PROMPT,
                provenance=Provenance.OTHER if given else Provenance.TYPED,
                local="local" in self._state,
            )
        )
        return True

    def begin_answer(self, line: str) -> None:
        """The first line of what the model says."""
        self._state["answer"] = _digest(line.strip())

    def end_answer(self, beginning: str) -> None:
        """How the model's answer begins."""
        if is_concession(beginning):
            position = self._next_position()
            self._collector.events.append(
                Concession(id=position.id, session=position.session, at=position.at, place=self._place)
            )
        if find_cited_ids(beginning):
            position = self._next_position()
            self._collector.events += find_citations(position.id, beginning, position.session, position.at, self._place)

    def add_message(self, text: str) -> None:
        """A message of aider."""
        subject, self.subject = self.subject, ""
        ran = self._state.pop("ran", "")
        message = classify_message(text)
        if self._malformed:
            if message.kind is not MessageKind.LINK:
                self._malformed = False
                why, path = parse_edit_failure(text)
                self._add_outcome(self._add_call("edit", **({"path": path} if path else {})), Status.FAILED, why)
        elif self._checked and message.kind in (MessageKind.OTHER, MessageKind.LINK):
            self._checked.append(text)
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
        """One more line of a message that seemed to be whole: commands are filled up with spaces to one length."""
        if self.subject:
            self.subject += f"\n{line}"

    def _handle_action(self, message: ClassifiedMessage) -> None:
        if message.kind is MessageKind.ANSWERED:
            self._state.pop("open", None)
        elif message.kind is MessageKind.EDITED:
            self._add_outcome(self._add_call("edit", path=message.about), Status.OK)
        elif message.kind is MessageKind.MALFORMED:
            self._malformed = True
        elif message.kind is MessageKind.SKIPPED and "refused" in self._state:
            self._add_rejection(self._add_call("edit", path=message.about))
        elif message.kind is MessageKind.RAN:
            self._state["ran"] = self._add_call("shell", command=message.about).id
        elif message.kind is MessageKind.CLEARED and "session" in self._state:
            self._collector.sessions.begin_segment(self._state["session"])
        elif message.kind is MessageKind.CHECKED:
            self._checked = [message.about]

    def _set_model(self, model: str) -> None:
        """From position on another model answers."""
        self._state.pop("local", None)
        if is_local_model_name(model):
            self._state["local"] = "yes"

    def _handle_question(self, asked: ClassifiedMessage, subject: str) -> None:
        refused = asked.answer not in ("y", "a")
        self._state.pop("refused", None)
        # Aider can be told to answer by itself, so that a no is only the user's if he is known to have typed it.
        heard = self._find_typed(answer=asked.answer) if asked.answer else None
        by_the_user = heard is not None or asked.answer in ("d", "s")
        if LINT_QUESTION.match(asked.about):
            self._state["machine"] = "1"  # the errors follow, as if the user had typed them
        elif EDIT_QUESTION.match(asked.about) and refused and by_the_user:
            self._state["refused"] = "1"
        elif SHELL_QUESTION.match(asked.about) and refused and subject:
            call = self._add_call("shell", command="\n".join(line.strip() for line in subject.split("\n")))
            if by_the_user:
                self._add_rejection(call)
            else:
                self._add_outcome(call, Status.CANCELLED)

    def _add_rejection(self, call: Call) -> None:
        position = self._next_position()
        refusal = Rejection(
            id=f"refusal:{call.id}", call=call.id, session=position.session, at=position.at, place=self._place
        )
        self._collector.events.append(refusal)

    def _add_interrupt(self, ran: str) -> None:
        if self._state.pop("open", "") or ran:  # else nothing was under way: it is typed at the prompt too
            position = self._next_position()
            stop = Interrupt(
                id=position.id, session=position.session, at=position.at, place=self._place, call=ran or None
            )
            self._collector.events.append(stop)

    def _finish_check(self) -> None:
        if self._checked:
            (command, *printed), self._checked = self._checked, []
            text = "\n".join(filter(None, printed[:_PRINTED]))
            self._add_outcome(self._add_call("shell", command=command), Status.FAILED, text)

    def _find_typed(self, text: str = "", *, answer: str = "") -> datetime | None:
        """When this was typed, if the input history tells; from then on it is known to tell."""
        after = EPOCH + int(self._state.get("heard", self._state["at"])) * _TICK
        found = self._history.answered_at(answer, after) if answer else self._history.typed_at(text, after)
        if found is not None:
            heard = -((EPOCH - found) // _TICK)
            self._state.update(noted="1", heard=str(heard), at=str(max(heard, int(self._state["at"]))))
        return found

    def _add_call(self, tool: str, **arguments: str) -> Call:
        told = json.dumps(arguments, ensure_ascii=False)
        position = self._next_position()
        call = Call(
            id=position.id, session=position.session, at=position.at, place=self._place, tool=tool, arguments=told
        )
        self._collector.events.append(call)
        return call

    def _add_outcome(self, call: Call, status: Status, text: str | None = None) -> None:
        position = self._next_position()
        self._collector.add_outcome(call.id, position.session, position.at, self._place, status, text)

    def _next_position(self) -> _Position:
        """The next event's id, session and moment. A chat is named by when it began and by its project's name."""
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
