"""Builds the batches that a reader would pass to an index, event by event."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wisen.model.event import (
    Call,
    Citation,
    Concession,
    Interrupt,
    Message,
    MessageOrigin,
    Outcome,
    Provenance,
    Rejection,
    SessionKey,
    Status,
)
from wisen.model.index_batch import FilteredEvent, IndexBatch
from wisen.model.source import ReadProblem, Source, SourceMark

if TYPE_CHECKING:
    from wisen.model.event import Event

NOON = datetime(2026, 3, 1, 12, 0, 0, 123000, tzinfo=UTC)
"""When every log begins."""


class Log:
    """A source of one session, built event by event."""

    def __init__(self, path: str, native: str = "s1", agent: str = "claude-code", context: str | None = "ctx") -> None:
        self.source = Source(agent=agent, file=str(path), size=100, modified_ns=7)
        self.session = SessionKey(agent=agent, native=native)
        self.context = context
        self.place = "/src/tool"
        self.events: list[FilteredEvent] = []

    def add(self, event: Event, *, withheld: str | None = None) -> None:
        """Append an event."""
        self.events.append(FilteredEvent(event=event, context=self.context, withheld=withheld))

    def at(self, minutes: float) -> datetime:
        """Return the moment so many minutes after noon."""
        return NOON + timedelta(minutes=minutes)

    def typed(
        self, name: str, minutes: float = 0, origin: MessageOrigin = MessageOrigin.PROMPT, *, local: bool = False
    ) -> None:
        """Append a typed message; `local`: to a model on the user's own machine."""
        self.add(
            Message(
                id=name,
                session=self.session,
                at=self.at(minutes),
                place=self.place,
                text=f"text of {name}",
                origin=origin,
                provenance=Provenance.TYPED,
                local=local,
            )
        )

    def call(self, name: str, minutes: float = 0, tool: str = "Bash", arguments: str | None = '{"a":1}') -> None:
        """Append a tool call."""
        self.add(
            Call(id=name, session=self.session, at=self.at(minutes), place=self.place, tool=tool, arguments=arguments)
        )

    def end(self, call: str, status: Status, minutes: float = 0, text: str | None = None) -> None:
        """Append the outcome of a call."""
        self.add(
            Outcome(
                id=f"{call}/end",
                call=call,
                session=self.session,
                at=self.at(minutes),
                place=self.place,
                status=status,
                text=text,
            )
        )

    def reject(self, call: str, minutes: float = 0) -> None:
        """Append a rejection of a call."""
        self.add(Rejection(id=f"{call}/no", call=call, session=self.session, at=self.at(minutes), place=self.place))

    def interrupt(self, name: str, call: str | None = None, minutes: float = 0) -> None:
        """Append an interrupt."""
        self.add(Interrupt(id=name, call=call, session=self.session, at=self.at(minutes), place=self.place))

    def concede(self, name: str, minutes: float = 0) -> None:
        """Append a concession of the assistant."""
        self.add(Concession(id=name, session=self.session, at=self.at(minutes), place=self.place))

    def cite(self, name: str, minutes: float = 0) -> None:
        """Append a citation of an id by the assistant."""
        id_ = f"cited:{name}:{minutes}"
        self.add(Citation(id=id_, session=self.session, at=self.at(minutes), place=self.place, name=name))

    def batch(self, *problems: ReadProblem, cursor: str = "end", from_start: bool = False) -> IndexBatch:
        """Return everything added so far as one batch."""
        mark = SourceMark(size=self.source.size, modified_ns=self.source.modified_ns, cursor=cursor)
        return IndexBatch(
            source=self.source, events=tuple(self.events), problems=problems, mark=mark, from_start=from_start
        )


def every_kind_log() -> Log:
    """Return a log of fifteen events: every kind, every status."""
    log = Log("/logs/p/one.jsonl")
    log.typed("m1", 0)
    for number, (tool, status) in enumerate(
        (("Bash", Status.OK), ("Bash", Status.FAILED), ("Bash", Status.MASKED), ("Edit", Status.CANCELLED))
    ):
        log.call(f"c{number}", 1 + number, tool)
        log.end(f"c{number}", status, 2 + number, "oh no" if status in (Status.FAILED, Status.MASKED) else None)
    log.call("c8", 9, "Edit")
    log.reject("c8", 10)
    log.typed("m2", 10, MessageOrigin.REJECTION)
    log.interrupt("i1", "c8", 11)
    log.interrupt("i2", None, 12)
    last = Call(id="c9", session=log.session, at=log.at(14), place=log.place, tool="Bash", arguments="{}")
    log.add(last, withheld="aws-key")
    return log
