"""From an instruction file and the sessions it spoke to, to what each of its lines seems to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.blame.effects import SeenSession, effects, seen
from wisen.blame.line_history import lines_of
from wisen.model.fix import Evidence
from wisen.model.instruction import Blame, Judged, Strength
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.model.failure import Failure
    from wisen.model.history import History
    from wisen.model.instruction import Effect, InstructionFile
    from wisen.store.index import Index

_SAYS = (Strength.BEGAN, Strength.HELPED)


def blames(
    files: Iterable[InstructionFile], index: Index, since: datetime, failures_of: Callable[[History], Sequence[Failure]]
) -> Iterator[Blame]:
    """What the sessions since a moment tell about each file; files that speak to the same sessions share them."""
    courses: dict[str, list[SeenSession]] = {}
    for file in files:
        if file.root not in courses:
            selection = Selection(places=(file.root,) if file.root else (), since=since)
            histories = index.events.histories(selection)
            found = (seen(history, failures_of(history)) for history in histories)
            courses[file.root] = [each for each in found if each is not None]
        yield blame(file, courses[file.root])


def blame(file: InstructionFile, course: Sequence[SeenSession]) -> Blame:
    """What sessions tell about each line of a file; of lines that are gone only those that left a trace."""
    told = effects(lines_of(file.versions), course)
    return Blame(
        file=file,
        effects=tuple(effect for effect in told if effect.line.gone is None),
        gone=tuple(effect for effect in told if effect.line.gone is not None and effect.strength in _SAYS),
        sessions=len(course),
    )


def summary(blamed: Blame) -> Judged:
    """The few words about a file that belong into a report."""
    speaking: dict[object, Effect] = {}
    for effect in (*blamed.effects, *blamed.gone):
        if effect.strength in _SAYS:
            speaking.setdefault((effect.line.born, effect.signature, effect.strength), effect)
    unused = [effect for effect in blamed.effects if effect.strength is Strength.NEVER and effect.line.rule]
    return Judged(
        path=blamed.file.path,
        tokens=blamed.tokens,
        sessions=blamed.sessions,
        speaking=tuple(sorted(speaking.values(), key=lambda effect: effect.chance or 0.0)),
        unused_lines=len(unused),
        unused_tokens=sum(effect.line.tokens for effect in unused),
        unused=tuple(effect.line.number for effect in unused),
    )


def evidence_of(calls: Sequence[str], histories: Iterable[History]) -> tuple[Evidence, ...]:
    """The failing calls that stand behind what is said of a line, newest first."""
    wanted = frozenset(calls)
    found = [
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
    return tuple(sorted(found, key=lambda each: each.at, reverse=True))
