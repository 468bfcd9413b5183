"""Types of opencode's messages and parts, with the fields that this reader uses."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from wisen.agents.local_models import is_local_model
from wisen.agents.session_segments import EPOCH
from wisen.model.plausible_time import plausible_time

ABSENT = msgspec.Raw(b"")


class Span(msgspec.Struct):
    """When something began and ended, in milliseconds."""

    created: float | None = None
    completed: float | None = None
    start: float | None = None
    end: float | None = None


class Error(msgspec.Struct):
    """Why an answer was aborted."""

    name: str = ""


class MessagePath(msgspec.Struct):
    """The working directory of an answer."""

    cwd: str | None = None


class ModelReference(msgspec.Struct):
    """The model that a message is for."""

    providerID: str = ""  # noqa: N815 - the name in the database
    modelID: str = ""  # noqa: N815 - the name in the database


class StoredMessage(msgspec.Struct):
    """A message, without its parts."""

    role: str = ""
    model: msgspec.Raw = ABSENT
    providerID: object = None  # noqa: N815 - the name in the database
    modelID: object = None  # noqa: N815 - the name in the database
    time: Span = msgspec.field(default_factory=Span)
    error: Error | None = None
    path: MessagePath | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing more will be added to it."""
        return self.role == "user" or self.time.completed is not None or self.error is not None

    @property
    def is_local(self) -> bool:
        """Whether it is for or from a model that is known to run on the user's machine."""
        if self.role != "user":
            return is_local_model(str(self.providerID), str(self.modelID))
        try:
            model = _decode_model(self.model) if bytes(self.model) else ModelReference()
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        return is_local_model(model.providerID, model.modelID)


class State(msgspec.Struct):
    """The state of a call. The metadata is defined by the tool."""

    status: str = ""
    input: msgspec.Raw = ABSENT
    output: str | None = None
    error: str | None = None
    metadata: dict[str, object] | None = None
    time: Span = msgspec.field(default_factory=Span)

    @property
    def exit_code(self) -> int | None:
        """The exit code of a command that ran."""
        code = (self.metadata or {}).get("exit")
        return code if type(code) is int else None


class Part(msgspec.Struct):
    """One part of a message."""

    type: str = ""
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    time: Span | None = None
    tool: str | None = None
    callID: str | None = None  # noqa: N815 - the name in the database
    state: State | None = None


RELEVANT_TYPES = frozenset({"text", "tool"})
"""Part types from which something can be learned."""
IGNORED_TYPES = frozenset("agent compaction file patch reasoning retry snapshot step-finish step-start subtask".split())
"""Known part types from which nothing can be learned."""

decode_message = msgspec.json.Decoder(StoredMessage).decode
_decode_model = msgspec.json.Decoder(ModelReference).decode
decode_part = msgspec.json.Decoder(Part).decode


def parse_milliseconds(milliseconds: float | None) -> datetime | None:
    """Convert a time of the database."""
    try:
        return plausible_time(EPOCH + timedelta(milliseconds=milliseconds)) if milliseconds else None
    except (OverflowError, ValueError):
        return None
