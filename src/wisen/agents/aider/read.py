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
from wisen.model.source import TroubleKind

if TYPE_CHECKING:
    from wisen.agents.aider.input_history import InputHistory
    from wisen.agents.event_collector import EventCollector
    from wisen.agents.jsonl import Lines
    from wisen.agents.log_follower import Cursor

AGENT = "aider"
_HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*\Z")
_TYPED, _SAID, _END = "#### ", "> ", "  "
_MARKS = b">#\0"
"""How lines begin that may be somebody else's."""
_BEGINNING = 200
"""Characters after which the model's first words are seen."""
_LONGEST = 1_000
"""Lines of a message of aider that are looked at."""


class Chats:
    """What the lines of one file mean."""

    def __init__(self, cursor: Cursor, *, place: str, heard: InputHistory, program_prompts: bool) -> None:
        self._collector = StatefulCollector(AGENT, cursor.segments, cursor.state)
        self.collector: EventCollector = self._collector
        self._talk = AiderConversation(self._collector, place, heard, program_prompts=program_prompts)
        self._following = cursor.offset
        self._typed: list[str] = []
        self._words: list[str] = []
        self._message: list[str] = []
        self._passes_on = False
        """Whether the model goes on to speak: nothing is looked for but who speaks next."""
        self._waiting: list[str] = []
        """The messages of aider from which the next pass must begin, oldest first."""

    def state(self) -> dict[str, str]:
        """How things stand where the next pass begins."""
        return dict(self._collector.resume_state)

    def lines(self, lines: Lines) -> None:
        """Take complete lines in."""
        for at in lines.oversized:
            self.collector.add_problem(TroubleKind.OVERSIZED, at)
        block, offset = lines.block, lines.start
        for start, end in lines.spans:
            if self._passes_on and end - start > 1 and block[start] not in _MARKS:
                self._following = offset + end + 1
            elif end > start:
                self._bytes(bytes(block[start:end]), offset + start)

    def rest(self, _line: bytes, offset: int) -> bool:
        """A line without an end is never whole."""
        self.collector.add_problem(TroubleKind.UNFINISHED, offset)
        return False

    def end(self) -> None:
        """What the user or the model said is whole where the file ends: it is written at once."""
        self._end_typed()
        self._end_words()

    def _bytes(self, line: bytes, offset: int) -> None:
        if not line.strip():
            return  # an empty line, with the line end of Windows
        apart = offset != self._following
        self._following = offset + len(line) + 1
        if b"\0" in line:
            self.collector.add_problem(TroubleKind.NULS, offset)
            line = line.replace(b"\0", b"")
        try:
            text = line.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError:
            self.collector.add_problem(TroubleKind.GARBLED, offset)
            return
        if text.strip():
            self._line(text, offset, apart=apart)

    def _line(self, line: str, offset: int, *, apart: bool) -> None:
        self._passes_on = False
        header = _HEADER.match(line) if apart or not offset else None
        whole = line.endswith(_END)
        if self._typed and line.startswith(_TYPED) and whole and not apart:
            self._typed.append(line[5:].rstrip())
            return
        self._end_typed()
        if header or not self._talk.has_begun:
            self._begin(header[1] if header else "", offset)
        elif self._message and not (line.startswith(_SAID) and whole):
            self._go_on(line, whole=whole)
        elif line.startswith(_TYPED) and whole and apart:
            self._begin_typed(line, offset)
        elif line.startswith(_SAID) and (whole or self._last != "model"):
            self._begin_message(line, offset, whole=whole)
        else:
            self._say(line, offset, apart=apart)

    @property
    def _last(self) -> str:
        """Who spoke last."""
        return self._collector.state.get("last", "")

    def _begin(self, stamp: str, offset: int) -> None:
        self._turn_away()
        if not self._talk.begin(stamp) and self._last != "lost":
            self._collector.state["last"] = "lost"
            self.collector.add_problem(TroubleKind.MISSHAPEN, offset, "no beginning")

    def _turn_away(self) -> None:
        """Somebody else speaks. It is told before his line is noted: a line that waits knows how things stood."""
        self.end()
        self._end_message()
        self._talk.turn_away()
        self._settle(0)

    def _begin_typed(self, line: str, offset: int) -> None:
        self._turn_away()
        self._collector.begin_line(offset)
        self.collector.wait("typed", offset - 1)  # the empty line before it tells that it is one
        self._typed.append(line[5:].rstrip())

    def _end_typed(self) -> None:
        if self._typed:
            text, self._typed = "\n".join(self._typed).strip(), []
            self.collector.resolve("typed")
            if self._talk.prompt(text, answers=self._last == "model"):
                self._collector.state["last"] = "user"

    def _say(self, line: str, offset: int, *, apart: bool) -> None:
        if self._last == "aider" and not apart:
            self._talk.go_on(line)
            return
        if self._last != "model":
            self._turn_away()
            self._collector.begin_line(offset)
            self._collector.state["last"] = "model"
            self._talk.answers(line)
            self.collector.wait("words", offset)
            self._words = [line]
        elif self._words:
            self._words.append(line)
        if sum(map(len, self._words)) > _BEGINNING:
            self._end_words()
        self._passes_on = not self._words

    def _end_words(self) -> None:
        if self._words:
            beginning, self._words = "\n".join(self._words), []
            self.collector.resolve("words")
            self._talk.answered(beginning)

    def _begin_message(self, line: str, offset: int, *, whole: bool) -> None:
        self.end()
        self._end_message()
        self._collector.begin_line(offset)
        self._waiting.append(f"message:{offset}")
        self.collector.wait(self._waiting[-1], offset)
        self._go_on(line[2:], whole=whole)

    def _go_on(self, line: str, *, whole: bool) -> None:
        if len(self._message) < _LONGEST:
            self._message.append(line.rstrip())
        if whole:
            self._end_message()

    def _end_message(self) -> None:
        if self._message:
            text, self._message = "\n".join(self._message).strip(), []
            self._collector.state["last"] = "aider"
            self._talk.message(text)
            if not self._talk.goes_on:
                self._settle(1 if self._talk.subject else 0)

    def _settle(self, kept: int) -> None:
        """So many of aider's last messages may be needed by what follows."""
        done = self._waiting[: len(self._waiting) - kept]
        self._waiting = self._waiting[len(done) :]
        for key in done:
            self.collector.resolve(key)
