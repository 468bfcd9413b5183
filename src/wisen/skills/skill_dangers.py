"""Names what is dangerous about a procedure, for the person who decides: side effects, and hosts that nobody named."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.irreversible_calls import guard_watch
from wisen.model.directive import Trigger, TriggerCause
from wisen.model.fix import Danger
from wisen.model.workflow import StepKind
from wisen.safety.dangers import judge_line
from wisen.safety.markdown_quoting import shell_word
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wisen.model.workflow import Procedure, ProcedureStep
    from wisen.skills.clean_runs import ProjectFacts

_HOST = lazy_regex(
    r"://(?:[^/@\s]+@)?([\w.-]+)|(?<![\w.-])[\w.-]+@((?:[\w-]+\.)+[a-z]{2,}|\d+(?:\.\d+){3})|^((?:[\w-]+\.)+[a-z]{2,})(?::\d+)?/"
)
_INSTALLERS = {
    "npm": ("install", "i", "add"),
    "pnpm": ("add", "install", "i", "dlx"),
    "yarn": ("add", "dlx"),
    "bun": ("add", "install", "i"),
    "pip": ("install",),
    "pip3": ("install",),
    "uv": ("add", "install"),
    "cargo": ("install", "add"),
    "go": ("install", "get"),
    "gem": ("install",),
    "brew": ("install",),
    "apt": ("install",),
    "apt-get": ("install",),
}
_RUNNERS = frozenset({"npx", "bunx", "uvx", "pipx"})
_PACKAGE = lazy_regex(r"(@?[A-Za-z][\w./-]*?)(?:[@=<>~!].*)?\Z")


class StepDanger(NamedTuple):
    """Something dangerous about a step, in words."""

    command: str
    why: str


def find_dangers(procedure: Procedure, facts: ProjectFacts, typed: Iterable[str]) -> tuple[StepDanger, ...]:
    """Return the dangers of a procedure, in the order of its steps; `typed`: what the user asked for.

    A host, package or program that is in no typed text and in no file of the repository came from a tool's output, or
    was made up: it is always named.
    """
    known = "\n".join((facts.known_text, *(each.casefold() for each in typed)))
    examples = {each.name: each.examples[0] for each in procedure.parameters if each.examples}
    found: dict[StepDanger, None] = {}
    for step in procedure.steps:
        words = _example_words(step, examples)
        if not words:
            continue
        line = " ".join(map(shell_word, words))
        if step.step.kind is StepKind.COMMAND:
            found |= dict.fromkeys(_dangers_of_line(line, facts.roots))
        for what, name in _introduced(words):
            if name.casefold() not in known:
                why = f"{what} {name}, which is in no message of yours and in no file of the project"
                found[StepDanger(line, why)] = None
    return tuple(found)


def _example_words(step: ProcedureStep, examples: Mapping[str, str]) -> tuple[str, ...]:
    words = []
    for word in step.command:
        text = word.text
        for name, value in examples.items() if word.has_parameter else ():
            text = text.replace(f"{{{name}}}", value)
        words.append(text)
    return tuple(words)


def _dangers_of_line(line: str, roots: Sequence[str]) -> Iterator[StepDanger]:
    danger = judge_line(line, roots)
    if danger is not Danger.NONE:
        yield StepDanger(line, danger.label)
    if guard_watch(Trigger(cause=TriggerCause.NAMED, tool="Bash", words=(), did=f"ran {line}")):
        yield StepDanger(line, "cannot be undone")


def _introduced(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the hosts, packages and programs that a command brings in."""
    program = words[0].rsplit("/", 1)[-1]
    if "/" in words[0]:
        yield "runs the program", words[0]
    for word in words:
        for host in _HOST.finditer(word):
            yield "reaches the host", next(filter(None, host.groups()))
    operands = [word for word in words[1:] if not word.startswith("-")]
    if program in _RUNNERS:
        packages = operands[:1]
    elif operands[:1] and operands[0] in _INSTALLERS.get(program, ()):
        packages = operands[1:]
    else:
        packages = []
    for each in packages:
        if name := _PACKAGE.match(each):
            yield "installs the package", name[1]
