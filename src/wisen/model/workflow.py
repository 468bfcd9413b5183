"""Workflows: how goals were reached, run by run, and what the runs of one goal have in common."""

from __future__ import annotations

import re
from datetime import datetime, timedelta  # noqa: TC003 - msgspec reads the types of fields
from enum import StrEnum

from msgspec import Struct

from wisen.model.work_outcome import OutcomeReason, WorkOutcome

_ID = re.compile(r"W-[0-9a-f]{8}", re.IGNORECASE)


class StepKind(StrEnum):
    """What a step does."""

    COMMAND = "command"
    """One simple command of a shell line."""
    TOOL = "tool"
    """A call of another tool that may change something: MCP, web, deploy …"""
    EDIT = "edit"
    """Files were changed by the agent's own tools."""
    READ = "read"
    """Something was looked at: it changes nothing, and is no step by itself."""


class RunStep(Struct, frozen=True, kw_only=True):
    """One step of a run. A shell line with several commands has several; equal ones in a row are one."""

    key: str
    """What is the same in every run: `git push`, `bun run test`, `edit .go`, `mcp__linear__get_issue`."""
    kind: StepKind
    words: tuple[str, ...] = ()
    """The words of the command as it was run, or `name=value` for each argument of a tool."""
    call: str = ""
    """The agent's id of the call."""
    failed: bool = False
    """Whether its last attempt failed."""


class WorkflowRun(Struct, frozen=True, kw_only=True):
    """The work towards one goal: a typed request and what was done for it."""

    session: int
    """The number of its session in the index."""
    agent: str
    native: str
    """The agent's own id of the session."""
    request: str
    """The id of the typed message."""
    asked: str
    """The request as typed, white space folded; empty if its text was not kept."""
    context: str
    at: datetime
    ended: datetime
    steps: tuple[RunStep, ...]
    outcome: WorkOutcome = WorkOutcome.UNKNOWN
    reason: OutcomeReason = OutcomeReason.NO_EVIDENCE
    calls: int = 0
    """How many tool calls it took."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine."""


class StepUse(StrEnum):
    """How regularly a step belongs to a workflow."""

    ALWAYS = "always"
    USUALLY = "usually"
    SOMETIMES = "sometimes"


class WorkflowStep(Struct, frozen=True, kw_only=True):
    """A step of a workflow, in the usual order."""

    key: str
    kind: StepKind
    share: float
    """In which share of the runs it was taken."""
    use: StepUse
    alternatives: tuple[str, ...] = ()
    """Keys of steps that other runs took in its place."""
    repeats: bool = False
    """Whether runs usually take it more than once."""


class Workflow(Struct, frozen=True, kw_only=True):
    """What the runs of one goal in a project have in common."""

    id: str
    """`W-` and eight characters; stays the same while the workflow gains runs."""
    context: str
    title: str
    """The goal in the user's words: the request of the most typical run, shortened; else its steps."""
    words: tuple[tuple[str, float], ...]
    """The words by which a request for it is recognized, with their weights; empty if no request names it."""
    steps: tuple[WorkflowStep, ...]
    runs: tuple[str, ...]
    """The ids of the requests of its runs, the oldest first."""
    sessions: int
    worked: int
    failed: int
    """How many runs worked and failed; the others are partial or unknown, and count for nothing."""
    duration: timedelta
    """Of the median run."""
    calls: int
    """Of the median run."""
    first: datetime
    last: datetime

    @property
    def uses(self) -> int:
        """How many runs it has."""
        return len(self.runs)

    @property
    def judged(self) -> int:
        """How many runs count for or against it."""
        return self.worked + self.failed


def is_workflow_id(name: str) -> bool:
    """Whether a name has the form of the id of a workflow."""
    return _ID.fullmatch(name) is not None


class ParameterKind(StrEnum):
    """What the values of a parameter look like."""

    VERSION = "version"
    NUMBER = "number"
    PATH = "path"
    URL = "url"
    REVISION = "revision"
    """A commit's hash."""
    TEXT = "text"
    """Several words."""
    WORD = "word"


class ValueSource(StrEnum):
    """Where the value of a parameter came from in the runs."""

    REQUEST = "request"
    """It is in what the user typed."""
    EARLIER_CALL = "earlier call"
    """An earlier call of the session has it."""
    UNKNOWN = "unknown"
    """Found while working: in the output of a call, or made up."""


class Parameter(Struct, frozen=True, kw_only=True):
    """What varies from run to run. The same values in several steps are one parameter."""

    name: str
    kind: ParameterKind
    source: ValueSource
    examples: tuple[str, ...]
    """Values of the newest runs."""


class TemplateWord(Struct, frozen=True, kw_only=True):
    """A word of a command: fixed, or with parameters in braces (`v{version}`)."""

    text: str
    has_parameter: bool = False
    optional: bool = False
    """Whether some runs leave it out."""


class ProcedureStep(Struct, frozen=True, kw_only=True):
    """A step with its command, as far as the runs agree on it."""

    step: WorkflowStep
    command: tuple[TemplateWord, ...] = ()
    """Empty where the runs share no command: a read, an edit, free text."""
    is_check: bool = False
    """Whether the runs went on only when it succeeded: tests, lint, build, status of a deployment."""
    runs: tuple[str, ...] = ()
    """The requests of the runs that show the command: its provenance."""


class Pitfall(Struct, frozen=True, kw_only=True):
    """A failure in these runs and what overcame it."""

    step: str
    """The key of the step that failed."""
    problem: str
    """The failure in our own words."""
    remedy: str
    """What was changed; empty if nothing is known to help."""
    sessions: int


class Procedure(Struct, frozen=True, kw_only=True):
    """A workflow with the commands and parameters that its runs show: what a skill is made from."""

    workflow: Workflow
    steps: tuple[ProcedureStep, ...]
    parameters: tuple[Parameter, ...] = ()
    pitfalls: tuple[Pitfall, ...] = ()
    requests: tuple[str, ...] = ()
    """How users asked for it, the newest first, each once."""


class ReplayResult(Struct, frozen=True, kw_only=True):
    """How many steps of runs that a procedure was not made from were reproduced by it."""

    steps: int
    """Steps of these runs for which the procedure has a command."""
    reproduced: int
