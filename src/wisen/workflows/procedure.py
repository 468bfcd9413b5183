"""Builds a procedure from the runs of a workflow: the commands they share, with parameters for what varies."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import ParameterKind, Procedure, ProcedureStep, StepKind
from wisen.text.lazy_regex import lazy_regex
from wisen.workflows.checks import is_check
from wisen.workflows.parameters import find_commands
from wisen.workflows.run_alignment import align_steps, align_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.workflow import Pitfall, RunStep, TemplateWord, Workflow, WorkflowRun
    from wisen.workflows.run_alignment import Column

_REQUESTS = 5
"""How many wordings of the request are kept."""
_MAX_WORDS, _MAX_WORD = 40, 200
"""A longer command or word is a text of one occasion, not a command to repeat."""
_MAX_PARAMETERS = 4
"""With more of them, the commands of a step have too little in common."""
_SCRIPT_OPTIONS = frozenset({"-c", "-e", "-lc", "--eval", "--command"})
"""Options with a program as their value; one that varies is no parameter that anybody could fill in."""
_HOLDER = lazy_regex(r"\{\{|\}\}|\{(\w+)\}")


def build_procedure(workflow: Workflow, runs: Sequence[WorkflowRun], pitfalls: Iterable[Pitfall] = ()) -> Procedure:
    """Build the procedure of a workflow from its runs; those that failed count only if there are no others."""
    ordered = sorted(runs, key=lambda run: (run.at, run.request))
    usable = [run for run in ordered if run.outcome is not WorkOutcome.FAILED] or ordered
    aligned = align_steps(workflow, usable)
    columns = [_columns(step.kind, own) for step, own in zip(workflow.steps, aligned, strict=True)]
    found = find_commands(columns, usable)
    kinds = {each.name: each.kind for each in found.parameters}
    kept = [
        own if _can_be_repeated(template, kinds) else [] for own, template in zip(columns, found.templates, strict=True)
    ]
    found = find_commands(kept, usable)  # again, so that parameters of dropped commands take no names
    steps = tuple(
        ProcedureStep(
            step=step,
            command=command,
            is_check=is_check(step, command, runs),
            runs=tuple(run.request for run in usable if run.request in own),
        )
        for step, command, own in zip(workflow.steps, found.templates, aligned, strict=True)
    )
    return Procedure(
        workflow=workflow,
        steps=steps,
        parameters=found.parameters,
        pitfalls=tuple(pitfalls),
        requests=_requests(ordered),
    )


def fill(command: Sequence[TemplateWord], values: Mapping[str, str], *, optional: bool = True) -> tuple[str, ...]:
    """Return the words of a command with values for its parameters; those without one stay as they are.

    `optional`: with the words that some runs leave out.
    """
    return tuple(
        _HOLDER.sub(lambda match: _value_of(match, values), word.text) if word.has_parameter else word.text
        for word in command
        if optional or not word.optional
    )


def parameter_names(word: TemplateWord) -> tuple[str, ...]:
    """Return the names of the parameters in a word of a command."""
    return tuple(match[1] for match in _HOLDER.finditer(word.text) if match[1]) if word.has_parameter else ()


def values_in(command: Sequence[TemplateWord], words: Sequence[str]) -> dict[str, str] | None:
    """Return the values with which a command is these words; None if it never is."""
    for kept in (command, [word for word in command if not word.optional]):
        values = _match_words(kept, words)
        if values is not None:
            return values
    return None


def _match_words(command: Sequence[TemplateWord], words: Sequence[str]) -> dict[str, str] | None:
    if len(command) != len(words):
        return None
    values: dict[str, str] = {}
    for each, word in zip(command, words, strict=True):
        if not each.has_parameter:
            if each.text != word:
                return None
            continue
        match = re.fullmatch(_pattern(each.text), word, re.DOTALL)
        if match is None or any(values.setdefault(name, value) != value for name, value in match.groupdict().items()):
            return None
    return values


def _pattern(text: str) -> str:
    """Return a word with parameters as a regular expression with named groups."""
    parts, last, named = [], 0, set[str]()
    for match in _HOLDER.finditer(text):
        parts.append(re.escape(text[last : match.start()]))
        last, name = match.end(), match[1]
        if not name:
            parts.append(re.escape(match[0][0]))
        else:
            parts.append(f"(?P={name})" if name in named else f"(?P<{name}>.+?)")
            named.add(name)
    return "".join((*parts, re.escape(text[last:])))


def _value_of(match: re.Match[str], values: Mapping[str, str]) -> str:
    return match[0][0] if match[1] is None else values.get(match[1], match[0])


def _columns(kind: StepKind, taken: Mapping[str, RunStep]) -> list[Column]:
    """Return the aligned words of a step; none where it is no command, or a text of one occasion."""
    if kind not in (StepKind.COMMAND, StepKind.TOOL):
        return []
    commands = {request: step.words for request, step in taken.items() if step.words and not _is_text(step.words)}
    return align_words(commands) if 2 * len(commands) >= len(taken) else []


def _is_text(words: Sequence[str]) -> bool:
    """Whether the words are data: a script, a here-document, a message of many lines."""
    return len(words) > _MAX_WORDS or any(
        len(word) > _MAX_WORD or "\n" in word or word.startswith("<<") for word in words
    )


def _can_be_repeated(template: Sequence[TemplateWord], kinds: Mapping[str, ParameterKind]) -> bool:
    names = {name for word in template for name in parameter_names(word)}
    is_script = any(
        before.text in _SCRIPT_OPTIONS and any(kinds[name] is ParameterKind.TEXT for name in parameter_names(word))
        for before, word in itertools.pairwise(template)
    )
    varying = sum(word.has_parameter for word in template)
    says_little = varying > 1 and 2 * varying >= len(template)
    is_usable = bool(template) and not template[0].has_parameter and len(names) <= _MAX_PARAMETERS
    return is_usable and not is_script and not says_little


def _requests(runs: Sequence[WorkflowRun]) -> tuple[str, ...]:
    newest = {" ".join(run.asked.casefold().split()): run.asked for run in runs if run.asked}
    asked = [run.asked for run in reversed(runs) if newest.get(" ".join(run.asked.casefold().split())) is run.asked]
    return tuple(dict.fromkeys(asked))[:_REQUESTS]
