"""Finds the parameters of aligned commands: what varies from run to run, and which places hold the same value."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.workflow import Parameter, ParameterKind, TemplateWord, ValueSource
from wisen.workflows.value_forms import kind_of_values, word_form

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.model.workflow import WorkflowRun
    from wisen.workflows.run_alignment import Column

_USUAL = 0.5
"""In which share of the runs a word must be to belong to the command."""
_DOMINANT, _RUNS = 0.75, 4
"""In which share of at least this many runs one value makes the others exceptions."""
_TYPED = frozenset({"version", "revision"})
"""Shapes of values that are recognized anywhere; in a single run they are parameters if its request has them."""
_EXAMPLES = 3
_OPERANDS = {
    "checkout": "branch",
    "switch": "branch",
    "merge": "branch",
    "rebase": "branch",
    "branch": "branch",
    "push": "branch",
    "tag": "tag",
    "install": "package",
    "add": "item",
}
"""What the operand of a subcommand usually is."""
_NAMED_BY_KIND = {
    ParameterKind.VERSION: "version",
    ParameterKind.NUMBER: "number",
    ParameterKind.PATH: "path",
    ParameterKind.URL: "url",
    ParameterKind.REVISION: "revision",
    ParameterKind.TEXT: "text",
    ParameterKind.WORD: "name",
}
_OPTION_NAMES = {"m": "message", "b": "branch", "n": "name", "t": "tag", "f": "file", "o": "output", "e": "env"}

Place = tuple[int, int]
"""A column: the number of the step, and the number of the word."""


class _Variable(NamedTuple):
    """What varies in one column: the pieces of the word that hold the value, or the whole word."""

    place: Place
    pieces: tuple[int, ...]
    """Empty if the whole word varies, apart from what it begins with."""
    before: str
    """What every word begins with, if the whole word varies."""
    values: Mapping[str, str]


class Commands(NamedTuple):
    """The commands of the steps with the parameters that they share."""

    templates: list[tuple[TemplateWord, ...]]
    parameters: tuple[Parameter, ...]
    values: Mapping[str, Mapping[str, str]]
    """The values of each parameter, by its name and run."""


def find_commands(aligned: Sequence[Sequence[Column]], runs: Sequence[WorkflowRun]) -> Commands:
    """Turn aligned words into commands with parameters. The runs are the oldest first."""
    usual = [_usual_columns(columns) for columns in aligned]
    variables = [
        found
        for step, columns in enumerate(usual)
        for at, column in enumerate(columns)
        for found in _variables(column, (step, at), _requested(runs))
    ]
    groups = _drop_exceptions(_group(variables), usual)
    names: dict[int, str] = {}
    values: dict[str, dict[str, str]] = {}
    parameters = []
    for number, group in enumerate(groups):
        merged = {request: value for each in reversed(group) for request, value in each.values.items()}
        kind = kind_of_values(merged.values())
        name = _unique(_name(group, kind, usual), values)
        names[number], values[name] = name, merged
        parameters.append(
            Parameter(
                name=name, kind=kind, source=_source(group, merged, aligned, runs), examples=_examples(merged, runs)
            )
        )
    named = {id(each): names[number] for number, group in enumerate(groups) for each in group}
    by_place: dict[Place, list[_Variable]] = {}
    for group in groups:
        for each in group:
            by_place.setdefault(each.place, []).append(each)
    templates = []
    for step, columns in enumerate(usual):
        support = max((len(column) for column in columns), default=0)
        templates.append(
            tuple(
                _template(column, [(each, named[id(each)]) for each in by_place.get((step, at), ())], support)
                for at, column in enumerate(columns)
            )
        )
    return Commands(templates, tuple(parameters), values)


def _usual_columns(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that belong to the command; what only few runs have is an exception of theirs."""
    support = max((len(column) for column in columns), default=0)
    return [column for column in columns if len(column) >= _USUAL * support]


def _requested(runs: Sequence[WorkflowRun]) -> str:
    """Return what was asked if there is only one run: it alone shows which values are to vary."""
    return runs[0].asked if len(runs) == 1 else ""


def _variables(column: Column, place: Place, only_request: str) -> list[_Variable]:
    """Return what varies in a column."""
    words = set(column.values())
    forms = {request: word_form(word) for request, word in column.items()}
    if len(words) == 1:
        form = word_form(next(iter(words)))
        asked = word_form(only_request).pieces
        return [
            _Variable(place, (at,), "", dict.fromkeys(column, form.pieces[at]))
            for at, shape in enumerate(form.shape)
            if shape in _TYPED and form.pieces[at] in asked
        ]
    shapes = Counter(form.shape for form in forms.values())
    shape, many = shapes.most_common(1)[0]
    if len(shapes) > 1 and (many < _DOMINANT * len(forms) or not _TYPED.intersection(shape)):
        return [_whole(column, place)]
    alike = {request: form.pieces for request, form in forms.items() if form.shape == shape}
    varying: dict[tuple[str, ...], list[int]] = {}
    for at in range(len(shape)):
        values = tuple(pieces[at] for pieces in alike.values())
        if len(set(values)) > 1:
            varying.setdefault(values, []).append(at)
    typed = all(shape[at] in _TYPED for positions in varying.values() for at in positions)
    if len(varying) > 1 and not typed:
        return [_whole(column, place)]
    return [
        _Variable(place, tuple(positions), "", dict(zip(alike, values, strict=True)))
        for values, positions in varying.items()
    ]


def _whole(column: Column, place: Place) -> _Variable:
    """Return a whole word as the value, without what it must begin with: `--name=`."""
    words = [*column.values()]
    before = words[0][: words[0].find("=") + 1] if "=" in words[0] else ""
    if not all(word.startswith(before) for word in words):
        before = ""
    return _Variable(place, (), before, {request: word[len(before) :] for request, word in column.items()})


def _group(variables: Sequence[_Variable]) -> list[list[_Variable]]:
    """Group the places that hold the same value in every run that has them: they are one parameter."""
    groups: list[list[_Variable]] = []
    for each in variables:
        group = next((group for group in groups if all(_is_same(each.values, other.values) for other in group)), None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    return groups


def _is_same(one: Mapping[str, str], two: Mapping[str, str]) -> bool:
    shared = one.keys() & two.keys()
    if not shared or any(one[request] != two[request] for request in shared):
        return False
    return len({one[request] for request in shared}) > 1 or len(one) == len(two) == 1


def _drop_exceptions(groups: list[list[_Variable]], usual: Sequence[Sequence[Column]]) -> list[list[_Variable]]:
    """Drop what varies in few runs only and nowhere else: the usual value is part of the command."""
    kept = []
    for group in groups:
        values = Counter(group[0].values.values())
        many = values.most_common(1)[0][1]
        is_exception = len(group) == 1 and values.total() >= _RUNS and many >= _DOMINANT * values.total()
        if not is_exception:
            kept.append(group)
    return kept


def _template(column: Column, variables: Sequence[tuple[_Variable, str]], support: int) -> TemplateWord:
    optional = len(column) < support
    if not variables:
        return TemplateWord(text=Counter(column.values()).most_common(1)[0][0], optional=optional)
    first, name = variables[0]
    if not first.pieces:
        return TemplateWord(text=f"{_escape(first.before)}{{{name}}}", has_parameter=True, optional=optional)
    form = word_form(column[next(iter(first.values))])
    names = {at: name for each, name in variables for at in each.pieces}
    text = "".join(f"{{{names[at]}}}" if at in names else _escape(piece) for at, piece in enumerate(form.pieces))
    return TemplateWord(text=text, has_parameter=True, optional=optional)


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _name(group: Sequence[_Variable], kind: ParameterKind, usual: Sequence[Sequence[Column]]) -> str:
    """Name a parameter: by its kind where that says enough, else by the option or subcommand before it."""
    if kind in (ParameterKind.VERSION, ParameterKind.REVISION, ParameterKind.URL):
        return _NAMED_BY_KIND[kind]
    for each in group:
        step, at = each.place
        words = [Counter(column.values()).most_common(1)[0][0] for column in usual[step][:at]]
        own = each.before or Counter(usual[step][at].values()).most_common(1)[0][0]
        option = own.partition("=")[0] if "=" in own else (words[-1] if words and words[-1].startswith("-") else "")
        name = "".join(letter if letter.isalnum() else "_" for letter in option.strip("-")).strip("_").casefold()
        name = _OPTION_NAMES.get(name, name)
        if len(name) > 1 and name.isascii() and name.isidentifier():
            return name
        operand = _OPERANDS.get(words[1], "") if len(words) > 1 else ""
        if operand and (kind is ParameterKind.WORD or (kind is ParameterKind.PATH and operand == "branch")):
            return operand
    return _NAMED_BY_KIND[kind]


def _unique(name: str, taken: Mapping[str, object]) -> str:
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name}_{number}"
    return unique


def _examples(values: Mapping[str, str], runs: Sequence[WorkflowRun]) -> tuple[str, ...]:
    newest = [values[run.request] for run in reversed(runs) if run.request in values]
    return tuple(dict.fromkeys(newest))[:_EXAMPLES]


def _source(
    group: Sequence[_Variable],
    values: Mapping[str, str],
    aligned: Sequence[Sequence[Column]],
    runs: Sequence[WorkflowRun],
) -> ValueSource:
    """Return where most runs had the value from."""
    having = [run for run in runs if run.request in values]
    if 2 * sum(is_in_text(values[run.request], run.asked) for run in having) >= len(having):
        return ValueSource.REQUEST
    steps = {each.place[0] for each in group}
    commands = {run.request: [_words_of(aligned[step], run.request) for step in steps] for run in having}
    earlier = sum(_is_in_earlier_step(run, values[run.request], commands[run.request]) for run in having)
    return ValueSource.EARLIER_CALL if 2 * earlier >= len(having) else ValueSource.UNKNOWN


def _words_of(columns: Sequence[Column], request: str) -> tuple[str, ...]:
    return tuple(column[request] for column in columns if request in column)


def _is_in_earlier_step(run: WorkflowRun, value: str, commands: Sequence[tuple[str, ...]]) -> bool:
    """Whether a step before the first of these commands has the value."""
    for step in run.steps:
        if step.words in commands:
            return False
        if any(is_in_text(value, word) for word in step.words):
            return True
    return False


def is_in_text(value: str, text: str) -> bool:
    """Whether a text has a value, not as a part of a longer one."""
    pieces, wanted = word_form(text).pieces, word_form(value).pieces
    many = len(wanted)
    return bool(wanted) and any(pieces[at : at + many] == wanted for at in range(len(pieces) - many + 1))
