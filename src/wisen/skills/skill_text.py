"""Writes a procedure as a skill: when to use it, parameters, commands, pitfalls, verification and provenance."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.skill_file import CREATED, SOURCE, TOOLS, TRIGGERS, UPDATED, SkillFile
from wisen.model.backtest import confidence_bounds
from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import ParameterKind, StepKind, StepUse, ValueSource
from wisen.safety.markdown_quoting import code_block, code_span, plain_text, shell_word, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from wisen.model.workflow import Parameter, Pitfall, Procedure, ProcedureStep, Workflow, WorkflowRun

SOURCE_PREFIX = "wisen "
"""What the metadata `source` of our skills begins with; the id of the workflow follows."""
_QUOTE = 120
"""The longest quote of a request."""
_SESSIONS = 10
"""How many sessions are listed."""
_DESCRIBED_STEPS, _DESCRIBED_REQUESTS = 6, 2
_KINDS = {
    ParameterKind.VERSION: "a version",
    ParameterKind.NUMBER: "a number",
    ParameterKind.PATH: "a path",
    ParameterKind.URL: "an address",
    ParameterKind.REVISION: "a commit",
    ParameterKind.TEXT: "a text",
    ParameterKind.WORD: "a word",
}
_SOURCES = {
    ValueSource.REQUEST: "the request names it",
    ValueSource.EARLIER_CALL: "an earlier step shows it",
    ValueSource.UNKNOWN: "find it out while working",
}
_OUTCOMES = {
    WorkOutcome.WORKED: "worked",
    WorkOutcome.PARTIAL: "worked in part",
    WorkOutcome.FAILED: "failed",
    WorkOutcome.UNKNOWN: "outcome unknown",
}


class SkillFacts(NamedTuple):
    """What a skill says beyond its procedure."""

    name: str
    created: date
    updated: date
    triggers: Sequence[str]
    """Requests that may be quoted, in the user's own words, the newest first."""
    runs: Sequence[WorkflowRun]


def build_skill(procedure: Procedure, facts: SkillFacts) -> SkillFile:
    """Build the skill of a procedure."""
    workflow = procedure.workflow
    body: list[str] = [f"# {_title(workflow, facts)}", ""]
    for heading, lines in (
        ("When to use it", _when(workflow, facts)),
        ("Parameters", [_parameter(each) for each in procedure.parameters]),
        ("Procedure", _steps(procedure)),
        ("Pitfalls", [_pitfall(each) for each in procedure.pitfalls]),
        ("Verification", _verification(procedure)),
        ("Where it comes from", _provenance(workflow, facts)),
    ):
        if lines:
            body += [f"## {heading}", "", *"\n".join(lines).rstrip("\n").split("\n"), ""]
    metadata = {
        CREATED: f"{facts.created:%Y-%m-%d}",
        UPDATED: f"{facts.updated:%Y-%m-%d}",
        SOURCE: f"{SOURCE_PREFIX}{workflow.id}",
        TRIGGERS: "; ".join(_quotes(facts.triggers)),
        TOOLS: ", ".join(_tools(procedure)),
    }
    return SkillFile(
        name=facts.name,
        description=_description(procedure, facts),
        metadata={key: visible(value) for key, value in metadata.items() if value},
        body="\n".join(body).strip("\n"),
    )


def step_line(step: ProcedureStep) -> str:
    """Return the command of a step as a shell takes it; empty if its runs share none."""
    if step.step.kind is not StepKind.COMMAND:
        return ""
    return " ".join(shell_word(word.text) for word in step.command)


def _title(workflow: Workflow, facts: SkillFacts) -> str:
    words = plain_text(facts.name.replace("-", " "), _QUOTE)
    return words[:1].upper() + words[1:] if words else workflow.id


def _quotes(texts: Iterable[str]) -> list[str]:
    """Quote requests, each on one line and whole: what is cut could say the opposite, so longer ones are left out."""
    return [quote for text in texts if len(quote := _plain_quote(text)) <= _QUOTE]


def _plain_quote(text: str) -> str:
    """Return a request on one line, for quotation marks."""
    return visible(text).replace("“", "'").replace("”", "'").replace('"', "'")


def _description(procedure: Procedure, facts: SkillFacts) -> str:
    keys = list(dict.fromkeys(each.step.key for each in procedure.steps if each.step.kind is not StepKind.READ))
    more = " and more" if len(keys) > _DESCRIBED_STEPS else ""
    does = f"The steps for this task in this project: {', '.join(keys[:_DESCRIBED_STEPS])}{more}."
    quotes = [f"“{each}”" for each in _quotes(facts.triggers)[:_DESCRIBED_REQUESTS]]
    when = f"Use it when the user asks for something like {' or '.join(quotes)}." if quotes else ""
    if not when:
        when = f"Use it when the user asks to {facts.name.replace('-', ' ')}."
    return f"{does} {when}"


def _when(workflow: Workflow, facts: SkillFacts) -> list[str]:
    quotes = [f"- “{plain_text(each, _QUOTE + 40)}”" for each in _quotes(facts.triggers)]
    if quotes:
        return ["When the user asks for it, in words like these:", "", *quotes]
    return [f"When the task takes these steps: {', '.join(code_span(each.key) for each in workflow.steps)}."]


def _parameter(each: Parameter) -> str:
    # A text may be of any length and hold anything; it helps only if the user typed it.
    shown = each.examples if each.kind is not ParameterKind.TEXT or each.source is ValueSource.REQUEST else ()
    examples = f" Examples: {', '.join(map(code_span, shown))}." if shown else ""
    return f"- {code_span('{' + each.name + '}')}: {_KINDS[each.kind]}; {_SOURCES[each.source]}.{examples}"


def _steps(procedure: Procedure) -> list[str]:
    steps = [each for each in procedure.steps if each.step.kind is not StepKind.READ]
    lines: list[str] = []
    if procedure.parameters:
        lines += ["Put the values in place of the names in braces.", ""]
    for number, each in enumerate(steps, 1):
        indent = " " * (len(str(number)) + 2)
        lines.append(f"{number}. {_action(each)}")
        if line := step_line(each):
            lines += ["", *code_block([line], indent), ""]
        lines += [f"{indent}{note}" for note in _notes(each)]
    return lines


def _action(each: ProcedureStep) -> str:
    step, key = each.step, code_span(each.step.key)
    if step.kind is StepKind.EDIT:
        does = f"Make the changes that the task asks for ({key})."
    elif step.kind is StepKind.TOOL:
        arguments = ", ".join(code_span(word.text) for word in each.command)
        does = f"Call the tool {key} with {arguments}." if arguments else f"Call the tool {key}."
    else:
        does = f"Run {key}:" if each.command else f"Run {key} with what the task needs."
    return {StepUse.ALWAYS: "", StepUse.USUALLY: "Usually: ", StepUse.SOMETIMES: "If needed: "}[step.use] + does


def _notes(each: ProcedureStep) -> list[str]:
    notes = []
    optional = " ".join(shell_word(word.text) for word in each.command if word.optional)
    if optional:
        notes.append(f"Some runs leave out {code_span(optional)}.")
    if each.step.alternatives:
        notes.append(f"Other runs did {' or '.join(map(code_span, each.step.alternatives))} instead.")
    if each.step.repeats:
        notes.append("It may take more than one time.")
    if each.is_check:
        notes.append("Go on only if it succeeds.")
    return notes


def _pitfall(each: Pitfall) -> str:
    many = "1 session" if each.sessions == 1 else f"{each.sessions} sessions"
    remedy = f" What helped: {code_span(each.remedy)}." if each.remedy else ""
    return f"- {code_span(each.step)} failed in {many}: {plain_text(each.problem, _QUOTE)}.{remedy}"


def _verification(procedure: Procedure) -> list[str]:
    """Return the checks at the end, or else all checks."""
    steps = [each for each in procedure.steps if each.step.kind is not StepKind.READ]
    last = [*takewhile(lambda each: each.is_check, reversed(steps))][::-1]
    checks = last or [each for each in steps if each.is_check]
    lines = [f"- {code_span(step_line(each) or each.step.key)} succeeds." for each in checks]
    return lines or ["- Ask the user to look at the result: no run of it ended with a check."]


def _provenance(workflow: Workflow, facts: SkillFacts) -> list[str]:
    runs = sorted(facts.runs, key=lambda run: run.at, reverse=True)
    sessions = "1 session" if workflow.sessions == 1 else f"{workflow.sessions} sessions"
    lines = [f"Written by wisen from {sessions}. {describe_success(workflow)} Newest first:", ""]
    lines += [
        f"- {run.at:%Y-%m-%d}, {plain_text(run.agent, 40)} session {code_span(run.native[:8])}:"
        f" {_OUTCOMES[run.outcome]}"
        for run in runs[:_SESSIONS]
    ]
    return lines


def describe_success(workflow: Workflow) -> str:
    """Describe how often a workflow worked, with the lower bound of the true share."""
    if not workflow.judged:
        return f"Of {workflow.uses} runs none shows whether it worked."
    low, _ = confidence_bounds(workflow.worked, workflow.judged)
    return (
        f"{workflow.worked} of {workflow.judged} judged runs worked (at least {low:.0%} with 95% confidence),"
        f" of {workflow.uses} runs."
    )


def _tools(procedure: Procedure) -> list[str]:
    """Return the programs and tools that the steps use."""
    steps = [each.step for each in procedure.steps if each.step.kind in (StepKind.COMMAND, StepKind.TOOL)]
    return list(dict.fromkeys(step.key.split(" ")[0] if step.kind is StepKind.COMMAND else step.key for step in steps))
