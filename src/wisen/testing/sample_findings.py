"""Sample sessions to be mined, and sample findings in them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.event import Status
from wisen.model.failure import CallChange, Ending, Failure, FixAttempt, Goal, Signature
from wisen.model.fix import Danger
from wisen.model.signal import Lesson, Polarity, RecordedSignal, Signal, SignalKind
from wisen.testing.log_writer import NOON, Log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.index import Index

SIGNATURE = Signature(key="command.not-found", who="bash", says="no such command", version=1)
CHANGE = CallChange(tool="Bash", removed=("py",), added=("python3",), first=())


def a_failure(call: str, minutes: float = 0, signature: Signature = SIGNATURE) -> Failure:
    """Return a sample failed call."""
    return Failure(
        call=call,
        tool="Bash",
        signature=signature,
        command="py",
        place="",
        at=NOON + timedelta(minutes=minutes),
        ended_by=None,
        attempts=(call,),
        lost_ms=100,
        lost_tokens=10,
    )


def an_attempt(failed: str, later: str, minutes: float = 0, *, worked: bool = True) -> FixAttempt:
    """Return a sample attempt: the same change after the same failure."""
    return FixAttempt(
        failure=failed,
        later=later,
        signature=SIGNATURE,
        change=CHANGE,
        danger=Danger.NONE,
        worked=worked,
        at=NOON + timedelta(minutes=minutes),
    )


def a_goal(request: str) -> Goal:
    """Return a sample goal without calls."""
    return Goal(request=request, at=NOON, ended=NOON, calls=(), failed=0, ending=Ending.EMPTY)


def a_signal(
    message: str, minutes: float = 0, *, kind: SignalKind = SignalKind.CORRECTION, lesson: Lesson | None = None
) -> RecordedSignal:
    """Return a sample signal."""
    signal = Signal(kind=kind, probability=0.7, start=3, end=9, polarity=Polarity.AGAINST, lesson=lesson)
    return RecordedSignal(message=message, at=NOON + timedelta(minutes=minutes), signal=signal)


def store_calls(index: Index, native: str, many: int = 4, *, path: str = "", agent: str = "claude-code") -> int:
    """Store a session of calls `<native>0`, `<native>1` and so on, a minute apart; returns its number."""
    log = Log(path or f"/logs/{native}.jsonl", native, agent=agent)
    for each in range(many):
        log.call(f"{native}{each}", each, arguments=f'{{"command":"{native}{each}"}}')
        log.end(f"{native}{each}", Status.FAILED, each, f"{native}{each} says no")
    index.events.store([log.batch()])
    (history,) = (each for each in index.findings.take_unmined(1) if each.steps and each.steps[0].call == f"{native}0")
    return history.session


def store_three_sessions(index: Index) -> None:
    """Store three sessions with a request, a failure and its fix each, ten minutes apart."""
    sessions: Iterable[tuple[str, str, str]] = (
        ("a", "/p/a.jsonl", "claude-code"),
        ("b", "/p/b.jsonl", "claude-code"),
        ("c", "/q/c.jsonl", "codex"),
    )
    for place, (native, path, agent) in enumerate(sessions):
        log = Log(path, native, agent=agent, context=native)
        log.typed(f"{native}m", 10 * place)
        log.call(f"{native}1", 10 * place + 1)
        log.end(f"{native}1", Status.FAILED, 10 * place + 2, "no")
        log.call(f"{native}2", 10 * place + 3)
        log.end(f"{native}2", Status.OK, 10 * place + 4)
        log.call(f"{native}3", 10 * place + 5)
        log.reject(f"{native}3", 10 * place + 5)
        log.interrupt(f"{native}i", f"{native}3", 10 * place + 5)
        index.events.store([log.batch()])
