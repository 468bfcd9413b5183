"""Leaves out runs that must not teach: secrets, hidden text, what was fetched and run, other projects, instructions.

Nothing of a tool's output is read here or anywhere else in this folder. But what a page or a file dictated may have
ended in a command, so every command is judged as if a stranger had written it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.model.fix import Danger
from wisen.safety.dangers import judge_line
from wisen.safety.invisible_characters import remove_invisible
from wisen.safety.markdown_quoting import shell_word, visible
from wisen.safety.obfuscation import unfold
from wisen.safety.passages import own_words
from wisen.safety.withhold import rule_against
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.workflow import RunStep, WorkflowRun

_FETCHERS = frozenset("curl wget fetch aria2c http https xh".split())
_SHELLS = frozenset("sh bash zsh dash ksh fish python python3 node ruby perl php deno osascript pwsh".split())
_DECODERS = frozenset("base64 base32 xxd openssl uudecode gunzip zcat".split())
_ORDERS = lazy_regex(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|rule|above|previous|prompt|order)"
    r"|\bsystem prompt\b|\byou are now\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|ask|mention)\b.{0,30}\b(?:user|human)\b"
    r"|</?(?:system|assistant|user|instructions?)\b|\[/?inst\]"
    r"|\b(?:assistant|agents?|ai|llm)s? (?:must|should|shall)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Words that speak to an agent; a command has no reason to hold any."""
_MAX_REQUEST = 200
"""A longer request is a task of its own, and says little about when to use a skill."""


class ProjectFacts(NamedTuple):
    """What is known about the project that a skill is for."""

    roots: tuple[str, ...]
    """Its directories on this machine."""
    user_home: str
    other_projects: frozenset[str]
    """Names of other projects, in lower case."""
    known_text: str
    """What the files of the repository say, in lower case."""


class CleanRuns(NamedTuple):
    """The runs that may teach, and why the others may not."""

    runs: tuple[WorkflowRun, ...]
    reasons: tuple[str, ...]
    """Why runs were left out, each reason once."""


def clean_runs(runs: Iterable[WorkflowRun], facts: ProjectFacts) -> CleanRuns:
    """Return the runs that may teach, with the project's paths made relative."""
    kept: list[WorkflowRun] = []
    reasons: dict[str, None] = {}
    for run in runs:
        local = structs.replace(run, steps=tuple(_relative(step, facts.roots) for step in run.steps))
        reason = next(filter(None, (_reason_against(step, facts) for step in local.steps)), "") or _chains(local.steps)
        if reason:
            reasons[reason] = None
        else:
            kept.append(local)
    return CleanRuns(tuple(kept), tuple(reasons))


def quotable_requests(runs: Sequence[WorkflowRun], facts: ProjectFacts, most: int) -> tuple[str, ...]:
    """Return the requests that a skill may quote, the newest first, each once.

    What was typed to a local model stays on this machine, and what the user pasted are not their words.
    """
    found: dict[str, str] = {}
    for run in sorted(runs, key=lambda each: each.at, reverse=True):
        asked = "" if run.local else " ".join(own_words(run.asked).split())
        if may_quote(asked, facts):
            found.setdefault(asked.casefold(), asked)
    return tuple(found.values())[:most]


def may_quote(text: str, facts: ProjectFacts) -> bool:
    """Whether a text on one line is short and harmless enough to stand in a skill."""
    return 0 < len(text) <= _MAX_REQUEST and visible(text) == text and not _reason_against_text(text, facts)


def _relative(step: RunStep, roots: Sequence[str]) -> RunStep:
    """Return a step with paths of the project relative to its root: they are private, and others lie elsewhere."""
    words = step.words
    for root in sorted(roots, key=len, reverse=True):
        words = tuple(
            "." if word == root else re.sub(rf"(?<![\w/.-]){re.escape(root)}/", "", word) if root in word else word
            for word in words
        )
    return step if words == step.words else structs.replace(step, words=words)


def _reason_against(step: RunStep, facts: ProjectFacts) -> str:
    """Return why a step must not teach; empty if it may."""
    line = " ".join((step.key, *step.words))
    if remove_invisible(line) != line or any(ord(letter) < 32 and letter not in "\t\n" for letter in line):
        return "a command holds characters that nobody sees"
    shown = " ".join(map(shell_word, step.words))
    if judge_line(shown) is Danger.SHELL or judge_line(" ".join(step.words)) is Danger.SHELL:
        return "a command runs what it fetched"
    return _reason_against_text(line, facts)


def _reason_against_text(text: str, facts: ProjectFacts) -> str:
    read = unfold(text)
    rule = rule_against(text) or rule_against(read)
    if rule is not None:
        return f"a command or request holds what may not be stored ({rule})"
    if _ORDERS.search(read):
        return "a command or request holds instructions to an agent"
    if facts.user_home and facts.user_home.rstrip("/") in read:
        return "a command or request names a private place in your home"
    words = read.casefold()
    other = next((name for name in sorted(facts.other_projects) if name in words and _is_word(name, words)), "")
    return f"a command or request names another project ({other})" if other else ""


def _is_word(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _chains(steps: Sequence[RunStep]) -> str:
    """Return whether one call fetched or decoded something and ran it: a pipe is several steps of one call."""
    for first, second in pairwise(steps):
        fed = _program(first) in _FETCHERS | _DECODERS and _program(second) in _SHELLS
        takes_input = not [word for word in second.words[1:] if word not in ("-", "-s", "/dev/stdin", "--")]
        if fed and (takes_input or "-s" in second.words[1:2]) and first.call == second.call:
            return "a command runs what it fetched"
    return ""


def _program(step: RunStep) -> str:
    return step.words[0].rsplit("/", 1)[-1] if step.words else step.key.split(" ")[0]
