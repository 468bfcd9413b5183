"""Mines one session: its failures, how each was overcome, and which changes were tried.

The fix is the difference between the failing call and a later one that worked, a limited number of calls apart, or the
call in between where the call itself stayed the same; only where the error names it or nothing else may have made the
difference (`call_states.py`). What passes after an edit is work; a call that succeeds when repeated was never broken.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wisen.mining.call_changes import (
    are_of_one_program,
    call_difference,
    generalize,
    has_same_goal,
    is_wrapped_whole,
    option_change,
    replaces_script,
    runs_fewer_commands,
    variable_change,
)
from wisen.mining.call_states import (
    differ_in_environment,
    hides_exit_code,
    is_file_unchanged,
    is_read_only,
    is_same_state,
    is_something_running,
    is_too_late,
    was_made_after,
    was_only_read,
)
from wisen.mining.call_words import summarize_calls
from wisen.mining.goals import goals_of
from wisen.mining.session_runs import NO_FOLDERS, workflow_runs
from wisen.mining.signatures import FailureSubject, describe_failure
from wisen.model.event import Status
from wisen.model.failure import CallChange, Failure, FixAttempt, SessionFindings
from wisen.model.history import EDITS
from wisen.safety.dangers import UNKNOWN_OPTION, judge_calls, judge_preceding_call
from wisen.safety.fix_causes import (
    MISSING_SCRIPT,
    MISSING_VARIABLE,
    error_names_change,
    is_display_only,
    is_in_error,
    is_requested_by_error,
)
from wisen.text.command_lines import READERS, command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex
from wisen.text.shell_settings import without_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wisen.model.fix import Danger
    from wisen.model.history import History, Step

MAX_DISTANCE = 25
"""How many calls after a failure its fix may come."""
MAX_LOST_MS = 15 * 60_000
"""The maximum time that is counted as lost per failure: after that somebody was away."""
_FAILED = (Status.FAILED, Status.MASKED)
_WRITES = lazy_regex(r"\bsed\s+-i|\btee\b|>\s*\S|\bpatch\b|\bapply_patch\b|python3?\s+(?:-c|-\s*<<|<<)|\bperl\s+-[pi]")
_TEXT_NOT_FOUND = "fs.text-not-found"
_WORD_KEYS = (
    UNKNOWN_OPTION,
    "shell.unknown-subcommand",
    "shell.command-not-found",
    MISSING_SCRIPT,
    MISSING_VARIABLE,
)
"""Errors that name a word which nothing done in between makes right."""
_CODE_WORK_KEYS = ("build.", "vcs.conflict")
"""Failures that are overcome by working on the code."""
_REPAIRS = lazy_regex(r"fix|write|fmt|format|update|tidy|generate|install|sync|clean|cache|\brm\b|\bmkdir\b|\bcd\b")
"""Words of commands that make a check pass without anybody working on the code."""
_TRANSIENT_KEYS = ("net.unreachable", "net.timeout", "net.rate-limited", "shell.timeout", "deps.missing-install")
_TRANSIENT_WHEN_OVER = ("shell.command-not-found", "deps.module-not-found", "runtime.cannot-start", "vcs.locked")
_TOKEN_CHARACTERS = 4


def mine_session(history: History, folders: Mapping[str, Sequence[str]] = NO_FOLDERS) -> SessionFindings:
    """Everything that mining finds in a session; `folders` maps contexts to absolute paths."""
    miner = _SessionMiner(history, folders)
    habits, pairs = _habits(history.steps)
    return SessionFindings(
        session=history.session,
        failures=(failures := tuple(miner.describe_failure(index) for index in miner.failed)),
        attempts=tuple(miner.tries),
        habits=habits,
        pairs=pairs,
        goals=(goals := goals_of(history)),
        calls=summarize_calls(history, failures),
        runs=workflow_runs(history, goals, folders=folders),
    )


class _SessionMiner:
    """One pass over the steps of a session."""

    def __init__(self, history: History, folders: Mapping[str, Sequence[str]]) -> None:
        self._steps, self._turns, self._folders = history.steps, history.turns, folders
        self._subjects: dict[int, FailureSubject] = {}
        self.failed = [index for index, step in enumerate(self._steps) if step.status in _FAILED]
        self.tries: list[FixAttempt] = []

    def describe_failure(self, index: int) -> Failure:
        """One failed call with everything known about it; the changes tried against it go to `tries`."""
        step, subject, attempts = self._steps[index], self._subject(index), self._attempts(index)
        end = attempts[-1] if self._is_overcome(index, attempts[-1]) else None
        explained = False
        for later in attempts[1:]:
            change = self._change(index, later)
            if change is not None:
                explained = explained or later == end
                self._add_try(index, later, change)
        repeated = end is not None and is_same_call(step, self._steps[end])
        transient = subject.signature.key in _TRANSIENT_KEYS or (
            end is not None and not explained and not self._were_files_written(index, end)
            and (repeated or subject.signature.key in _TRANSIENT_WHEN_OVER)
        )  # fmt: skip
        last = self._steps[end] if end is not None else step
        until = last.at if end is not None else step.ended or step.at
        lost = [self._steps[each] for each in attempts if each != end]
        return Failure(
            call=step.call,
            tool=step.tool,
            signature=subject.signature,
            command=subject.command,
            place=subject.place,
            at=step.at,
            masked=step.status is Status.MASKED,
            transient=transient,
            ended_by=last.call if end is not None else None,
            attempts=tuple(self._steps[each].call for each in attempts),
            trajectory="".join("1" if each == end else "0" for each in attempts),
            lost_ms=min(max(0, int((until - step.at).total_seconds() * 1000)), MAX_LOST_MS),
            lost_tokens=sum(len(each.arguments or "") + len(each.text or "") for each in lost) // _TOKEN_CHARACTERS,
        )

    def _subject(self, index: int) -> FailureSubject:
        if index not in self._subjects:
            step = self._steps[index]
            self._subjects[index] = describe_failure(tool=step.tool, arguments=step.arguments, text=step.text)
        return self._subjects[index]

    def _attempts(self, index: int) -> list[int]:
        """The calls of the same tool and goal from a failure on, up to the first that succeeded."""
        failed, found = self._steps[index], [index]
        if failed.arguments is None:
            return found
        for later in range(index + 1, min(index + 1 + MAX_DISTANCE, len(self._steps))):
            step = self._steps[later]
            if step.tool != failed.tool or step.status is None or step.status is Status.CANCELLED:
                continue
            if self._is_same_goal(index, step):
                found.append(later)
                if self._is_overcome(index, later):
                    break
        return found

    def _is_same_goal(self, index: int, step: Step) -> bool:
        failed = self._steps[index]
        if has_same_goal(failed.tool, failed.arguments, step.arguments):
            return True
        signature = self._subject(index).signature
        lines = [command_of(fields_of(each.arguments)) for each in (failed, step)]
        if lines[0] is None or lines[1] is None:
            return False
        if signature.key == MISSING_SCRIPT:
            return replaces_script(lines[0], lines[1], failed.text or "")
        return signature.key == "shell.command-not-found" and is_wrapped_whole(lines[0], lines[1], signature.who)

    def _is_overcome(self, index: int, later: int) -> bool:
        """Whether a later attempt overcame a failure: it succeeded, or it got far enough to do its own job.

        Failing tests are not the problem of a command that could not even start them.
        """
        if self._steps[later].status is Status.OK:
            return True
        if later == index or self._steps[later].status not in _FAILED:
            return False
        before, after = self._subject(index).signature.key, self._subject(later).signature.key
        return after.startswith("build.") and not before.startswith("build.")

    def _were_files_written(self, index: int, later: int) -> bool:
        """Whether files were written between two steps: what passes then was worked on."""
        return any(_writes(step) for step in self._steps[index + 1 : later] if step.status is Status.OK)

    def _change(self, index: int, later: int) -> CallChange | None:
        """What made, or was meant to make, the difference between a failed call and a later one."""
        failed, step = self._steps[index], self._steps[later]
        signature = self._subject(index).signature
        if not self._is_overcome(index, later) and self._subject(later).signature != signature:
            return None  # it failed differently: that says nothing about this change
        if signature.key == "shell.said-nothing" and signature.who in READERS:
            return None  # the search found nothing: an answer, not a mistake
        if failed.tool in EDITS:
            return self._edit_change(index, later)
        found = self._difference(index, later)
        if found is None:
            return self._preparing_change(index, later) if is_same_call(failed, step) else None
        if not self._is_overcome(index, later):
            return found
        return found if self._is_credible(index, later, found) else None

    def _edit_change(self, index: int, later: int) -> CallChange | None:
        """What was different in the arguments of an editing tool, or the file that was read first."""
        failed, step = self._steps[index], self._steps[later]
        found = self._preparing_call(index, later)
        if self._is_overcome(index, later) and self._subject(index).signature.key == _TEXT_NOT_FOUND:
            sure = is_file_unchanged(self._steps, self._turns, index, later) and was_only_read(
                self._steps, index, later
            )
            found = found if sure else None
        first = CallChange(tool=failed.tool, first=found[0]) if found else None
        change = call_difference(failed.tool, failed.arguments, step.arguments)
        return next((each for each in (first, change) if each is not None and self._is_named(index, later, each)), None)

    def _difference(self, index: int, later: int) -> CallChange | None:
        """The words in which two calls differ, without those that no error can be about."""
        failed, step = self._steps[index], self._steps[later]
        signature = self._subject(index).signature
        line = command_of(fields_of(step.arguments))
        if signature.key == MISSING_VARIABLE and line is not None:
            return variable_change(failed, line, signature.who)
        program = parse_command(line).main_part.program if line is not None else ""
        output = failed.text or ""

        def may_matter(word: str) -> bool:
            named = word.partition("=")[0]
            return not is_display_only(word, program, signature.key) or is_in_error(named, output)

        if signature.key != UNKNOWN_OPTION:
            return call_difference(failed.tool, failed.arguments, step.arguments, may_matter)
        change = call_difference(failed.tool, failed.arguments, step.arguments)
        removed, added = option_change(change, output) if change is not None else ((), ())
        return CallChange(tool=failed.tool, removed=removed, added=added) if removed != added else None

    def _is_credible(self, index: int, later: int, change: CallChange) -> bool:
        """Whether a difference can be what made a call work: the error names it, or nothing else changed."""
        failed, step = self._steps[index], self._steps[later]
        key = self._subject(index).signature.key
        if not was_made_after(failed, step) or not are_of_one_program(failed, step):
            return False
        if key not in _WORD_KEYS and runs_fewer_commands(failed, step):
            return False
        same = is_same_state(self._steps, self._turns, index, later, self._fails_like(index), key)
        if key.startswith(_CODE_WORK_KEYS):
            # A check that passes with other arguments was avoided, unless they make it fix what it found.
            return same and any(map(_REPAIRS.search, change.added))
        if self._is_named(index, later, change):
            return (
                same or key in _WORD_KEYS or is_requested_by_error(failed.text or "", failed.arguments, step.arguments)
            )
        sure = not hides_exit_code(step) and not is_something_running(self._steps, later)
        return same and sure and not self._also_succeeds(index)

    def _is_named(self, index: int, later: int, change: CallChange) -> bool:
        failed, step = self._steps[index], self._steps[later]
        signature = self._subject(index).signature
        return error_names_change(signature, change, failed.text or "", failed.arguments, step.arguments)

    def _fails_like(self, index: int) -> Callable[[int], bool]:
        return lambda other: (
            self._steps[other].status in _FAILED and (self._subject(other).signature == self._subject(index).signature)
        )

    def _also_succeeds(self, index: int) -> bool:
        """Whether the very same call succeeds elsewhere in the session: then nothing is wrong with its words."""
        failed = self._steps[index]
        return any(
            step.tool == failed.tool and step.status is Status.OK and is_same_call(failed, step) for step in self._steps
        )

    def _preparing_change(self, index: int, later: int) -> CallChange | None:
        """The call that had to come first, where the failed one was repeated unchanged."""
        failed, step = self._steps[index], self._steps[later]
        found = self._preparing_call(index, later)
        if found is None or not was_made_after(failed, step) or differ_in_environment(failed, step):
            return None
        if self._subject(index).signature.key.startswith(_CODE_WORK_KEYS) and not any(map(_REPAIRS.search, found[0])):
            return None
        return CallChange(tool=failed.tool, first=found[0])

    def _preparing_call(self, index: int, later: int) -> tuple[tuple[str, ...], Step] | None:
        """The successful call in between that made it work, in words: the one that the error asks for, or the only one.

        The file was read, the folder created. Where several calls may have been the cause, none is named.
        """
        failed = self._steps[index]
        place = fields_of(failed.arguments).get("file_path")
        if place is not None:
            looks = (step for step in self._steps[index + 1 : later] if step.status is Status.OK and is_read_only(step))
            same = [step for step in looks if fields_of(step.arguments).get("file_path") == place]
            return ((f"{same[-1].tool} the same file",), same[-1]) if same else None
        between = range(index + 1, later)
        others = [each for each in between if not is_read_only(self._steps[each]) and not self._fails_like(index)(each)]
        prepared = [
            (self._describe(self._steps[each]), self._steps[each])
            for each in others
            if self._steps[each].tool == failed.tool
            and self._steps[each].status is Status.OK
            and _prepares(self._steps[each])
        ]
        for words, step in reversed(prepared):
            if self._is_named(index, later, CallChange(tool=failed.tool, first=words)):
                return words, step
        is_only = len(others) == len(prepared) == 1 and not is_too_late(failed, self._steps[later])
        return prepared[0] if is_only and not any(index < turn.before <= later for turn in self._turns) else None

    @staticmethod
    def _describe(step: Step) -> tuple[str, ...]:
        words = tuple(map(without_value, _words(step)[:8]))
        return (f"{step.tool}: {generalize(' '.join(words))}",)

    def _add_try(self, index: int, later: int, change: CallChange) -> None:
        step = self._steps[later]
        self.tries.append(
            FixAttempt(
                failure=self._steps[index].call,
                later=step.call,
                signature=self._subject(index).signature,
                change=change,
                danger=self._danger(index, later, change),
                worked=self._is_overcome(index, later),
                at=step.at,
            )
        )

    def _danger(self, index: int, later: int, change: CallChange) -> Danger:
        """How dangerous it is to do the same again: the call that worked, or the one that had to come first."""
        failed, step = self._steps[index], self._steps[later]
        roots = self._folders.get(step.context, ())
        needed = self._preparing_call(index, later) if change.first else None
        if needed is not None:
            return judge_preceding_call(needed[1].tool, needed[1].arguments, roots)
        complaint = self._subject(index).signature.key
        return judge_calls(failed.tool, failed.arguments, step.arguments, roots, complaint=complaint)


def is_same_call(one: Step, two: Step) -> bool:
    """Whether two calls do the same, whatever they show of it."""
    first, second = (command_of(fields_of(step.arguments)) for step in (one, two))
    if first is None or second is None:
        return one.arguments == two.arguments
    return (parse_command(first).tokens, parse_command(first).moves) == (
        parse_command(second).tokens,
        parse_command(second).moves,
    )


def _words(step: Step) -> tuple[str, ...]:
    line = command_of(fields_of(step.arguments))
    return parse_command(line).tokens if line else ()


def _writes(step: Step) -> bool:
    if step.tool in EDITS:
        return True
    line = command_of(fields_of(step.arguments))
    return line is not None and bool(_WRITES.search(line))


def _prepares(step: Step) -> bool:
    line = command_of(fields_of(step.arguments))
    if line is None or _WRITES.search(line):
        return False
    main = parse_command(line).main_part
    return bool(main.program) and not main.only_reads


def _habits(steps: Sequence[Step]) -> tuple[dict[CallChange, int], dict[str, tuple[int, int]]]:
    """Changes from a successful call to the next of the same goal, and the number of such pairs."""
    habits: Counter[CallChange] = Counter()
    after_success: Counter[str] = Counter()
    after_failure: Counter[str] = Counter()
    last: dict[str, Step] = {}
    for step in steps:
        before = last.get(step.tool)
        last[step.tool] = step
        if before is None or before.status is None or before.tool in EDITS or before.arguments == step.arguments:
            continue
        if command_of(fields_of(step.arguments)) is None or not has_same_goal(
            step.tool, before.arguments, step.arguments
        ):
            continue
        if before.status in _FAILED:
            after_failure[step.tool] += 1
        elif before.status is Status.OK:
            after_success[step.tool] += 1
            change = call_difference(step.tool, before.arguments, step.arguments)
            if change is not None:
                habits[change] += 1
    return dict(habits), {tool: (after_success[tool], after_failure[tool]) for tool in {*after_success, *after_failure}}
