"""What a task needs to know: the rules, fixes, insights, workflows and skills that matter to a prompt, within a budget.

Best first, nothing twice, each with where it comes from. What was only typed once, and what other systems noted down,
is not law for a task: it is left to recall.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wisen.domain.memories import BRIEFING, Briefing, MemoryKind
from wisen.domain.sameness import Lessons
from wisen.domain.tokens import tokens_at_most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.domain.memories import Memory, Ranked

KINDS = (
    MemoryKind.RULE,
    MemoryKind.FIX,
    MemoryKind.ENTRY,
    MemoryKind.NOTE,
    MemoryKind.WORKFLOW,
    MemoryKind.SKILL,
)
"""What a briefing is made of, in the order it is shown."""
WORKFLOWS = 3
"""No more of them than so many."""
RELEVANT = 0.35
"""Which share of the best one's score something needs: what is further off is not about the task."""
_WORDS = {
    MemoryKind.RULE: "Rules",
    MemoryKind.FIX: "Known failures",
    MemoryKind.ENTRY: "Noted before",
    MemoryKind.NOTE: "Notes",
    MemoryKind.WORKFLOW: "Done before",
    MemoryKind.SKILL: "Skills",
}


def brief(ranked: Sequence[Ranked], *, budget: int = BRIEFING, shown: frozenset[str] = frozenset()) -> Briefing:
    """The best of what was found within a budget of tokens; what was shown before is left out, by id."""
    least = RELEVANT * max((each.score for each in ranked), default=0.0)
    matters = [each.memory for each in ranked if each.memory.kind in KINDS and each.score >= least]
    taken: list[Memory] = []
    told, many, left_out = Lessons(), Counter[MemoryKind](), 0
    for memory in matters:
        if memory.id in shown or told.find(memory.text) is not None:
            continue
        if memory.kind is MemoryKind.WORKFLOW and many[memory.kind] == WORKFLOWS:
            continue
        if tokens_at_most(_text([*taken, memory])) > budget:
            left_out += 1
            continue
        taken.append(memory)
        told.add(memory.id, memory.text)
        many[memory.kind] += 1
    text = _text(taken)
    return Briefing(tuple(taken), text, tokens_at_most(text), left_out)


def _text(memories: Sequence[Memory]) -> str:
    lines: list[str] = []
    for kind in KINDS:
        of_kind = [memory for memory in memories if memory.kind is kind]
        if of_kind:
            lines.append(f"{_WORDS[kind]}:")
            lines += [f"- {' '.join(memory.text.split())} ({memory.cited})" for memory in of_kind]
    return "\n".join(lines)
