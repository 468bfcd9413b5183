"""An index in memory, for tests of what stands on the port. It counts in plain Python, and so checks the SQL too."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.domain.events import Call, Interrupt, Message, Origin, Outcome, Provenance, Rejection, Status
from wisen.domain.fixes import History, Step
from wisen.domain.report import Counts, Failure, ToolUse
from wisen.domain.sources import TroubleCount, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.domain.events import Event, SessionKey
    from wisen.domain.report import Selection
    from wisen.domain.sources import Mark, Source
    from wisen.ports import Kept, Stretch


class MemoryIndex:
    """Keeps everything until it is garbage."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Kept] = {}
        self._marks: dict[tuple[str, str], Mark] = {}
        self._sessions: dict[SessionKey, int] = {}
        self._holdings: set[tuple[str, SessionKey]] = set()
        self._troubles: dict[tuple[str, str, TroubleKind, str], TroubleCount] = {}

    def marks(self, agent: str) -> Mapping[str, Mark]:
        """How far each source of an agent was read, by path."""
        return {path: mark for (owner, path), mark in self._marks.items() if owner == agent}

    def keep(self, stretches: Sequence[Stretch]) -> int:
        """Store them; an event that is already there stays as it is. Returns how many were new."""
        before = len(self._kept)
        for stretch in stretches:
            self._keep_troubles(stretch)
            self._marks[stretch.source.agent, str(stretch.source.path)] = stretch.mark
            for kept in stretch.kept:
                session = kept.event.session
                self._sessions.setdefault(session, len(self._sessions) + 1)
                self._holdings.add((str(stretch.source.path), session))
                self._kept.setdefault((session.agent, kept.event.id), kept)
        return len(self._kept) - before

    def counts(self, selection: Selection) -> Counts:
        """What the selected sessions hold."""
        kept = self._selected(selection)
        events = [each.event for each in kept]
        rejected = {(each.session.agent, each.call) for each in self._events() if isinstance(each, Rejection)}
        interrupts = [each for each in events if isinstance(each, Interrupt)]
        messages = [each for each in events if isinstance(each, Message)]
        return Counts(
            sources=sum(_chosen(agent, path, selection) for agent, path in self._marks),
            sessions=len({each.session for each in events}),
            contexts=len({each.context for each in kept if each.context}),
            typed_turns=sum(each.provenance is Provenance.TYPED for each in messages),
            rejections=sum(isinstance(each, Rejection) for each in events),
            rejections_with_reason=sum(each.origin is Origin.REJECTION for each in messages),
            interrupts=len(interrupts),
            interrupts_by_rejection=sum((each.session.agent, each.call) in rejected for each in interrupts),
            tools=_tools(events),
            withheld=Counter(each.withheld for each in kept if each.withheld),
            first=min((_whole(each.at) for each in events), default=None),
            last=max((_whole(each.at) for each in events), default=None),
        )

    def failures(self, selection: Selection) -> Iterator[Failure]:
        """Every failed or masked call of the selected sessions, oldest first."""
        events = (kept.event for kept in self._selected(selection))
        failed = [
            each for each in events if isinstance(each, Outcome) and each.status in (Status.FAILED, Status.MASKED)
        ]
        for outcome in sorted(failed, key=lambda each: _whole(each.at)):
            about = self._kept.get((outcome.session.agent, outcome.call))
            call = about.event if about is not None and isinstance(about.event, Call) else None
            yield Failure(
                session=self._sessions[outcome.session],
                tool="unknown" if call is None else call.tool,
                arguments=None if call is None else call.arguments,
                text=outcome.text,
                status=outcome.status,
                at=_whole(outcome.at),
            )

    def histories(self, selection: Selection) -> Iterator[History]:
        """The calls of each selected session with how they ended, in order."""
        chosen = [kept.event for kept in self._selected(selection)]
        ends = {(e.session.agent, e.call): e for e in self._events() if isinstance(e, Outcome)}
        calls = sorted(
            (e for e in chosen if isinstance(e, Call)), key=lambda e: (self._sessions[e.session], _whole(e.at))
        )
        for session, of_one in groupby(calls, key=lambda call: self._sessions[call.session]):
            steps = []
            for call in of_one:
                end = ends.get((call.session.agent, call.id))
                steps.append(
                    Step(
                        call=call.id,
                        tool=call.tool,
                        arguments=call.arguments,
                        status=end.status if end else None,
                        text=end.text if end else None,
                        at=_whole(call.at),
                    )
                )
            yield History(session=session, steps=tuple(steps))

    def troubles(self, selection: Selection) -> tuple[TroubleCount, ...]:
        """What could not be read in the selected sources."""
        found = (each for key, each in self._troubles.items() if _chosen(key[0], each.path, selection))
        return tuple(sorted(found, key=lambda each: (each.path, each.first_offset, each.kind.value, each.detail)))

    def check(self) -> None:
        """Nothing can be damaged here."""

    def close(self) -> None:
        """Nothing is held."""

    def _events(self) -> Iterator[Event]:
        return (kept.event for kept in self._kept.values())

    def _selected(self, selection: Selection) -> list[Kept]:
        held = {session for path, session in self._holdings if _chosen(session.agent, path, selection)}
        return [
            kept
            for kept in self._kept.values()
            if kept.event.session in held
            and (selection.since is None or _whole(kept.event.at) >= _whole(selection.since))
        ]

    def _keep_troubles(self, stretch: Stretch) -> None:
        source: Source = stretch.source
        owner = (source.agent, str(source.path))
        self._troubles = {
            key: count
            for key, count in self._troubles.items()
            if key[:2] != owner or not (stretch.afresh or key[2] is TroubleKind.UNFINISHED)
        }
        for trouble in stretch.troubles:
            key = (*owner, trouble.kind, trouble.detail)
            before = self._troubles.get(key)
            self._troubles[key] = TroubleCount(
                path=owner[1],
                kind=trouble.kind,
                detail=trouble.detail,
                count=1 + (0 if before is None else before.count),
                first_offset=trouble.offset if before is None else min(before.first_offset, trouble.offset),
            )


def _chosen(agent: str, path: str, selection: Selection) -> bool:
    if selection.agent not in (None, agent):
        return False
    return selection.under is None or Path(path).is_relative_to(selection.under)


def _whole(moment: datetime) -> datetime:
    """An index keeps whole milliseconds, in UTC."""
    return moment.astimezone(UTC) - timedelta(microseconds=moment.microsecond % 1000)


def _tools(events: list[Event]) -> tuple[ToolUse, ...]:
    calls = {(each.session.agent, each.id): each for each in events if isinstance(each, Call)}
    ends: Counter[tuple[str, str]] = Counter()
    for each in events:
        if isinstance(each, Outcome | Rejection) and (call := calls.get((each.session.agent, each.call))) is not None:
            ends[call.tool, each.status.value if isinstance(each, Outcome) else "rejected"] += 1
    uses = (
        ToolUse(
            tool=tool,
            calls=many,
            ok=ends[tool, "ok"],
            failed=ends[tool, "failed"],
            masked=ends[tool, "masked"],
            cancelled=ends[tool, "cancelled"],
            rejected=ends[tool, "rejected"],
            sessions=len({call.session for call in calls.values() if call.tool == tool}),
        )
        for tool, many in Counter(call.tool for call in calls.values()).items()
    )
    return tuple(sorted(uses, key=lambda use: (-use.calls, use.tool)))
