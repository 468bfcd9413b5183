"""Queries findings in plain Python: the half of the in-memory index that does not depend on sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from wisen.model.event import Call, Interrupt, Message, Outcome, Rejection
from wisen.model.fix import Danger, Evidence, FailureKind, Fix, fix_id
from wisen.model.history import Turn
from wisen.model.report import Selection
from wisen.model.signal import SourcedSignal
from wisen.safety.passages import own_words
from wisen.store.fix_marks import FixMark

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.model.event import Event, SessionKey
    from wisen.model.failure import CallChange, Failure, FixAttempt, Goal, SessionFindings, Signature
    from wisen.model.history import UserAction
    from wisen.model.signal import RecordedSignal
    from wisen.testing.fake_index_rows import IndexRows


def whole_milliseconds(moment: datetime) -> datetime:
    """Round to whole milliseconds in UTC, as an index stores them."""
    return moment.astimezone(UTC) - timedelta(microseconds=moment.microsecond % 1000)


class SelectedFindings(Struct, frozen=True, kw_only=True):
    """The findings in the sessions that a query covers."""

    events: Sequence[Event]
    """All events, in the order in which they were read."""
    contexts: Mapping[tuple[str, str], str]
    """The context of each of them, by agent and id; empty outside of any."""
    sessions: Mapping[int, SessionKey]
    found: Sequence[SessionFindings]
    since: datetime | None

    def failures(self, alive: datetime | None) -> tuple[FailureKind, ...]:
        """Return failures by signature."""
        by_signature: dict[Signature, list[tuple[int, Failure]]] = defaultdict(list)
        for session, each in self._failures():
            old = alive is not None and whole_milliseconds(each.at) < whole_milliseconds(alive)
            if self._recent(each.at) and not (each.transient and old):
                by_signature[each.signature].append((session, each))
        kinds = [self._kind(signature, cases) for signature, cases in by_signature.items()]
        return tuple(
            sorted(kinds, key=lambda each: (-each.sessions, -each.calls, each.signature.description, each.signature))
        )

    def fixes(self) -> tuple[Fix, ...]:
        """Return the changes that made failing calls work."""
        by_fix: dict[tuple[Signature, CallChange], list[tuple[int, FixAttempt]]] = defaultdict(list)
        for session, each in self._tries():
            if self._recent(each.at):
                by_fix[each.signature, each.change].append((session, each))
        fixes = [self._fix(cases) for cases in by_fix.values() if any(each.worked for _, each in cases)]
        return tuple(sorted(fixes, key=lambda each: (-each.sessions, -each.calls, each.id, each.signature)))

    def evidence(self, beginning: str) -> tuple[Evidence, ...]:
        """Return every attempt of a fix, newest first."""
        known = {fix.id for fix in self.fixes() if fix.id.startswith(beginning)}
        if len(known) != 1:
            return ()
        tries = [(session, each) for session, each in self._tries() if fix_id(each.signature, each.change) in known]
        tries.sort(key=lambda case: (whole_milliseconds(case[1].at), *self._order(*case)), reverse=True)
        return tuple(self._evidence(session, each) for session, each in tries)

    def evidence_in(self, sessions: Collection[int]) -> dict[str, tuple[Evidence, ...]]:
        """Return every attempt in these sessions by the id of its fix, newest first."""
        tries = [(session, each) for session, each in self._tries() if session in sessions]
        tries.sort(key=lambda case: (whole_milliseconds(case[1].at), *self._order(*case)), reverse=True)
        by_fix: dict[str, list[Evidence]] = defaultdict(list)
        for session, each in tries:
            by_fix[fix_id(each.signature, each.change)].append(self._evidence(session, each))
        return {fix: tuple(every) for fix, every in by_fix.items()}

    def fix_marks(self, revisions: Mapping[int, int]) -> dict[tuple[str, int], FixMark]:
        """Return where the evidence of each fix stands, given the newest change of each session; -1: it waits."""
        tries: dict[str, list[int]] = defaultdict(list)
        failing: dict[Signature, set[int]] = defaultdict(set)
        signatures: dict[tuple[str, int], Signature] = {}
        for session, each in self._tries():
            name = fix_id(each.signature, each.change)
            tries[name].append(revisions.get(session, 0))
            signatures[name, each.signature.version] = each.signature
        for session, failure in self._failures():
            failing[failure.signature].add(session)
        return {
            key: FixMark(len(tries[key[0]]), -1 if -1 in tries[key[0]] else max(tries[key[0]]), len(failing[signature]))
            for key, signature in signatures.items()
        }

    def goals(self) -> list[Goal]:
        """Return the goals and how they ended, oldest first."""
        goals = []
        for mined in self.found:
            for goal in mined.goals:
                if self._has(mined.session, goal.request) and self._recent(goal.at):
                    known = goal.said_next is not None and self._has(mined.session, goal.said_next)
                    stored = structs.replace(
                        goal,
                        at=whole_milliseconds(goal.at),
                        ended=whole_milliseconds(goal.ended),
                        calls=tuple(call for call in goal.calls if self._has(mined.session, call)),
                        said_next=goal.said_next if known else None,
                    )
                    goals.append((stored.at, self._number(mined.session, goal.request), stored))
        return [goal for *_, goal in sorted(goals, key=lambda case: case[:2])]

    def signals(self) -> tuple[SourcedSignal, ...]:
        """Return the user's signals, newest first."""
        sightings = [
            (-self._number(mined.session, recorded.message), self._sighting(mined.session, recorded))
            for mined in self.found
            for recorded in mined.signals
            if self._has(mined.session, recorded.message) and self._recent(recorded.at)
        ]
        sightings.sort(key=lambda case: (case[0], case[1].said.signal.kind, case[1].session))
        sightings.sort(key=lambda case: case[1].said.at, reverse=True)  # findings of the same moment stay in order
        return tuple(sighting for _, sighting in sightings)

    def _recent(self, at: datetime) -> bool:
        return self.since is None or whole_milliseconds(at) >= whole_milliseconds(self.since)

    def _failures(self) -> Iterator[tuple[int, Failure]]:
        for mined in self.found:
            for each in {each.call: each for each in reversed(mined.failures)}.values():
                if self._has(mined.session, each.call):
                    yield mined.session, each

    def _tries(self) -> Iterator[tuple[int, FixAttempt]]:
        for mined in self.found:
            cases = {(each.signature, each.change, each.failure, each.later): each for each in reversed(mined.attempts)}
            for each in cases.values():
                if self._has(mined.session, each.failure) and self._has(mined.session, each.later):
                    yield mined.session, each

    def _kind(self, signature: Signature, cases: list[tuple[int, Failure]]) -> FailureKind:
        tools = Counter(each.tool for _, each in cases)
        return FailureKind(
            signature=signature,
            tool=min(tools, key=lambda tool: (-tools[tool], tool)),
            calls=len(cases),
            masked=sum(each.masked for _, each in cases),
            sessions=len({session for session, _ in cases}),
            overcome=sum(each.ended_by is not None and self._has(session, each.ended_by) for session, each in cases),
            lost_ms=sum(each.lost_ms for _, each in cases),
            lost_tokens=sum(each.lost_tokens for _, each in cases),
            first=min(whole_milliseconds(each.at) for _, each in cases),
            last=max(whole_milliseconds(each.at) for _, each in cases),
        )

    def _fix(self, cases: list[tuple[int, FixAttempt]]) -> Fix:
        worked = [(session, each) for session, each in cases if each.worked]
        sessions = {session for session, _ in worked}
        session, newest = max(worked, key=lambda case: (whole_milliseconds(case[1].at), *self._order(*case)))
        helped = {(session, each.failure) for session, each in worked}
        lost = [each for session, each in self._failures() if (session, each.call) in helped]
        return Fix(
            id=fix_id(newest.signature, newest.change),
            signature=newest.signature,
            change=newest.change,
            before=self._arguments(session, newest.failure),
            after=self._arguments(session, newest.later),
            said=self._said(session, newest.failure),
            sessions=len(sessions),
            calls=len(helped),
            failed_again=len({session for session, _ in cases} - sessions),
            by_chance=self._by_chance(newest.change),
            danger=max((each.danger for _, each in worked), key=list(Danger).index),
            lost_ms=sum(each.lost_ms for each in lost),
            lost_tokens=sum(each.lost_tokens for each in lost),
            first=min(whole_milliseconds(each.at) for _, each in worked),
            last=max(whole_milliseconds(each.at) for _, each in worked),
            last_worked=max((whole_milliseconds(each.at), each.worked) for _, each in cases)[1],
        )

    def _by_chance(self, change: CallChange) -> float:
        habits = sum(mined.habits.get(change, 0) for mined in self.found)
        after_success = sum(mined.pairs.get(change.tool, (0, 0))[0] for mined in self.found)
        after_failure = sum(mined.pairs.get(change.tool, (0, 0))[1] for mined in self.found)
        return habits / after_success * after_failure if after_success else 0.0

    def _evidence(self, session: int, each: FixAttempt) -> Evidence:
        key = self.sessions[session]
        failure = self._failure(session, each.failure)
        return Evidence(
            agent=key.agent,
            session=key.native,
            at=whole_milliseconds(each.at),
            before=self._arguments(session, each.failure),
            after=self._arguments(session, each.later),
            said=self._said(session, each.failure),
            trajectory="0" if failure is None else failure.trajectory,
            worked=each.worked,
            call=each.failure,
            context=self.contexts[key.agent, each.failure],
        )

    def _sighting(self, session: int, recorded: RecordedSignal) -> SourcedSignal:
        key, event = self.sessions[session], self.events[self._number(session, recorded.message)]
        return SourcedSignal(
            agent=key.agent,
            native=key.native,
            session=session,
            said=structs.replace(recorded, at=whole_milliseconds(recorded.at)),
            text=own_words(event.text or "") if isinstance(event, Message) else "",
            context=self.contexts[event.session.agent, event.id],
            local=isinstance(event, Message) and event.local,
        )

    def _failure(self, session: int, call: str) -> Failure | None:
        return next((case for number, case in self._failures() if (number, case.call) == (session, call)), None)

    def _said(self, session: int, call: str) -> str:
        key = self.sessions[session]
        outcomes = [
            event for event in self.events if isinstance(event, Outcome) and event.session == key and event.call == call
        ]
        newest = max(
            outcomes, key=lambda event: (whole_milliseconds(event.at), self._number(session, event.id)), default=None
        )
        return (newest.text or "") if newest is not None and self._failure(session, call) is not None else ""

    def _arguments(self, session: int, call: str) -> str:
        event = self.events[self._number(session, call)]
        return (event.arguments or "") if isinstance(event, Call) else ""

    def _order(self, session: int, each: FixAttempt) -> tuple[int, int]:
        return self._number(session, each.later), self._number(session, each.failure)

    def _has(self, session: int, name: str) -> bool:
        return (self.sessions[session].agent, name) in self._numbers()

    def _number(self, session: int, name: str) -> int:
        return self._numbers()[self.sessions[session].agent, name]

    def _numbers(self) -> Mapping[tuple[str, str], int]:
        return {(each.session.agent, each.id): number for number, each in enumerate(self.events)}


def turn_of(event: Event, act: UserAction, before: int, context: str) -> Turn:
    """Return a user turn as every index returns it: its text is only what the user wrote themselves."""
    typed, origin = (event.text, event.origin.value) if isinstance(event, Message) else (None, "")
    turn = Turn(
        id=event.id,
        action=act,
        at=whole_milliseconds(event.at),
        text=typed,
        before=before,
        origin=origin,
        context=context,
    )
    if isinstance(event, Rejection | Interrupt):
        turn = structs.replace(turn, call=event.call or "")
    if isinstance(event, Message) and event.local:
        turn = structs.replace(turn, local=True)
    own = None if typed is None else own_words(typed)
    return turn if own == typed else structs.replace(turn, text=own or None, whole=typed)


class MemoryFixExamples:
    """Examples of fixes in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def newest(self, fixes: Collection[str]) -> dict[str, tuple[Evidence, ...]]:
        """Return, by the id of the fix, the last time that it worked in each context, newest first."""
        found = self._rows.findings(Selection())
        examples: dict[str, tuple[Evidence, ...]] = {}
        for fix in fixes:
            by_context: dict[str, Evidence] = {}
            for each in found.evidence(fix):
                if each.worked:
                    by_context.setdefault(each.context, each)
            examples[fix] = tuple(by_context.values())
        return examples

    def in_sessions(self, sessions: Collection[int]) -> dict[str, tuple[Evidence, ...]]:
        """Return, by the id of the fix, every time that one was tried in these sessions, newest first."""
        return self._rows.findings(Selection()).evidence_in(sessions)
