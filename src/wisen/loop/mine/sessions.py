"""What one session teaches: its failures, how each was overcome, and which changes were tried.

Within one session only, and within a stretch of calls. The fix is the difference between the failing call and the
later one that worked, or the call between where the call itself stayed the same. A test or a lint that passes after
code was edited is work, not a fix; a call that simply succeeds when repeated was never broken.
"""

from __future__ import annotations

import re
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING

from wisen.domain.commands import READERS, command_of, fields_of, parsed
from wisen.domain.dangers import judge_calls, judge_first
from wisen.domain.events import Status
from wisen.domain.failures import Change, Failure, Mined, Try
from wisen.domain.histories import EDITS
from wisen.loop.mine.changes import difference, generic, same_goal
from wisen.loop.mine.goals import goals_of
from wisen.loop.mine.signatures import VERSION, About, about

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.domain.fixes import Danger
    from wisen.domain.histories import History, Step

MINER = VERSION * 1000 + 2
"""The version of all mining: what was mined by another one is mined again."""
REACH = 25
"""How many calls after a failure its fix may come."""
IDLE_MS = 15 * 60_000
"""Time lost is counted up to so much a failure: behind it somebody was away."""
_FAILED = (Status.FAILED, Status.MASKED)
_WRITES = re.compile(r"\bsed\s+-i|\btee\b|>\s*\S|\bpatch\b|\bapply_patch\b|python3?\s+(?:-c|-\s*<<|<<)|\bperl\s+-[pi]")
_WORKED_ON = ("build.", "vcs.conflict")
"""Failures that are got over by working on the code."""
_MENDS = re.compile(r"fix|write|fmt|format|update|tidy|generate|install|sync|clean|cache|\brm\b|\bmkdir\b|\bcd\b")
"""What makes a check pass without anybody working on the code."""
_TRANSIENT_KEYS = ("net.unreachable", "net.timeout", "net.rate-limited", "shell.timeout", "deps.missing-install")
_TRANSIENT_WHEN_OVER = ("shell.command-not-found", "deps.module-not-found", "runtime.cannot-start", "vcs.locked")
_TOKEN_CHARACTERS = 4
NO_FOLDERS: Mapping[str, Sequence[str]] = MappingProxyType({})


def mine(history: History, folders: Mapping[str, Sequence[str]] = NO_FOLDERS) -> Mined:
    """Everything that mining finds in a session; `folders` tells where contexts are, as absolute paths."""
    told = _Told(history, folders)
    habits, pairs = _habits(history.steps)
    failures = tuple(told.failure(index) for index in told.failed)
    return Mined(
        session=history.session,
        failures=failures,
        tries=tuple(told.tries),
        habits=habits,
        pairs=pairs,
        goals=goals_of(history),
    )


class _Told:
    """One pass over the steps of a session."""

    def __init__(self, history: History, folders: Mapping[str, Sequence[str]]) -> None:
        self._steps, self._folders = history.steps, folders
        self._about: dict[int, About] = {}
        self.failed = [index for index, step in enumerate(self._steps) if step.status in _FAILED]
        self.tries: list[Try] = []

    def failure(self, index: int) -> Failure:
        """One failed call with everything that is told about it; the changes tried against it go to `tries`."""
        step, what = self._steps[index], self._what(index)
        attempts = self._attempts(index)
        end = attempts[-1] if self._is_over(index, attempts[-1]) else None
        explained = False
        for later in attempts[1:]:
            change = self._change(index, later)
            if change is not None:
                explained = explained or later == end
                self._try(index, later, change)
        again = end is not None and same_call(step, self._steps[end])
        transient = what.signature.key in _TRANSIENT_KEYS or (
            end is not None and not explained and not self._worked_on(index, end)
            and (again or what.signature.key in _TRANSIENT_WHEN_OVER)
        )  # fmt: skip
        last = self._steps[end] if end is not None else step
        until = last.at if end is not None else step.ended or step.at
        lost = [self._steps[each] for each in attempts if each != end]
        return Failure(
            call=step.call,
            tool=step.tool,
            signature=what.signature,
            command=what.command,
            place=what.place,
            at=step.at,
            masked=step.status is Status.MASKED,
            transient=transient,
            ended_by=last.call if end is not None else None,
            attempts=tuple(self._steps[each].call for each in attempts),
            trajectory="".join("1" if each == end else "0" for each in attempts),
            lost_ms=min(max(0, int((until - step.at).total_seconds() * 1000)), IDLE_MS),
            lost_tokens=sum(len(each.arguments or "") + len(each.text or "") for each in lost) // _TOKEN_CHARACTERS,
        )

    def _what(self, index: int) -> About:
        if index not in self._about:
            step = self._steps[index]
            self._about[index] = about(tool=step.tool, arguments=step.arguments, text=step.text)
        return self._about[index]

    def _attempts(self, index: int) -> list[int]:
        """The calls of the same tool and goal from a failure on, up to the first that succeeded."""
        failed, found = self._steps[index], [index]
        if failed.arguments is None:
            return found
        for later in range(index + 1, min(index + 1 + REACH, len(self._steps))):
            step = self._steps[later]
            if step.tool != failed.tool or step.status is None or step.status is Status.CANCELLED:
                continue
            if same_goal(failed.tool, failed.arguments, step.arguments):
                found.append(later)
                if self._is_over(index, later):
                    break
        return found

    def _is_over(self, index: int, later: int) -> bool:
        """Whether a later attempt got over a failure: it succeeded, or it came as far as doing its own job.

        Tests that fail are not the trouble of a command that could not even start them.
        """
        if self._steps[later].status is Status.OK:
            return True
        if later == index or self._steps[later].status not in _FAILED:
            return False
        before, after = self._what(index).signature.key, self._what(later).signature.key
        return after.startswith("build.") and not before.startswith("build.")

    def _worked_on(self, index: int, later: int) -> bool:
        """Whether files were written between two steps: what passes then was worked on."""
        return any(_writes(step) for step in self._steps[index + 1 : later] if step.status is Status.OK)

    def _change(self, index: int, later: int) -> Change | None:
        """What made, or was meant to make, the difference between a failed call and a later one."""
        failed, step = self._steps[index], self._steps[later]
        what = self._what(index).signature
        if not self._is_over(index, later) and self._what(later).signature != what:
            return None  # it failed in another way: that says nothing about this change
        if failed.tool not in EDITS and what.key.startswith(_WORKED_ON) and self._worked_on(index, later):
            return None
        if what.key == "shell.said-nothing" and what.who in READERS:
            return None  # it looked for something that is not there: an answer, not a mistake
        change = difference(failed.tool, failed.arguments, step.arguments)
        checked = what.key.startswith(_WORKED_ON)
        if change is not None and failed.tool not in EDITS:
            # A check that passes when it is asked otherwise was avoided, unless it was asked to mend what it found.
            return change if not checked or any(map(_MENDS.search, change.added)) else None
        found = self._needed(index, later)
        needed = found[0] if found else ()
        if needed and not (checked and not any(map(_MENDS.search, needed))):
            return Change(tool=failed.tool, first=needed)
        return change if failed.tool in EDITS else None

    def _needed(self, index: int, later: int) -> tuple[tuple[str, ...], Step] | None:
        """The last good call between that prepared the ground, in words: the file was read, the folder made."""
        failed = self._steps[index]
        place = fields_of(failed.arguments).get("file_path")
        for step in reversed(self._steps[index + 1 : later]):
            if step.status is not Status.OK or step.tool in EDITS:
                continue
            if place is not None:
                if fields_of(step.arguments).get("file_path") == place:
                    return (f"{step.tool} the same file",), step
            elif step.tool == failed.tool and _prepares(step):
                return (f"{step.tool}: {generic(' '.join(_words(step)[:8]))}",), step
        return None

    def _try(self, index: int, later: int, change: Change) -> None:
        step = self._steps[later]
        self.tries.append(
            Try(
                failure=self._steps[index].call,
                later=step.call,
                signature=self._what(index).signature,
                change=change,
                danger=self._danger(index, later, change),
                worked=self._is_over(index, later),
                at=step.at,
            )
        )

    def _danger(self, index: int, later: int, change: Change) -> Danger:
        """What is dangerous about doing the same again: the call that worked, or the one that had to come first."""
        failed, step = self._steps[index], self._steps[later]
        roots = self._folders.get(step.context, ())
        needed = self._needed(index, later) if change.first else None
        if needed is not None:
            return judge_first(needed[1].tool, needed[1].arguments, roots)
        complaint = self._what(index).signature.key
        return judge_calls(failed.tool, failed.arguments, step.arguments, roots, complaint=complaint)


def same_call(one: Step, two: Step) -> bool:
    """Whether two calls do the same, whatever they show of it."""
    first, second = (command_of(fields_of(step.arguments)) for step in (one, two))
    if first is None or second is None:
        return one.arguments == two.arguments
    return (parsed(first).tokens, parsed(first).moves) == (parsed(second).tokens, parsed(second).moves)


def _words(step: Step) -> tuple[str, ...]:
    line = command_of(fields_of(step.arguments))
    return parsed(line).tokens if line else ()


def _writes(step: Step) -> bool:
    if step.tool in EDITS:
        return True
    line = command_of(fields_of(step.arguments))
    return line is not None and bool(_WRITES.search(line))


def _prepares(step: Step) -> bool:
    line = command_of(fields_of(step.arguments))
    if line is None or _WRITES.search(line):
        return False
    main = parsed(line).main
    return bool(main.program) and not main.only_reads


def _habits(steps: Sequence[Step]) -> tuple[dict[Change, int], dict[str, tuple[int, int]]]:
    """Changes from a call that succeeded to the next of the same goal, and how many such neighbours there were."""
    habits: Counter[Change] = Counter()
    after_success: Counter[str] = Counter()
    after_failure: Counter[str] = Counter()
    last: dict[str, Step] = {}
    for step in steps:
        before = last.get(step.tool)
        last[step.tool] = step
        if before is None or before.status is None or before.tool in EDITS or before.arguments == step.arguments:
            continue
        if command_of(fields_of(step.arguments)) is None or not same_goal(step.tool, before.arguments, step.arguments):
            continue
        if before.status in _FAILED:
            after_failure[step.tool] += 1
        elif before.status is Status.OK:
            after_success[step.tool] += 1
            change = difference(step.tool, before.arguments, step.arguments)
            if change is not None:
                habits[change] += 1
    return dict(habits), {tool: (after_success[tool], after_failure[tool]) for tool in {*after_success, *after_failure}}
