"""Normalises the calls of a session to the steps of a run: what each does, without what varies from run to run.

A shell line with several commands has several steps. What only looks at files, or keeps the agent's own lists, is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from wisen.kernel.call_names import SHELL_TOOLS
from wisen.mining.call_states import READING_TOOLS
from wisen.mining.shell_steps import ELLIPSIS, MAX_WORD, MAX_WORDS, StepCommand, edit_command, read_commands
from wisen.model.event import Status
from wisen.model.history import EDITS
from wisen.model.workflow import RunStep, StepKind
from wisen.text.command_lines import command_of, fields_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.history import Step

_FAILED = (Status.FAILED, Status.MASKED)
_MAX_WORDS, _MAX_WORD = 40, 200
_BOOKKEEPING = frozenset(
    "AskUserQuestion ExitPlanMode EnterPlanMode TaskOutput TaskStop BashOutput KillShell KillBash write_stdin wait"
    " wait_agent send_message send_input list_agents close_agent request_user_input request_permissions"
    " load_workspace_dependencies new_context ListMcpResourcesTool ReadMcpResourceTool".split()
)
"""Tools with which an agent runs itself, and talks with its user."""
_NAMED_TOOLS = {"Skill": "skill", "skill": "name", "Task": "subagent_type", "Agent": "subagent_type"}
"""Tools that do something else for each value of an argument."""
_NESTED_COMMAND = lazy_regex(r'"?\bcmd"?\s*:\s*("(?:\\.|[^"\\])*")')
"""A command inside a program that an agent runs (`exec` of Codex)."""
_PATHS = ("file_path", "notebook_path", "path", "filePath")


def steps_of(calls: Iterable[Step], folders: Sequence[str] = ()) -> tuple[RunStep, ...]:
    """Return the steps of calls in their order; equal ones in a row are one, as the last of them was made.

    `folders`: absolute paths of the project, which are left out of the words.
    """
    found: list[RunStep] = []
    for call in calls:
        if call.status is Status.CANCELLED:
            continue  # it never ran
        for step in _call_steps(call, folders):
            if found and found[-1].key == step.key:
                found[-1] = step
            else:
                found.append(step)
    return tuple(found)


def _call_steps(call: Step, folders: Sequence[str]) -> tuple[RunStep, ...]:
    fields = fields_of(call.arguments)
    lines = _command_lines(call.tool, fields)
    if lines:
        commands = [each for line in lines for each in read_commands(line)]
    elif call.tool in EDITS:
        commands = [edit_command(path) for path in _edited_files(fields)]
    elif call.tool in READING_TOOLS - _NAMED_TOOLS.keys() or call.tool in _BOOKKEEPING or call.tool in SHELL_TOOLS:
        return ()
    else:
        commands = [_tool_command(call.tool, fields)]
    steps = tuple(
        RunStep(key=key, kind=kind, words=_without_folders(words, folders), call=call.call)
        for key, kind, words in commands
    )
    if steps and call.status in _FAILED:  # a chain stops at what fails: most often that is what it is about
        return (*steps[:-1], structs.replace(steps[-1], failed=True))
    return steps


def _command_lines(tool: str, fields: dict[str, object]) -> list[str]:
    line = command_of(fields)
    if line is not None:
        return [line]
    program = fields.get("input")
    if tool in SHELL_TOOLS and isinstance(program, str):
        return [msgspec.json.decode(text) for text in _NESTED_COMMAND.findall(program) if _is_json(text)]
    return []


def _is_json(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), str)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False


def _tool_command(tool: str, fields: dict[str, object]) -> StepCommand:
    name = fields.get(_NAMED_TOOLS.get(tool, ""))
    key = f"{tool} {name}" if isinstance(name, str) and name and len(name) <= 60 else tool
    words = []
    for field, value in fields.items():
        shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        words.append(f"{field}={shown if len(shown) <= MAX_WORD else ELLIPSIS}")
    return StepCommand(key, StepKind.TOOL, tuple(words[:MAX_WORDS]))


def _edited_files(fields: dict[str, object]) -> list[str]:
    files = fields.get("files")
    if isinstance(files, list):
        return [each for each in files if isinstance(each, str)]
    return [path for name in _PATHS if isinstance(path := fields.get(name), str)][:1]


def _without_folders(words: tuple[str, ...], folders: Sequence[str]) -> tuple[str, ...]:
    for folder in folders:
        words = tuple(word.replace(f"{folder}/", "") if folder in word else word for word in words)
    return words
