"""Aligns runs of a workflow: which step of each run is which step of the workflow, and which words correspond."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from wisen.workflows.value_forms import word_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.model.workflow import RunStep, Workflow, WorkflowRun

Column = dict[str, str]
"""The word that stands in one place of a command, by run."""
_SAME, _SAME_SHAPE, _SIMILAR, _GAP = 4.0, 2.5, 1.0, -0.5
"""What it is worth to put two words into one place, or to leave one without a partner."""


def align_steps(workflow: Workflow, runs: Sequence[WorkflowRun]) -> list[dict[str, RunStep]]:
    """Return for each step of the workflow the step that each run took for it, by the id of its request.

    Order does not matter: runs may take the steps in another one. Where a workflow has the same step twice, words
    decide which is which. Steps that failed show no command worth repeating.
    """
    wanted = Counter(each.key for each in workflow.steps)
    taken = {run.request: _by_key(run, wanted) for run in runs}
    nth: Counter[str] = Counter()
    aligned: list[dict[str, RunStep]] = []
    models = {key: _model_words(key, count, taken) for key, count in wanted.items()}
    for step in workflow.steps:
        place = nth[step.key]
        nth[step.key] += 1
        found = {}
        for request, by_key in taken.items():
            chosen = _assign(by_key.get(step.key, ()), models[step.key]).get(place)
            if chosen is not None:
                found[request] = chosen
        aligned.append(found)
    return aligned


def _by_key(run: WorkflowRun, wanted: Mapping[str, int]) -> dict[str, list[RunStep]]:
    taken: dict[str, list[RunStep]] = {}
    for each in run.steps:
        if each.key in wanted and not each.failed:
            taken.setdefault(each.key, []).append(each)
    return {key: _shorten(steps, wanted[key]) for key, steps in taken.items()}


def _shorten(steps: list[RunStep], count: int) -> list[RunStep]:
    """Where a step was taken more often than the workflow has it, the last times count."""
    return steps[-count:] if count == 1 else steps


def _model_words(key: str, count: int, taken: Mapping[str, Mapping[str, Sequence[RunStep]]]) -> list[tuple[str, ...]]:
    """Return the words of each place of a key, from the first run that took the step as often as the workflow."""
    occurrences = [by_key.get(key, ()) for by_key in taken.values()]
    best = min(occurrences, key=lambda steps: abs(len(steps) - count), default=())
    return [each.words for each in best[:count]]


def _assign(steps: Sequence[RunStep], models: Sequence[tuple[str, ...]]) -> dict[int, RunStep]:
    """Assign the steps of one run to places, the most similar first."""
    pairs = sorted(
        (
            (-_similarity(step.words, words), place, at)
            for place, words in enumerate(models)
            for at, step in enumerate(steps)
        ),
    )
    assigned: dict[int, RunStep] = {}
    used: set[int] = set()
    for _, place, at in pairs:
        if place not in assigned and at not in used:
            assigned[place] = steps[at]
            used.add(at)
    return assigned


def _similarity(one: Sequence[str], two: Sequence[str]) -> float:
    same_words = SequenceMatcher(None, one, two, autojunk=False).ratio()
    return same_words + SequenceMatcher(None, _shapes(one), _shapes(two), autojunk=False).ratio() / 2


def _shapes(words: Sequence[str]) -> list[str]:
    return [shape for word in words for shape in (*word_form(word).shape, " ")]


def align_words(commands: Mapping[str, tuple[str, ...]]) -> list[Column]:
    """Put the words of the commands of several runs into columns, so that what corresponds is in one column."""
    order = _most_typical_first(commands)
    columns: list[Column] = []
    for request in order:
        columns = _merge(columns, request, commands[request])
    return columns


def _most_typical_first(commands: Mapping[str, tuple[str, ...]]) -> list[str]:
    lengths = Counter(len(words) for words in commands.values())
    return sorted(commands, key=lambda request: -lengths[len(commands[request])])


def _merge(columns: list[Column], request: str, words: tuple[str, ...]) -> list[Column]:
    """Add a command to the columns (Needleman-Wunsch)."""
    if not columns:
        return [{request: word} for word in words]
    best = _best_scores(columns, words)
    merged: list[Column] = []
    row, at = len(columns), len(words)
    while row or at:
        if row and at:
            worth = _worth(columns[row - 1], words[at - 1])
            if worth is not None and best[row][at] == best[row - 1][at - 1] + worth:
                row, at = row - 1, at - 1
                merged.append({**columns[row], request: words[at]})
                continue
        if row and (not at or best[row][at] == best[row - 1][at] + _GAP):
            row -= 1
            merged.append(columns[row])
        else:
            at -= 1
            merged.append({request: words[at]})
    return merged[::-1]


def _best_scores(columns: Sequence[Column], words: Sequence[str]) -> list[list[float]]:
    best = [[_GAP * at for at in range(len(words) + 1)]]
    for row, column in enumerate(columns, 1):
        line = [_GAP * row]
        for at, word in enumerate(words, 1):
            worth = _worth(column, word)
            options = [best[row - 1][at] + _GAP, line[at - 1] + _GAP]
            line.append(max(options if worth is None else [*options, best[row - 1][at - 1] + worth]))
        best.append(line)
    return best


def _worth(column: Column, word: str) -> float | None:
    """Return what it is worth to put a word into a column; None if it cannot belong there: options never vary."""
    others = set(column.values())
    if word in others:
        return _SAME
    if any(_option(word) != _option(other) for other in others):
        return None
    shape = word_form(word).shape
    return _SAME_SHAPE if any(word_form(other).shape == shape for other in others) else _SIMILAR


def _option(word: str) -> str:
    """Return the name of an option, or of an argument of a tool; empty for any other word."""
    name, sign, _ = word.partition("=")
    if sign and name.isidentifier():
        return name
    return name if word.startswith("-") and word != "-" else ""
