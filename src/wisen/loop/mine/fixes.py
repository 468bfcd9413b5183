"""From failures to what fixed them: the later success of the same tool and goal, and what was different about it.

Within one session only, and within a few calls. The fix is the difference of the two calls: tokens of a shell command,
fields of another tool's arguments; or the call between, where the call itself stayed the same. A test or a lint that
passes after code was edited is work, not a fix; a call that simply succeeds when repeated was never broken.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
import shlex
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from wisen.domain.events import Status
from wisen.domain.fixes import Danger, Fix, History, Step
from wisen.domain.report import Failure
from wisen.loop.mine.kinds import kind_of, leads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

REACH = 12
"""How many calls after a failure its fix may come."""
ALIKE = 0.5
"""How alike two calls must be to have the same goal."""
MOST_TOKENS = 6
"""A difference of more tokens is another command, not a fix."""
_Difference: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
_TRIMMERS = frozenset("head tail grep egrep rg wc sort uniq cat less sed awk cut tee".split())
_REDIRECTIONS = frozenset(["2>&1", "2>/dev/null"])
_READS = re.compile(r"(?:ls|cat|head|tail|grep|rg|find|pwd|echo|git|which|wc|sed)\Z")
_FAILED = (Status.FAILED, Status.MASKED)
_EDITS = frozenset("Edit Write MultiEdit NotebookEdit edit write apply_patch".split())
_CHECKS = re.compile(
    r"\b(?:test|tests|spec|check|lint|typecheck|tsc|pytest|jest|vitest|mypy|ruff|eslint|biome|golangci-lint|clippy|build"
    r"|compile|vet|fmt|format|e2e|coverage)\b"
)
_INSTALLS = re.compile(r"install|add|get|i|ci|sync|require")
_INSTALLERS = frozenset("npm pnpm yarn bun pip pip3 uv brew apt apt-get gem cargo go poetry conda".split())
_DELETERS = frozenset("rm rmdir unlink shred truncate dd mkfs".split())
_HOST = re.compile(r"https?://([^\s/\"']+)")
_FETCHED = re.compile(r"(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\|\s*(?:ba|z)?sh\b")
_PATHS = re.compile(r"(?:[\w.@~-]*/)+[\w.@~*+-]*|\b[0-9a-f]{7,40}\b|\d+")


@dataclass(frozen=True, slots=True)
class _Seen:
    """One failure with the success that followed it, or with another failure after the same change."""

    key: tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    session: int
    call: str
    before: str
    after: str
    danger: Danger
    at: datetime
    worked: bool


def fixes(histories: Iterable[History]) -> tuple[Fix, ...]:
    """Every change that made a failing call work, those of most sessions first."""
    seen: dict[tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], list[_Seen]] = defaultdict(list)
    for history in histories:
        for each in _in_session(history):
            seen[each.key].append(each)
    found = [fix for key, cases in seen.items() if (fix := _fix(key, cases)) is not None]
    return tuple(sorted(found, key=lambda fix: (-fix.sessions, -fix.calls, fix.tool, fix.kind)))


def _fix(key: tuple[str, str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], cases: list[_Seen]) -> Fix | None:
    worked = [case for case in cases if case.worked]
    if not worked:
        return None
    newest = max(worked, key=lambda case: case.at)
    tool, kind, removed, added, first = key
    return Fix(
        tool=tool,
        kind=kind,
        removed=removed,
        added=added,
        first=first,
        before=newest.before,
        after=newest.after,
        sessions=len({case.session for case in worked}),
        calls=len({case.call for case in worked}),
        failed_again=len([case for case in cases if not case.worked]),
        danger=max((case.danger for case in worked), key=list(Danger).index),
        last=newest.at,
    )


def _in_session(history: History) -> Iterator[_Seen]:
    steps = history.steps
    for index, failed in enumerate(steps):
        if failed.status not in _FAILED or failed.arguments is None:
            continue
        one = core(_shown(failed))
        for later in range(index + 1, min(index + 1 + REACH, len(steps))):
            step = steps[later]
            if step.tool != failed.tool or step.status is None:
                continue
            two = core(_shown(step))
            if not _same_goal(failed, step, one, two):
                continue
            difference = _difference(failed, step, steps[index + 1 : later], (one, two))
            if difference is not None and _says_something(difference) and _tells(failed, step):
                yield _seen(history, index, step, difference)
            if step.status is Status.OK:
                break


def _tells(failed: Step, step: Step) -> bool:
    """Whether the later call says anything of the failure: it worked, or it failed in the same way again."""
    return step.status is Status.OK or (step.status in _FAILED and _kind(step) == _kind(failed))


def _kind(step: Step) -> str:
    status = step.status or Status.FAILED
    return kind_of(
        Failure(session=0, tool=step.tool, arguments=step.arguments, text=step.text, status=status, at=step.at)
    )


def _says_something(difference: _Difference) -> bool:
    """Whether anything but places and numbers changed: those are different every time."""
    removed, added, first = difference
    return bool(first) or list(map(_generic, removed)) != list(map(_generic, added))


def _seen(history: History, index: int, step: Step, difference: _Difference) -> _Seen:
    failed = history.steps[index]
    removed, added, first = difference
    new = [*added, *(token for call in first for token in core(call.partition(": ")[2]))]
    removed, added = tuple(map(_generic, removed)), tuple(map(_generic, added))
    first = tuple(map(_generic, first))
    earlier = [_shown(each) for each in history.steps[:index]]
    unknown = [token for token in new if not any(token in text for text in earlier)]
    return _Seen(
        key=(failed.tool, _kind(failed), removed, added, first),
        session=history.session,
        call=failed.call,
        before=_shown(failed),
        after=_shown(step),
        danger=_danger(unknown, new, _shown(step)),
        at=step.at,
        worked=step.status is Status.OK,
    )


def _same_goal(failed: Step, step: Step, one: list[str], two: list[str]) -> bool:
    if failed.arguments == step.arguments:
        return True
    if "command" in _fields(failed.arguments):
        return _ratio(one, two) >= ALIKE and _same_words(one, two)
    before, after = _fields(failed.arguments), _fields(step.arguments)
    target = next((name for name in ("file_path", "path", "url", "notebook_path") if name in {**before, **after}), None)
    if target is not None:
        same_place = before.get(target) == after.get(target)
        rest = [{k: v for k, v in fields.items() if k != target} for fields in (before, after)]
        return same_place or (
            rest[0] == rest[1] and _last_part(before.get(target, "")) == _last_part(after.get(target, ""))
        )
    shared = [name for name in before if before[name] == after.get(name)]
    return bool(before) and len(shared) >= len(before) / 2


def _same_words(one: list[str], two: list[str]) -> bool:
    """Whether words that took each other's place are variants of each other: another script is another goal."""
    for operation, a, b, c, d in difflib.SequenceMatcher(a=one, b=two, autojunk=False).get_opcodes():
        if operation != "replace" or b - a != d - c:
            continue
        for old, new in zip(one[a:b], two[c:d], strict=True):
            plain = not old.startswith("-") and not new.startswith("-") and len(old) < 40
            if plain and old not in new and new not in old and difflib.SequenceMatcher(a=old, b=new).ratio() < ALIKE:
                return False
    return True


def _difference(
    failed: Step, step: Step, between: tuple[Step, ...], words: tuple[list[str], list[str]]
) -> _Difference | None:
    """Removed, added, and the calls that had to come first; None when nothing can be learnt from the pair."""
    edited = any(each.tool in _EDITS and each.status is Status.OK for each in between)
    if edited and failed.tool not in _EDITS and (failed.arguments == step.arguments or _CHECKS.search(_shown(failed))):
        return None
    one, two = _fields(failed.arguments), _fields(step.arguments)
    if failed.tool in _EDITS or one == two or (one.get("command") and words[0] == words[1]):
        needed = _needed(failed, between)
        if needed:
            return (), (), needed
        return _switches(one, two) if failed.tool in _EDITS else None
    if "command" in one and "command" in two:
        removed, added = _token_difference(*words)
        return (removed, added, ()) if 0 < len(removed) + len(added) <= MOST_TOKENS else None
    return _field_difference(one, two)


def _needed(failed: Step, between: tuple[Step, ...]) -> tuple[str, ...]:
    """The last good call between that is about the same thing: a file that was read, a folder that was made."""
    target = _fields(failed.arguments).get("file_path")
    for each in reversed(between):
        if each.status is not Status.OK or each.tool in _EDITS:
            continue
        if (
            target is None
            and each.tool == failed.tool
            and not _READS.match(core(_shown(each))[0] if core(_shown(each)) else "")
        ):
            return (f"{each.tool}: {_shown(each)}",)
        if target is not None and _fields(each.arguments).get("file_path") == target:
            return (f"{each.tool} the same file",)
    return ()


def _switches(
    one: dict[str, str], two: dict[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """Options that were switched; the text of an edit is no lesson."""
    names = [name for name in {*one, *two} if name in ("replace_all",) and one.get(name) != two.get(name)]
    if not names:
        return None
    return (), tuple(f"{name}={two.get(name, 'absent')}" for name in names), ()


def _field_difference(one: dict[str, str], two: dict[str, str]) -> _Difference | None:
    changed = [name for name in {**one, **two} if one.get(name) != two.get(name)]
    if len(changed) > 2 or any(len(one.get(name, "")) + len(two.get(name, "")) > 200 for name in changed):
        return None
    removed = tuple(f"{name}={one[name]}" for name in changed if name in one)
    added = tuple(f"{name}={two[name]}" for name in changed if name in two)
    return removed, added, ()


def _token_difference(one: list[str], two: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    removed: list[str] = []
    added: list[str] = []
    for operation, a, b, c, d in difflib.SequenceMatcher(a=one, b=two, autojunk=False).get_opcodes():
        if operation != "equal":
            removed += one[a:b]
            added += two[c:d]
    return tuple(removed), tuple(added)


def _danger(unknown: list[str], new: list[str], after: str) -> Danger:
    """The worst of what a fix brings in; what the session had used before is not new, but deleting always counts."""
    text, program = " ".join(unknown), core(after)[:1]
    tests = (
        (Danger.DELETES, any(token in _DELETERS for token in new)),
        (Danger.SHELL, "|" in unknown and bool(_FETCHED.search(after))),
        (Danger.ROOT, any(token in ("sudo", "su", "doas") for token in unknown)),
        (Danger.HOST, bool(_HOST.search(text))),
        (Danger.PACKAGE, bool(unknown) and _installs(core(after))),
        (Danger.OUTSIDE, any(token.startswith(("/", "~")) for token in unknown)),
        (Danger.PROGRAM, bool(program) and program[0] in unknown),
    )
    return next((danger for danger, fits in tests if fits), Danger.NONE)


def _installs(words: list[str]) -> bool:
    return any(one in _INSTALLERS and _INSTALLS.fullmatch(two) for one, two in itertools.pairwise(words))


def _ratio(one: list[str], two: list[str]) -> float:
    return difflib.SequenceMatcher(a=one, b=two, autojunk=False).ratio() if one and two else 0.0


def _fields(arguments: str | None) -> dict[str, str]:
    try:
        decoded = json.loads(arguments or "{}")
    except json.JSONDecodeError:
        return {}
    if not isinstance(decoded, dict):
        return {}
    ignored = ("description", "timeout", "run_in_background")
    return {
        str(name): value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for name, value in decoded.items()
        if name not in ignored
    }


def core(command: str) -> list[str]:
    """The tokens of a shell command that say what it does: without its lead and without what only trims its output."""
    command = leads(command)
    try:
        tokens = shlex.split(command, comments=False)[:80]
    except ValueError:
        tokens = command.split()[:80]
    while "|" in tokens:
        last = len(tokens) - 1 - tokens[::-1].index("|")
        if tokens[last + 1 : last + 2] and tokens[last + 1] not in _TRIMMERS:
            break
        tokens = tokens[:last]
    return [token for token in tokens if token not in _REDIRECTIONS]


def _shown(step: Step) -> str:
    fields = _fields(step.arguments)
    if "command" in fields:
        return fields["command"]
    return ", ".join(f"{name}={value[:80]}" for name, value in fields.items())


def _generic(text: str) -> str:
    return _PATHS.sub("…", text) if len(text) > 40 or "/" in text else text


def _last_part(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]
