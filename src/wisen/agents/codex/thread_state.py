"""The parser state of a Codex thread: calls that may be recorded again, and messages whose second copy is expected.

Codex records most facts twice, as the model's item and as the client's event, in no fixed order.
"""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from wisen.agents.stateful_collector import StatefulCollector

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_CALLS = 32
_MAX_EXPECTED = 8
TURN_ENDED = "-"
"""Used in place of a process: the turn ended before the call did."""

Copy = Literal["item", "event"]


class CallNote(NamedTuple):
    """What must be remembered about a call until all its records were read."""

    kind: str
    """The letter of the tool."""
    hides_exit: bool
    """Whether its command can hide a failing exit code."""
    process: str = ""
    """The process that it left running or writes to."""


FINISHED = CallNote("x", hides_exit=False)
"""The call ended: all further records of it are copies."""


class ThreadState(StatefulCollector):
    """The collector of one pass over one rollout."""

    _notes_source: str = ""
    _notes: Mapping[str, CallNote] = MappingProxyType({})

    def remember(self, call: str, note: CallNote) -> None:
        """Keep a note on a call; above the limit, finished calls are dropped first."""
        notes = dict(self.notes())
        notes.pop(call, None)
        if " " not in call and "=" not in call:
            notes[call] = note
        if len(notes) > _MAX_CALLS:
            del notes[next((known for known, each in notes.items() if each == FINISHED), next(iter(notes)))]
        self.state["calls"] = " ".join(f"{known}={_encode_note(each)}" for known, each in notes.items())

    def note(self, call: str) -> CallNote | None:
        """Return the note on a call."""
        return self.notes().get(call)

    def notes(self) -> Mapping[str, CallNote]:
        """Return all notes, oldest first."""
        written = self.state.get("calls", "")
        if written != self._notes_source:
            pairs = (pair.rpartition("=") for pair in written.split())
            self._notes = {call: _decode_note(each) for call, _, each in pairs if call and len(each) > 1}
            self._notes_source = written
        return self._notes

    def is_copy(self, copy: Copy, text: str) -> bool:
        """Whether a message is the second copy of one; otherwise its own second copy is expected."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        expected = self.state.get("owed", "").split()
        awaited = f"{'event' if copy == 'item' else 'item'}:{digest}"
        is_second = awaited in expected
        if is_second:
            expected.remove(awaited)
        else:
            expected.append(f"{copy}:{digest}")
        self.state["owed"] = " ".join(expected[-_MAX_EXPECTED:])
        return is_second


def _encode_note(note: CallNote) -> str:
    return f"{note.kind}{'h' if note.hides_exit else 'p'}{note.process}"


def _decode_note(written: str) -> CallNote:
    return CallNote(written[0], hides_exit=written[1] == "h", process=written[2:])
