"""Derives a guard pattern from a fix: the changed words of a command, and the subcommand that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.matching import WatchedCall
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.failure import CallChange
    from wisen.model.fix import Evidence, Fix

_MAX_SUBCOMMAND_WORDS = 3
"""How many words may name the subcommand that a change belongs to: `gh pr diff`."""
_MAX_WORD_LENGTH = 40
_NOT_PLAIN = frozenset("*?|…\"'\\$`<>(){};&=\0#~ \t\n")


class GuardPattern(NamedTuple):
    """A call to watch for, and what to run instead."""

    watch: str
    better: str


def patterns_of_fix(fix: Fix, evidence: Iterable[Evidence]) -> list[GuardPattern]:
    """Return the patterns that make a fix unnecessary, if it removed or replaced words of a command.

    The word after a removed program limits the pattern: `rtk bun` fails, `rtk git` does not.
    """
    change = fix.change
    if change.first or not change.removed or not all(map(_is_plain, (*change.removed, *change.added))):
        return []
    if sorted(change.removed) == sorted(change.added):
        return []
    evidence = list(evidence)
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
    worked = [call for each in evidence if each.worked for call in _plain_words(each.after, change)]
    return list(dict.fromkeys(each for each in found if each is not None and _was_run(each.better, worked)))


def _plain_words(arguments: str, change: CallChange) -> list[list[str]]:
    """Return the words of each command of a call, without and with what wraps it."""
    runs = WatchedCall(change.tool, fields_of(arguments)).runs
    return [[word.text for word in view] for run in runs for view in run.views]


def _was_run(better: str, worked: Iterable[Sequence[str]]) -> bool:
    """Whether a call that worked has these words in this order in one command.

    The words that a fix added may be of another command of its line: what nobody ran is nothing to run instead.
    """
    wanted = better.split()
    for words in worked:
        rest = iter(words)
        if all(word in rest for word in wanted):
            return True
    return False


def _split(arguments: str, change: CallChange) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the words before and after the removed ones, in the command that has them; options are left out."""
    removed = list(change.removed)
    for run in WatchedCall(change.tool, fields_of(arguments)).runs:
        for view in reversed(run.views):  # skip wrappers: `timeout 60 rtk bun`
            words = [word.text for word in view]
            for at in range(len(words) - len(removed) + 1):
                if words[at : at + len(removed)] == removed:
                    before = tuple(word for word in words[:at] if word[:1] != "-")
                    after = tuple(word for word in words[at + len(removed) :] if word[:1] != "-")
                    return before, after
    return None


def _pattern(before: Sequence[str], change: CallChange, after: Sequence[str]) -> GuardPattern | None:
    if change.removed[0][:1] == "-" and not before:
        return None
    watch = (*before, *change.removed, *after)
    better = (*before, *change.added, *after)
    return GuardPattern(f"shell: {' '.join(watch)}", " ".join(better)) if better and len(watch) > len(after) else None


def _common(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the words that all rows start with."""
    found: list[str] = []
    for words in zip(*rows, strict=False):
        if len(set(words)) > 1 or len(found) == _MAX_SUBCOMMAND_WORDS or not _is_word(words[0]):
            break
        found.append(words[0])
    return tuple(found)


def _is_word(word: str) -> bool:
    return _is_plain(word) and word[:1].isalpha() and "/" not in word


def _is_plain(word: str) -> bool:
    return 0 < len(word) <= _MAX_WORD_LENGTH and not _NOT_PLAIN.intersection(word)
