"""Derives a guard pattern from a fix: the changed words of a command, and the subcommand that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.matching import WatchedCall
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.failure import CallChange
    from wisen.model.fix import Evidence, Fix

_MOST = 3
"""How many words say of what a change is part: `gh pr diff`."""
_LONGEST = 40
_NOT_PLAIN = frozenset("*?|…\"'\\$`<>(){};&=\0#~ \t\n")


class GuardPattern(NamedTuple):
    """What could be watched for, and what is better."""

    watch: str
    better: str


def patterns_of_fix(fix: Fix, evidence: Iterable[Evidence]) -> list[GuardPattern]:
    """What to watch for so that a fix is not needed, where words of a command were taken away or replaced.

    What stands behind a program that falls away tells what for: `rtk bun` fails, `rtk git` does not.
    """
    change = fix.change
    if change.first or not change.removed or not all(map(_is_plain, (*change.removed, *change.added))):
        return []
    if sorted(change.removed) == sorted(change.added):
        return []
    splits = (_split(each.before, change) for each in evidence if each.worked)
    examples = [each for each in splits if each is not None]
    if not examples:
        return []
    found: list[GuardPattern | None] = []
    if all(not before for before, _ in examples):
        if change.added:
            found.append(_pattern((), change, ()))
        nexts = dict.fromkeys(after[0] for _, after in examples if after and _is_word(after[0]))
        found += [_pattern((), change, (each,)) for each in nexts]
    elif all(before for before, _ in examples):
        found.append(_pattern(_common([before for before, _ in examples]), change, ()))
    return list(dict.fromkeys(each for each in found if each is not None))


def _split(arguments: str, change: CallChange) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The words before and behind those that were taken away, in the command that holds them; options left out."""
    removed = list(change.removed)
    for run in WatchedCall(change.tool, fields_of(arguments)).runs:
        for view in reversed(run.views):  # what wraps a command is no part of it: `timeout 60 rtk bun`
            words = [word.text for word in view]
            for at in range(len(words) - len(removed) + 1):
                if words[at : at + len(removed)] == removed:
                    before = tuple(word for word in words[:at] if word[:1] != "-")
                    behind = tuple(word for word in words[at + len(removed) :] if word[:1] != "-")
                    return before, behind
    return None


def _pattern(before: Sequence[str], change: CallChange, behind: Sequence[str]) -> GuardPattern | None:
    if change.removed[0][:1] == "-" and not before:
        return None
    watch = (*before, *change.removed, *behind)
    better = (*before, *change.added, *behind)
    return GuardPattern(f"shell: {' '.join(watch)}", " ".join(better)) if better and len(watch) > len(behind) else None


def _common(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The words with which all begin."""
    found: list[str] = []
    for words in zip(*rows, strict=False):
        if len(set(words)) > 1 or len(found) == _MOST or not _is_word(words[0]):
            break
        found.append(words[0])
    return tuple(found)


def _is_word(word: str) -> bool:
    return _is_plain(word) and word[:1].isalpha() and "/" not in word


def _is_plain(word: str) -> bool:
    return 0 < len(word) <= _LONGEST and not _NOT_PLAIN.intersection(word)
