"""How a Codex thread stands: which calls may be told of again, and which messages wait for their second copy.

Codex writes most facts twice, as the model's item and as the client's event, in no fixed order.
"""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from wisen.agents.stateful_collector import StatefulCollector

if TYPE_CHECKING:
    from collections.abc import Mapping

_CALLS = 32
_OWED = 8
TURN_ENDED = "-"
"""In place of a process: the turn ended before the call did."""

Copy = Literal["item", "event"]


class CallNote(NamedTuple):
    """What must be known of a call until all is said of it."""

    kind: str
    """The kind of tool, in a letter."""
    hides_exit: bool
    """Whether its exit code may be hidden."""
    process: str = ""
    """The process it left running, or speaks to."""


FINISHED = CallNote("x", hides_exit=False)
"""The call ended: whatever else is said of it is a copy."""


class ThreadState(StatefulCollector):
    """The state of one pass over one rollout."""

    _read_from: str = ""
    _notes: Mapping[str, CallNote] = MappingProxyType({})

    def remember(self, call: str, note: CallNote) -> None:
        """Keep a note on a call; beyond so many, those that are over are forgotten first."""
        notes = dict(self.notes())
        notes.pop(call, None)
        if " " not in call and "=" not in call:
            notes[call] = note
        if len(notes) > _CALLS:
            del notes[next((known for known, each in notes.items() if each == FINISHED), next(iter(notes)))]
        self.state["calls"] = " ".join(f"{known}={_written(each)}" for known, each in notes.items())

    def note(self, call: str) -> CallNote | None:
        """What was noted on a call."""
        return self.notes().get(call)

    def notes(self) -> Mapping[str, CallNote]:
        """Every note, oldest first."""
        written = self.state.get("calls", "")
        if written != self._read_from:
            pairs = (pair.rpartition("=") for pair in written.split())
            self._notes = {call: _read(each) for call, _, each in pairs if call and len(each) > 1}
            self._read_from = written
        return self._notes

    def is_copy(self, copy: Copy, text: str) -> bool:
        """Whether a message is the second copy of one; else its own second copy is awaited."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        owed = self.state.get("owed", "").split()
        awaited = f"{'event' if copy == 'item' else 'item'}:{digest}"
        found = awaited in owed
        if found:
            owed.remove(awaited)
        else:
            owed.append(f"{copy}:{digest}")
        self.state["owed"] = " ".join(owed[-_OWED:])
        return found


def _written(note: CallNote) -> str:
    return f"{note.kind}{'h' if note.hides_exit else 'p'}{note.process}"


def _read(written: str) -> CallNote:
    return CallNote(written[0], hides_exit=written[1] == "h", process=written[2:])
