"""A miner with simple rules that can be checked by eye, to fill an index with findings."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from wisen.model.event import Status
from wisen.model.failure import CallChange, Ending, Failure, FixAttempt, Goal, SessionFindings, Signature
from wisen.model.fix import Danger
from wisen.model.history import UserAction
from wisen.model.signal import Lesson, LessonTopic, Polarity, RecordedSignal, Signal, SignalKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.history import History, Step, Turn
    from wisen.store.index import Index

FAILED = (Status.FAILED, Status.MASKED)


def mine_all(index: Index, version: int = 1, *, together: int = 3) -> int:
    """Mine whatever is unmined, some sessions at a time; returns how many sessions there were."""
    many, findings = 0, []
    for history in index.findings.take_unmined(version):
        many += 1
        findings.append(mine(history, version))
        if len(findings) == together:
            index.findings.store_findings(findings, version)
            findings = []
    index.findings.store_findings(findings, version)
    return many


def mine(history: History, version: int = 1) -> SessionFindings:
    """Mine a session: failed calls are failures, later calls of the same tool attempts, and typed turns signals."""
    steps = history.steps
    pairs = [(one, two) for one, two in pairwise(steps) if one.tool == two.tool and two.status is not None]
    habits = Counter(change_between(one, two) for one, two in pairs if one.status is Status.OK)
    after = {
        tool: (
            sum(one.tool == tool and one.status is Status.OK for one, _ in pairs),
            sum(one.tool == tool and one.status in FAILED for one, _ in pairs),
        )
        for tool in {one.tool for one, _ in pairs}
    }
    return SessionFindings(
        session=history.session,
        failures=tuple(_failure(steps[place:], version) for place, step in enumerate(steps) if step.status in FAILED),
        attempts=tuple(
            FixAttempt(
                failure=one.call,
                later=two.call,
                signature=signature_of(one, version),
                change=change_between(one, two),
                danger=list(Danger)[len(two.call) % len(Danger)],
                worked=two.status is Status.OK,
                at=two.at,
            )
            for one, two in pairs
            if one.status in FAILED
        ),
        habits=dict(habits),
        pairs=after,
        goals=_goals(history),
        signals=tuple(each for turn in history.turns if turn.action is UserAction.SAID for each in _signals(turn)),
    )


def signature_of(step: Step, version: int = 1) -> Signature:
    """Return the signature of a step: its output, by its tool."""
    return Signature(key="test.failed", who=step.tool, says=step.text or "", version=version)


def change_between(one: Step, two: Step) -> CallChange:
    """Return the change between two steps: all of the first call replaced by all of the second."""
    return CallChange(tool=one.tool, removed=(one.arguments or "",), added=(two.arguments or "",))


def _failure(steps: Sequence[Step], version: int) -> Failure:
    step = steps[0]
    ok = next((later for later in steps if later.tool == step.tool and later.status is Status.OK), None)
    attempts = steps if ok is None else steps[: steps.index(ok) + 1]
    return Failure(
        call=step.call,
        tool=step.tool,
        signature=signature_of(step, version),
        command=step.tool.lower(),
        place="",
        at=step.at,
        masked=step.status is Status.MASKED,
        transient=step.text is None,
        ended_by=None if ok is None else ok.call,
        attempts=tuple(each.call for each in attempts),
        trajectory="".join("1" if each.status is Status.OK else "0" for each in attempts),
        lost_ms=1000 * len(attempts),
        lost_tokens=len(attempts),
    )


def _goals(history: History) -> tuple[Goal, ...]:
    messages = [turn for turn in history.turns if turn.action is UserAction.SAID]
    goals = []
    for place, turn in enumerate(messages):
        following = messages[place + 1] if place + 1 < len(messages) else None
        steps = history.steps[turn.before : None if following is None else following.before]
        failed = sum(step.status in FAILED for step in steps)
        ending = Ending.EMPTY if not steps else Ending.FAILING if failed else Ending.DONE
        goals.append(
            Goal(
                request=turn.id,
                at=turn.at,
                ended=steps[-1].at if steps else turn.at,
                calls=tuple(step.call for step in steps),
                failed=failed,
                ending=ending,
                said_next=None if following is None else following.id,
            )
        )
    return tuple(goals)


def _signals(turn: Turn) -> tuple[RecordedSignal, ...]:
    """Return praise, or a correction with a lesson if the assistant conceded; and a request if something was called."""
    text = turn.text or ""
    lesson = Lesson(text=text, forbids=turn.before > 1, durable=0.3, is_durable=False, about=LessonTopic.FACT)
    if turn.conceded:
        kind, polarity, learnt = SignalKind.CORRECTION, Polarity.AGAINST, lesson
    else:
        kind, polarity, learnt = SignalKind.PRAISE, Polarity.FOR, None
    signal = Signal(kind=kind, probability=1 / 3, start=0, end=len(text), polarity=polarity, lesson=learnt)
    wish = Signal(kind=SignalKind.REQUEST, probability=0.5, start=0, end=1, polarity=Polarity.NEITHER)
    return tuple(
        RecordedSignal(message=turn.id, at=turn.at, signal=each) for each in (signal, wish)[: 1 + bool(turn.before)]
    )
