"""Parses the lines of aider's chats into typed prompts, answers of the model, and messages of aider.

Typed text is prefixed with `####`, aider's messages with `>`, and answers are unmarked. Each message of the user and of
aider ends in two spaces; aider's may span several lines and quote anything. A blank line precedes typed text and
answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.agents.aider.chat_events import AiderConversation
from wisen.agents.stateful_collector import StatefulCollector
from wisen.model.source import ReadProblemKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.agents.aider.input_history import InputHistory
    from wisen.agents.event_collector import EventCollector
    from wisen.agents.jsonl import Lines
    from wisen.agents.log_follower import Cursor

AGENT = "aider"
_HEADER = lazy_regex(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*\Z")
_USER_PREFIX, _AIDER_PREFIX, _LINE_END = "#### ", "> ", "  "
_PREFIX_BYTES = b">#\0"
"""First bytes of lines that may not belong to the answer."""
_ANSWER_BEGINNING = 200
"""Characters of an answer that are examined."""
_MAX_MESSAGE_LINES = 1_000
"""Lines of an aider message that are examined."""


class AiderParser:
    """Parses the lines of one chat file."""

    def __init__(self, cursor: Cursor, *, place: str, history: InputHistory, program_prompts: bool) -> None:
        self._collector = StatefulCollector(AGENT, cursor.segments, cursor.state)
        self.collector: EventCollector = self._collector
        self._conversation = AiderConversation(self._collector, place, history, program_prompts=program_prompts)
        self._next_offset = cursor.offset
        self._typed_lines: list[str] = []
        self._answer_lines: list[str] = []
        self._message_lines: list[str] = []
        self._skips_answer = False
        """Whether the rest of an answer is skipped until another speaker's line."""
        self._pending_messages: list[str] = []
        """Aider's messages from which the next pass must begin, oldest first."""

    def state(self) -> dict[str, str]:
        """Return the state where the next pass begins."""
        return dict(self._collector.resume_state)

    def parse_lines(self, lines: Lines) -> None:
        """Parse complete lines."""
        for at in lines.oversized:
            self.collector.add_problem(ReadProblemKind.OVERSIZED, at)
        block, offset = lines.block, lines.start
        for start, end in lines.spans:
            if self._skips_answer and end - start > 1 and block[start] not in _PREFIX_BYTES:
                self._next_offset = offset + end + 1
            elif end > start:
                self._decode_line(bytes(block[start:end]), offset + start)

    def handle_unfinished(self, _line: bytes, offset: int) -> bool:
        """Report a line without a newline, which is never complete."""
        self.collector.add_problem(ReadProblemKind.UNFINISHED, offset)
        return False

    def flush(self) -> None:
        """End the current prompt and answer: at the end of the file they are complete, as each is written at once."""
        self._end_prompt()
        self._end_answer()

    def _decode_line(self, line: bytes, offset: int) -> None:
        if not line.strip():
            return  # a blank line with a Windows line ending
        after_blank = offset != self._next_offset
        self._next_offset = offset + len(line) + 1
        if b"\0" in line:
            self.collector.add_problem(ReadProblemKind.NULS, offset)
            line = line.replace(b"\0", b"")
        try:
            text = line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError:
            self.collector.add_problem(ReadProblemKind.GARBLED, offset)
            return
        if text.strip():
            self._parse_line(text, offset, after_blank=after_blank)

    def _parse_line(self, line: str, offset: int, *, after_blank: bool) -> None:
        self._skips_answer = False
        header = _HEADER.match(line) if after_blank or not offset else None
        is_complete = line.endswith(_LINE_END)
        if self._typed_lines and line.startswith(_USER_PREFIX) and is_complete and not after_blank:
            self._typed_lines.append(line[5:].rstrip())
            return
        self._end_prompt()
        if header or not self._conversation.has_begun:
            self._begin_chat(header[1] if header else "", offset)
        elif self._message_lines and not (line.startswith(_AIDER_PREFIX) and is_complete):
            self._continue_message(line, is_complete=is_complete)
        elif line.startswith(_USER_PREFIX) and is_complete and after_blank:
            self._begin_prompt(line, offset)
        elif line.startswith(_AIDER_PREFIX) and (is_complete or self._last_speaker != "model"):
            self._begin_message(line, offset, is_complete=is_complete)
        else:
            self._add_answer_line(line, offset, after_blank=after_blank)

    @property
    def _last_speaker(self) -> str:
        """The speaker of the last line."""
        return self._collector.state.get("last", "")

    def _begin_chat(self, stamp: str, offset: int) -> None:
        self._change_speaker()
        if not self._conversation.begin_chat(stamp) and self._last_speaker != "lost":
            self._collector.state["last"] = "lost"
            self.collector.add_problem(ReadProblemKind.MISSHAPEN, offset, "no beginning")

    def _change_speaker(self) -> None:
        """End what the last speaker said, before the new line is registered: a pending line keeps the state before."""
        self.flush()
        self._end_message()
        self._conversation.change_speaker()
        self._resolve_messages(0)

    def _begin_prompt(self, line: str, offset: int) -> None:
        self._change_speaker()
        self._collector.begin_line(offset)
        self.collector.wait("typed", offset - 1)  # the blank line before it marks it as a prompt
        self._typed_lines.append(line[5:].rstrip())

    def _end_prompt(self) -> None:
        if self._typed_lines:
            text, self._typed_lines = "\n".join(self._typed_lines).strip(), []
            self.collector.resolve("typed")
            if self._conversation.add_prompt(text, answers=self._last_speaker == "model"):
                self._collector.state["last"] = "user"

    def _add_answer_line(self, line: str, offset: int, *, after_blank: bool) -> None:
        if self._last_speaker == "aider" and not after_blank:
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

    def _begin_message(self, line: str, offset: int, *, is_complete: bool) -> None:
        self.flush()
        self._end_message()
        self._collector.begin_line(offset)
        self._pending_messages.append(f"message:{offset}")
        self.collector.wait(self._pending_messages[-1], offset)
        self._continue_message(line[2:], is_complete=is_complete)

    def _continue_message(self, line: str, *, is_complete: bool) -> None:
        if len(self._message_lines) < _MAX_MESSAGE_LINES:
            self._message_lines.append(line.rstrip())
        if is_complete:
            self._end_message()

    def _end_message(self) -> None:
        if self._message_lines:
            text, self._message_lines = "\n".join(self._message_lines).strip(), []
            self._collector.state["last"] = "aider"
            self._conversation.add_message(text)
            if not self._conversation.is_incomplete:
                self._resolve_messages(1 if self._conversation.subject else 0)

    def _resolve_messages(self, kept: int) -> None:
        """Resolve all pending messages but the last `kept`, which the following lines may need."""
        done = self._pending_messages[: len(self._pending_messages) - kept]
        self._pending_messages = self._pending_messages[len(done) :]
        for key in done:
            self.collector.resolve(key)
