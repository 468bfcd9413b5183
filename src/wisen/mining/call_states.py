"""Tells whether two calls of a session met the same state: whether anything in between may have made the difference.

Whatever is not known to be read-only may have changed something, for every tool: an edit, an install, a server, a
background call, the user, another agent, and time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.event import Status
from wisen.model.history import EDITS
from wisen.safety.fix_causes import changed_fields
from wisen.safety.harmless import judge_command
from wisen.safety.harmless_table import CommandEffect
from wisen.safety.harmless_values import CommandContext
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex
from wisen.text.plain_shell import read_plain_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.model.history import Step, Turn

MAX_GAP_SECONDS = 300
"""After so long somebody or something else may have changed the state."""
LOOKBACK_CALLS = 25
"""How many calls before a failure may still be running in the background."""
_TRANSIENT_KEYS = ("net.", "shell.timeout", "vcs.locked")
"""Errors that may go away with time."""
READING_TOOLS = frozenset(
    "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoWrite TodoRead TaskList TaskGet TaskCreate TaskUpdate"
    " ToolSearch Skill LSP read grep glob list ls webfetch websearch todowrite todoread skill read_file view_file"
    " read_many_files list_directory search_file_content glob_search google_web_search update_plan view_image".split()
)
"""Tools of agents that only look, or keep a to-do list."""
_HARMLESS_PROGRAMS = frozenset(
    "cd pwd echo printf true false : test [ which type command basename dirname realpath".split()
)
_QUIET = lazy_regex(r"\d?>&\d|[12&]?>\s*/dev/null")
_CHANGES = lazy_regex(r">|\$\(|`|<\(|\s-(?:i\b|-in-place|exec|execdir|delete|ok|fprint)|\btee\b|\bxargs\b|\bsystem\(")
_WAITS = lazy_regex(r"(?:^|[;&|(\s])(?:sleep|wait|wait-on|until|while)\s")
_BACKGROUND = lazy_regex(r"(?<![&>|])&(?![&>\d])|\bnohup\b|\bdisown\b|\s(?:-d|--detach)\b")
_ALWAYS_SUCCEEDS = lazy_regex(r"\|\|\s*(?:true|:|echo|printf|exit 0)|;\s*(?:true|echo|exit 0)\b")
_FILTERS = frozenset("grep egrep fgrep rg wc sort uniq sed awk cut column tr jq".split())
"""Programs that show only a part of an output: errors may be missing, and the first command's exit code is lost."""
_IGNORED_FIELDS = frozenset(
    "command cmd script description justification timeout timeout_ms run_in_background yield_time_ms max_output_tokens"
    " prefix_rule".split()
)


def is_read_only(step: Step) -> bool:
    """Whether a call is known to change nothing."""
    if step.status is Status.CANCELLED:
        return True  # it never ran
    line = command_of(fields_of(step.arguments))
    if line is None:
        return step.tool in READING_TOOLS
    return not _is_background(step) and _is_line_read_only(line)


def _is_line_read_only(line: str) -> bool:
    commands = read_plain_line(line)
    if commands is not None and all(
        judge_command(each, CommandContext()).effect is CommandEffect.READS for each in commands
    ):
        return not _WAITS.search(line)
    if _CHANGES.search(_QUIET.sub("", line)) or _WAITS.search(line):
        return False
    parts = parse_command(line).parts
    return bool(parts) and all(part.only_reads or part.program in _HARMLESS_PROGRAMS for part in parts)


def _is_background(step: Step) -> bool:
    """Whether a call may still be running when the next one is made."""
    fields = fields_of(step.arguments)
    line = command_of(fields)
    return fields.get("run_in_background") is True or (
        line is not None and _BACKGROUND.search(_QUIET.sub("", line)) is not None
    )


def hides_exit_code(step: Step) -> bool:
    """Whether a command always succeeds: a filter follows it, or another command that never fails."""
    line = command_of(fields_of(step.arguments))
    if line is None:
        return False
    if _ALWAYS_SUCCEEDS.search(line):
        return True
    return any(part.piped and part.program in _FILTERS for part in parse_command(line).parts)


def was_made_after(failed: Step, step: Step) -> bool:
    """Whether a call was made after the end of a failed one: of parallel calls none answers another."""
    return failed.ended is None or step.at >= failed.ended


def is_same_state(
    steps: Sequence[Step], turns: Sequence[Turn], index: int, later: int, fails_alike: Callable[[int], bool], key: str
) -> bool:
    """Whether a later call met the same state as a failed one, as far as the session shows.

    `fails_alike` tells whether a step in between failed in the same way: then what it did was no help.
    """
    failed, step = steps[index], steps[later]
    if is_too_late(failed, step) or any(index < turn.before <= later for turn in turns):
        return False
    if key.startswith(_TRANSIENT_KEYS) or differ_in_environment(failed, step):
        return False
    if _WAITS.search(command_of(fields_of(step.arguments)) or ""):
        return False
    return all(is_read_only(steps[each]) or fails_alike(each) for each in range(index + 1, later))


def is_file_unchanged(steps: Sequence[Step], turns: Sequence[Turn], index: int, later: int) -> bool:
    """Whether nothing may have changed the file of an edit before the next one: edits of other files do not count."""
    failed, step = steps[index], steps[later]
    if is_too_late(failed, step) or any(index < turn.before <= later for turn in turns):
        return False
    place = fields_of(failed.arguments).get("file_path")
    return all(
        is_read_only(each) or (each.tool in EDITS and fields_of(each.arguments).get("file_path") != place)
        for each in steps[index + 1 : later]
        if each.tool not in EDITS or each.status is not Status.FAILED
    )


def was_only_read(steps: Sequence[Step], index: int, later: int) -> bool:
    """Whether the file of an edit was looked at only by reading it: no new try, and no command that shows it."""
    place = fields_of(steps[index].arguments).get("file_path")
    name = str(place or "").rsplit("/", 1)[-1]
    reads = [at for at in range(index + 1, later) if fields_of(steps[at].arguments).get("file_path") == place]
    looks = (command_of(fields_of(each.arguments)) or "" for each in steps[index + 1 : later])
    return all(steps[at].tool not in EDITS for at in reads) and not any(name in line for line in looks if name)


def is_too_late(failed: Step, step: Step) -> bool:
    """Whether so much time passed between two calls that anybody may have changed something."""
    return (step.at - (failed.ended or failed.at)).total_seconds() > MAX_GAP_SECONDS


def is_something_running(steps: Sequence[Step], index: int) -> bool:
    """Whether a call made shortly before a step may still have been running next to it."""
    return any(map(_is_background, steps[max(0, index - LOOKBACK_CALLS) : index + 1]))


def differ_in_environment(failed: Step, step: Step) -> bool:
    """Whether two commands ran in different folders or with different permissions."""
    one, two = fields_of(failed.arguments), fields_of(step.arguments)
    return command_of(one) is not None and bool(changed_fields(one, two, _IGNORED_FIELDS))
