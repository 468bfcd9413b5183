"""Estimates what each line of an instruction file does, from the sessions that read the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.blame.effects import SessionCalls, measure_effects, session_calls
from wisen.blame.line_history import trace_lines
from wisen.model.fix import Evidence
from wisen.model.instruction import Blame, InstructionSummary, Strength
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.model.failure import Failure
    from wisen.model.history import History
    from wisen.model.instruction import Effect, InstructionFile
    from wisen.store.index import Index

_SIGNIFICANT = (Strength.BEGAN, Strength.HELPED)


def blame_files(
    files: Iterable[InstructionFile], index: Index, since: datetime, failures_of: Callable[[History], Sequence[Failure]]
) -> Iterator[Blame]:
    """Blame each file by the sessions since a moment; files of the same directory share their sessions."""
    sessions_by_root: dict[str, list[SessionCalls]] = {}
    for file in files:
        if file.root not in sessions_by_root:
            selection = Selection(places=(file.root,) if file.root else (), since=since)
            histories = index.events.histories(selection)
            calls = (session_calls(history, failures_of(history)) for history in histories)
            sessions_by_root[file.root] = [each for each in calls if each is not None]
        yield blame_file(file, sessions_by_root[file.root])


def blame_file(file: InstructionFile, sessions: Sequence[SessionCalls]) -> Blame:
    """Estimate the effect of each line of a file; of removed lines only those with a significant effect."""
    measured = measure_effects(trace_lines(file.versions), sessions)
    return Blame(
        file=file,
        effects=tuple(effect for effect in measured if effect.line.gone is None),
        gone=tuple(effect for effect in measured if effect.line.gone is not None and effect.strength in _SIGNIFICANT),
        sessions=len(sessions),
    )


def summarize_blame(blame: Blame) -> InstructionSummary:
    """Summarize the blame of a file for the report."""
    speaking: dict[object, Effect] = {}
    for effect in (*blame.effects, *blame.gone):
        if effect.strength in _SIGNIFICANT:
            speaking.setdefault((effect.line.born, effect.signature, effect.strength), effect)
    unused = [effect for effect in blame.effects if effect.strength is Strength.NEVER and effect.line.rule]
    return InstructionSummary(
        path=blame.file.path,
        tokens=blame.tokens,
        sessions=blame.sessions,
        speaking=tuple(sorted(speaking.values(), key=lambda effect: effect.chance or 0.0)),
        unused_lines=len(unused),
        unused_tokens=sum(effect.line.tokens for effect in unused),
        unused=tuple(effect.line.number for effect in unused),
    )


def evidence_of(calls: Sequence[str], histories: Iterable[History]) -> tuple[Evidence, ...]:
    """Return the failing calls that are the evidence for an effect, newest first."""
    wanted = frozenset(calls)
    evidence = [
        Evidence(
            agent=history.agent,
            session=history.native,
            at=step.at,
            before=step.arguments or "",
            after="",
            said=step.text or "",
            trajectory="0",
            worked=False,
        )
        for history in histories
        for step in history.steps
        if step.call in wanted
    ]
    return tuple(sorted(evidence, key=lambda each: each.at, reverse=True))
