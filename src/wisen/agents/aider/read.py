"""From the lines of aider's chats to what was typed, what the model said and what aider said.

What the user typed stands behind `####`, what aider says behind `>`, and what the model says as it is. Each message of
the user and of aider ends in two spaces; one of aider may go over several lines, and quote anything. An empty line
stands before what was typed and before what the model says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.agents.aider.chat_events import AiderConversation
from wisen.agents.stateful_collector import StatefulCollector
from wisen.model.source import ReadProblemKind

if TYPE_CHECKING:
    from wisen.agents.aider.input_history import InputHistory
    from wisen.agents.event_collector import EventCollector
    from wisen.agents.jsonl import Lines
    from wisen.agents.log_follower import Cursor

AGENT = "aider"
_HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*\Z")
_USER_PREFIX, _AIDER_PREFIX, _LINE_END = "#### ", "> ", "  "
_PREFIX_BYTES = b">#\0"
"""How lines begin that may be somebody else's."""
_ANSWER_BEGINNING = 200
"""Characters after which the model's first words are seen."""
_MAX_MESSAGE_LINES = 1_000
"""Lines of a message of aider that are looked at."""


class AiderParser:
    """What the lines of one file mean."""

    def __init__(self, cursor: Cursor, *, place: str, history: InputHistory, program_prompts: bool) -> None:
        self._collector = StatefulCollector(AGENT, cursor.segments, cursor.state)
        self.collector: EventCollector = self._collector
        self._conversation = AiderConversation(self._collector, place, history, program_prompts=program_prompts)
        self._following = cursor.offset
        self._typed_lines: list[str] = []
        self._answer_lines: list[str] = []
        self._message_lines: list[str] = []
        self._skips_answer = False
        """Whether the model goes on to speak: nothing is looked for but who speaks next."""
        self._pending_messages: list[str] = []
        """The messages of aider from which the next pass must begin, oldest first."""

    def state(self) -> dict[str, str]:
        """How things stand where the next pass begins."""
        return dict(self._collector.resume_state)

    def parse_lines(self, lines: Lines) -> None:
        """Take complete lines in."""
        for at in lines.oversized:
            self.collector.add_problem(ReadProblemKind.OVERSIZED, at)
        block, offset = lines.block, lines.start
        for start, end in lines.spans:
            if self._skips_answer and end - start > 1 and block[start] not in _PREFIX_BYTES:
                self._following = offset + end + 1
            elif end > start:
                self._decode_line(bytes(block[start:end]), offset + start)

    def handle_unfinished(self, _parse_line: bytes, offset: int) -> bool:
        """A line without an end is never whole."""
        self.collector.add_problem(ReadProblemKind.UNFINISHED, offset)
        return False

    def flush(self) -> None:
        """What the user or the model said is whole where the file ends: it is written at once."""
        self._end_prompt()
        self._end_answer()

    def _decode_line(self, line: bytes, offset: int) -> None:
        if not line.strip():
            return  # an empty line, with the line end of Windows
        apart = offset != self._following
        self._following = offset + len(line) + 1
        if b"\0" in line:
            self.collector.add_problem(ReadProblemKind.NULS, offset)
            line = line.replace(b"\0", b"")
        try:
            text = line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError:
            self.collector.add_problem(ReadProblemKind.GARBLED, offset)
            return
        if text.strip():
            self._parse_line(text, offset, apart=apart)

    def _parse_line(self, line: str, offset: int, *, apart: bool) -> None:
        self._skips_answer = False
        header = _HEADER.match(line) if apart or not offset else None
        whole = line.endswith(_LINE_END)
        if self._typed_lines and line.startswith(_USER_PREFIX) and whole and not apart:
            self._typed_lines.append(line[5:].rstrip())
            return
        self._end_prompt()
        if header or not self._conversation.has_begun:
            self._begin_chat(header[1] if header else "", offset)
        elif self._message_lines and not (line.startswith(_AIDER_PREFIX) and whole):
            self._continue_message(line, whole=whole)
        elif line.startswith(_USER_PREFIX) and whole and apart:
            self._begin_prompt(line, offset)
        elif line.startswith(_AIDER_PREFIX) and (whole or self._last_speaker != "model"):
            self._begin_message(line, offset, whole=whole)
        else:
            self._add_answer_line(line, offset, apart=apart)

    @property
    def _last_speaker(self) -> str:
        """Who spoke last."""
        return self._collector.state.get("last", "")

    def _begin_chat(self, stamp: str, offset: int) -> None:
        self._change_speaker()
        if not self._conversation.begin_chat(stamp) and self._last_speaker != "lost":
            self._collector.state["last"] = "lost"
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "no beginning")

    def _change_speaker(self) -> None:
        """Somebody else speaks. It is told before his line is noted: a line that waits knows how things stood."""
        self.flush()
        self._end_message()
        self._conversation.change_speaker()
        self._resolve_messages(0)

    def _begin_prompt(self, line: str, offset: int) -> None:
        self._change_speaker()
        self._collector.begin_line(offset)
        self.collector.wait("typed", offset - 1)  # the empty line before it tells that it is one
        self._typed_lines.append(line[5:].rstrip())

    def _end_prompt(self) -> None:
        if self._typed_lines:
            text, self._typed_lines = "\n".join(self._typed_lines).strip(), []
            self.collector.resolve("typed")
            if self._conversation.add_prompt(text, answers=self._last_speaker == "model"):
                self._collector.state["last"] = "user"

    def _add_answer_line(self, line: str, offset: int, *, apart: bool) -> None:
        if self._last_speaker == "aider" and not apart:
            self._conversation.continue_message(line)
            return
        if self._last_speaker != "model":
            self._change_speaker()
            self._collector.begin_line(offset)
            self._collector.state["last"] = "model"
            self._conversation.begin_answer(line)
            self.collector.wait("words", offset)
            self._answer_lines = [line]
        elif self._answer_lines:
            self._answer_lines.append(line)
        if sum(map(len, self._answer_lines)) > _ANSWER_BEGINNING:
            self._end_answer()
        self._skips_answer = not self._answer_lines

    def _end_answer(self) -> None:
        if self._answer_lines:
            beginning, self._answer_lines = "\n".join(self._answer_lines), []
            self.collector.resolve("words")
            self._conversation.end_answer(beginning)

    def _begin_message(self, line: str, offset: int, *, whole: bool) -> None:
        self.flush()
        self._end_message()
        self._collector.begin_line(offset)
        self._pending_messages.append(f"message:{offset}")
        self.collector.wait(self._pending_messages[-1], offset)
        self._continue_message(line[2:], whole=whole)

    def _continue_message(self, line: str, *, whole: bool) -> None:
        if len(self._message_lines) < _MAX_MESSAGE_LINES:
            self._message_lines.append(line.rstrip())
        if whole:
            self._end_message()

    def _end_message(self) -> None:
        if self._message_lines:
            text, self._message_lines = "\n".join(self._message_lines).strip(), []
            self._collector.state["last"] = "aider"
            self._conversation.add_message(text)
            if not self._conversation.is_incomplete:
                self._resolve_messages(1 if self._conversation.subject else 0)

    def _resolve_messages(self, kept: int) -> None:
        """So many of aider's last messages may be needed by what follows."""
        done = self._pending_messages[: len(self._pending_messages) - kept]
        self._pending_messages = self._pending_messages[len(done) :]
        for key in done:
            self.collector.resolve(key)
