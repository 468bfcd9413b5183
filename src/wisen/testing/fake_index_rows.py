"""The rows of an in-memory index, and which of them a query covers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.event import Call, Concession, Interrupt, Message, Outcome, Provenance, Rejection
from wisen.model.history import History, Step, Turn, UserAction
from wisen.testing.fake_findings import SelectedFindings, turn_of, whole_milliseconds
from wisen.testing.fake_memories import PlainMemories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.event import Event, SessionKey
    from wisen.model.failure import SessionFindings
    from wisen.model.index_batch import FilteredEvent
    from wisen.model.report import Selection
    from wisen.model.source import ReadProblemCount, ReadProblemKind, SourceMark


class IndexRows:
    """The rows of an index in memory."""

    def __init__(self) -> None:
        self.memories = PlainMemories()
        self.kept: dict[tuple[str, str], FilteredEvent] = {}
        self.marks: dict[tuple[str, str], SourceMark] = {}
        self.sessions: dict[SessionKey, int] = {}
        self.holdings: set[tuple[str, SessionKey]] = set()
        self.places: set[tuple[SessionKey, str]] = set()
        self.read_problems: dict[tuple[str, str, ReadProblemKind, str], ReadProblemCount] = {}
        self.sizes: Counter[int] = Counter()
        """By session, how many events it has."""
        self.handed: dict[int, int] = {}
        self.seen: dict[int, tuple[int, int]] = {}
        """By session, how many events it had when mined, and the version of the miner."""
        self.found: dict[int, SessionFindings] = {}
        self.changes: list[int] = []
        """The sessions that were mined or deleted, in order; each place is a revision."""

    def events(self) -> Iterator[Event]:
        """Yield all events, in the order in which they were read."""
        return (filtered.event for filtered in self.kept.values())

    def findings(self, selection: Selection) -> SelectedFindings:
        """Return the findings in the selected sessions."""
        numbers = {self.sessions[filtered.event.session] for filtered in self.selected_events(selection)}
        return SelectedFindings(
            events=tuple(self.events()),
            contexts={key: filtered.context or "" for key, filtered in self.kept.items()},
            sessions={number: key for key, number in self.sessions.items()},
            found=[mined for number, mined in sorted(self.found.items()) if number in numbers],
            since=selection.since,
        )

    def history(self, number: int, selection: Selection) -> History:
        """Return the history of a session."""
        # The sort is stable: events of the same moment stay in the order in which they were read.
        events = sorted(
            (each for each in self.events() if self.sessions[each.session] == number),
            key=lambda each: whole_milliseconds(each.at),
        )
        ends = {each.call: each for each in events if isinstance(each, Outcome)}
        steps: list[Step] = []
        turns: list[Turn] = []
        for each in events:
            if selection.since is not None and whole_milliseconds(each.at) < whole_milliseconds(selection.since):
                continue
            context = self.kept[each.session.agent, each.id].context or ""
            if isinstance(each, Call):
                steps.append(_step(each, ends.get(each.id), context))
            elif isinstance(each, Concession):
                places = [place for place, turn in enumerate(turns) if turn.action is UserAction.SAID]
                if places:
                    turns[places[-1]] = structs.replace(turns[places[-1]], conceded=True)
            elif (act := _act(each)) is not None:
                turns.append(turn_of(each, act, len(steps), context))
        key = next(key for key, known in self.sessions.items() if known == number)
        return History(session=number, agent=key.agent, native=key.native, steps=tuple(steps), turns=tuple(turns))

    def selected_events(self, selection: Selection) -> list[FilteredEvent]:
        """Return the selected events."""
        placed = self._placed(selection)
        sessions = {
            session
            for path, session in self.holdings
            if session in placed and _is_named(session.agent, path, selection)
            if selection.sessions is None or self.sessions[session] in selection.sessions
        }
        return [
            filtered
            for filtered in self.kept.values()
            if filtered.event.session in sessions
            and (
                selection.since is None or whole_milliseconds(filtered.event.at) >= whole_milliseconds(selection.since)
            )
        ]

    def _placed(self, selection: Selection) -> set[SessionKey]:
        folders = [place.rstrip("/") for place in selection.places]
        return {
            session
            for session, place in self.places
            if not folders or any(place == folder or place.startswith(f"{folder}/") for folder in folders)
        }

    def is_selected(self, agent: str, path: str, selection: Selection) -> bool:
        """Return whether a source holds part of the selection."""
        if not _is_named(agent, path, selection):
            return False
        sessions = {session for holder, session in self.holdings if holder == path and session.agent == agent}
        if selection.sessions is not None:
            sessions = {session for session in sessions if self.sessions.get(session) in selection.sessions}
            return bool(sessions) and (not selection.places or not sessions.isdisjoint(self._placed(selection)))
        return not selection.places or not sessions.isdisjoint(self._placed(selection))


def _is_named(agent: str, path: str, selection: Selection) -> bool:
    if selection.agent not in (None, agent):
        return False
    return selection.under is None or Path(path).is_relative_to(selection.under)


def _act(event: Event) -> UserAction | None:
    if isinstance(event, Message) and event.provenance is Provenance.TYPED:
        return UserAction.SAID
    if isinstance(event, Rejection):
        return UserAction.REJECTED
    return UserAction.INTERRUPTED if isinstance(event, Interrupt) else None


def _step(call: Call, end: Outcome | None, context: str) -> Step:
    return Step(
        call=call.id,
        tool=call.tool,
        arguments=call.arguments,
        status=None if end is None else end.status,
        text=None if end is None else end.text,
        at=whole_milliseconds(call.at),
        ended=None if end is None else whole_milliseconds(end.at),
        context=context,
    )
