"""Summarizes what was found about an instruction file, and looks up the calls that are the evidence for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.fix import Evidence
from wisen.model.instruction import SIGNIFICANT, InstructionSummary, Strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.history import History
    from wisen.model.instruction import Blame, Effect


def summarize_blame(blame: Blame) -> InstructionSummary:
    """Summarize the blame of a file for the report."""
    speaking: dict[object, Effect] = {}
    for effect in (*blame.effects, *blame.gone):
        if effect.strength in SIGNIFICANT:
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
