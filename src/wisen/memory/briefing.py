"""Builds the briefing for a task: the rules, fixes, insights, workflows and skills relevant to a prompt, in a budget.

Rules, the user's instructions and known failures come first, facts last and only where they match well; each once, and
with its source. Remarks and other systems' notes are left to recall.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.memory import BRIEFING_TOKENS, Briefing, MemoryKind
from wisen.text.directives import directives_in
from wisen.text.lazy_regex import lazy_regex
from wisen.text.orders import is_order
from wisen.text.sameness import LessonIndex
from wisen.text.terms import term_of
from wisen.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.memory import Memory, RankedMemory

_WORD = lazy_regex(r"[^\W_]+(?:-[^\W_]+)*")
BRIEFING_KINDS = (
    MemoryKind.RULE,
    MemoryKind.FIX,
    MemoryKind.ENTRY,
    MemoryKind.NOTE,
    MemoryKind.WORKFLOW,
    MemoryKind.SKILL,
)
"""The kinds of memories in a briefing."""
RULE_KINDS = (MemoryKind.RULE, MemoryKind.FIX, MemoryKind.ENTRY)
"""Of these, rules, known failures and the user's instructions come before all else."""
MAX_WORKFLOWS = 3
"""How many workflows a briefing contains at most."""
MIN_RELATIVE_SCORE = 0.35
"""The share of the best score that a memory needs: anything lower is not about the task."""
MIN_SHARED_WORDS = 2
"""How many words of the task a fact or a workflow must share; all where the task has fewer."""


class Section(StrEnum):
    """The sections of a briefing, in order, with their headings."""

    RULES = "Rules"
    SAID = "Said before"
    FIXES = "Known failures"
    NOTES = "Notes"
    SKILLS = "Skills"
    WORKFLOWS = "Done before"
    FACTS = "Facts"


_SECTIONS = {
    MemoryKind.RULE: Section.RULES,
    MemoryKind.FIX: Section.FIXES,
    MemoryKind.NOTE: Section.NOTES,
    MemoryKind.WORKFLOW: Section.WORKFLOWS,
    MemoryKind.SKILL: Section.SKILLS,
}
_ORDER = tuple(Section)
_RULE_SECTIONS = (Section.RULES, Section.SAID, Section.FIXES)


class BriefingTask(NamedTuple):
    """The words of a task, and those that rules about its implied commands may use."""

    words: Sequence[str] = ()
    implied: Sequence[str] = ()


_ANY_TASK = BriefingTask()


def section_of(memory: Memory) -> Section:
    """Return the section that a memory belongs to: an entry is a fact unless it says what to do."""
    if memory.kind in _SECTIONS:
        return _SECTIONS[memory.kind]
    return Section.SAID if is_order(memory.text) or directives_in(memory.text) else Section.FACTS


def build_briefing(
    ranked: Sequence[RankedMemory],
    *,
    task: BriefingTask = _ANY_TASK,
    rules: Sequence[RankedMemory] | None = None,
    frequent: Sequence[Memory] = (),
    budget: int = BRIEFING_TOKENS,
    shown: frozenset[str] = frozenset(),
) -> Briefing:
    """Choose the best memories for a task within a token budget.

    `rules` were also searched by the words that the task implies; `frequent` are failures of most sessions. Ids in
    `shown` are left out.
    """
    candidates = [
        *_matching_memories(
            ranked if rules is None else rules, [*task.words, *task.implied], _RULE_SECTIONS, min_shared=1
        ),
        *frequent,
        *_matching_memories(
            ranked, task.words, [each for each in _ORDER if each not in _RULE_SECTIONS], min_shared=MIN_SHARED_WORDS
        ),
    ]
    chosen: list[Memory] = []
    lessons, counts, left_out = LessonIndex(), Counter[Section](), 0
    for memory in sorted(candidates, key=lambda each: _ORDER.index(section_of(each))):
        section = section_of(memory)
        if (
            memory.id in shown
            or lessons.find(memory.text) is not None
            or (section is Section.WORKFLOWS and counts[section] == MAX_WORKFLOWS)
        ):
            continue
        if estimate_tokens(_format_text([*chosen, memory])) > budget:
            left_out += 1
            continue
        chosen.append(memory)
        lessons.add(memory.id, memory.text)
        counts[section] += 1
    text = _format_text(chosen)
    return Briefing(tuple(chosen), text, estimate_tokens(text), left_out)


def _matching_memories(
    ranked: Sequence[RankedMemory], words: Sequence[str], sections: Sequence[Section], *, min_shared: int
) -> list[Memory]:
    """Return memories of some sections that score nearly as well as the best, and share enough words with the task."""
    candidates = [each for each in ranked if each.memory.kind in BRIEFING_KINDS and section_of(each.memory) in sections]
    min_score = MIN_RELATIVE_SCORE * max((each.score for each in candidates), default=0.0)
    terms = {term_of(part) for word in words for part in word.split()}
    return [
        each.memory
        for each in candidates
        if each.score >= min_score
        and (len(terms & _terms_of(each.memory)) >= min(min_shared, len(terms)) or not each.memory.text.isascii())
    ]


def _terms_of(memory: Memory) -> set[tuple[str, ...]]:
    return {term_of(match[0].casefold()) for match in _WORD.finditer(f"{memory.text} {memory.beside}")}


def _format_text(memories: Sequence[Memory]) -> str:
    lines: list[str] = []
    for section in _ORDER:
        here = [memory for memory in memories if section_of(memory) is section]
        if here:
            lines.append(f"{section.value}:")
            lines += [f"- {' '.join(memory.text.split())} ({memory.citation})" for memory in here]
    return "\n".join(lines)
