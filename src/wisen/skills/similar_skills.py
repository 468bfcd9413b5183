"""Finds an existing skill for the same work, so that it is updated instead of having another one beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.agents.skill_file import SkillFile
    from wisen.skills.found_skills import FoundSkill

_WORD = lazy_regex(r"[^\W\d_]{2,}")
_COMMAND = lazy_regex(r"^[ \t]*(?:\$ )?([a-z][\w.-]*(?: [a-z][\w:-]*)?)")
_BLOCK = lazy_regex(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_COMMON = frozenset(
    "the and for this that with when use used user asks ask something like steps step task project in or it to of an"
    " is are be by on as at from do does how skill agent your you".split()
)
"""Words that are in every description."""
_NAME, _COMMANDS = 0.5, 0.5
"""How much the words of name and description count, and how much the commands."""


def similar_skill(
    wanted: SkillFile, workflow: str, found: Iterable[FoundSkill], limit: float, known: Collection[str] = ()
) -> FoundSkill | None:
    """Return the skill that was made from this workflow, else the most similar one from a similarity on.

    `known`: the ids of workflows that exist; a skill of another one of them is for other work, however similar.
    """
    candidates = tuple(found)
    own = next((each for each in candidates if each.workflow == workflow), None)
    if own is not None:
        return own
    others = [each for each in candidates if each.workflow not in known]
    best = max(others, key=lambda each: similarity(wanted, each.skill), default=None)
    return best if best is not None and similarity(wanted, best.skill) >= limit else None


def similarity(one: SkillFile, two: SkillFile) -> float:
    """Return how similar two skills are, from 0 to 1: by name, words and commands."""
    if one.name == two.name:
        return 1.0
    words = [_words(f"{each.name} {each.description}") for each in (one, two)]
    commands = [_commands(each.body) for each in (one, two)]
    return _NAME * _share(*words) + _COMMANDS * _share(*commands)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold().replace("-", " "))) - _COMMON


def _commands(body: str) -> frozenset[str]:
    """Return the programs with their subcommands in the code blocks of a skill."""
    lines = (line for block in _BLOCK.finditer(body) for line in block[2].splitlines())
    return frozenset(match[1] for line in lines if (match := _COMMAND.match(line)))


def _share(one: frozenset[str], two: frozenset[str]) -> float:
    """Return which share of the smaller set is in the other one."""
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0
