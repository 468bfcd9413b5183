"""Failures that look alike, put together: the tool or program, and the line that says what was wrong.

A first and simple grouping for the report; it reads only failed results, never successful output.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.domain.events import Status
from wisen.domain.report import Failure, FailureKind

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 100
_TELLS = re.compile(
    r"\b(?:error|fatal|failed|failure|not found|no such|denied|unrecognized|unknown|invalid|cannot|unable|panic"
    r"|exception|traceback|missing|refused|timed? ?out)\b",
    re.IGNORECASE,
)
_EXIT = re.compile(r"Exit code (-?\d+)[ \t]*(?:\n|\Z)")
_ECHO = re.compile(r"\s*(?:\[[\w:-]+\] )?\$ ")
"""Script runners print the command before they run it."""
_TAGS = re.compile(r"</?tool_use_error>")
_NORMAL = (
    (re.compile(r"\x1b\[[0-9;]*[A-Za-z]"), ""),
    (re.compile(r"^(?:/bin/|/usr/bin/)?(?:ba|z|da)?sh: (?:line \d+: )?"), ""),
    (re.compile(r"(?:[A-Za-z]:)?(?:[~.\w@-]*[/\\])+[\w.@~*+-]*"), "<path>"),
    (re.compile(r"\b[0-9a-f]{7,}(?:-[0-9a-f]{4,})*\b"), "<id>"),
    (re.compile(r"\d+(?:\.\d+)*"), "N"),
    (re.compile(r"\s+"), " "),
)
_SUDO = re.compile(r"(?:sudo|doas)\s+(?:-\S+\s+)*")
_LEAD = re.compile(r"\s*(?:cd\s+\S+\s*(?:&&|;)\s*|\w+=\S*\s+|time\s+|timeout\s+\S+\s+)")


def failure_kinds(failures: Iterable[Failure]) -> tuple[FailureKind, ...]:
    """The kinds of failure, those of most sessions first."""
    groups: dict[tuple[str, str], list[Failure]] = defaultdict(list)
    for failure in failures:
        groups[failure.tool, kind_of(failure)].append(failure)
    kinds = [
        FailureKind(
            tool=tool,
            kind=kind,
            calls=len(alike),
            masked=sum(failure.status is Status.MASKED for failure in alike),
            sessions=len({failure.session for failure in alike}),
            last=max(failure.at for failure in alike),
        )
        for (tool, kind), alike in groups.items()
    ]
    return tuple(sorted(kinds, key=lambda kind: (-kind.sessions, -kind.calls, kind.tool, kind.kind)))


def kind_of(failure: Failure) -> str:
    """What was wrong in a few words: the program of a shell command, and the line that tells."""
    program = _program(failure.arguments)
    if failure.text is None:
        return f"{program}: text not kept".removeprefix(": ")
    ended = _EXIT.match(failure.text)
    said = _telling_line(failure.text, ended.end() if ended else 0) or ("" if ended else failure.text.lstrip())
    first = _normal(_TAGS.sub("", said.partition("\n")[0][:1000]))
    return f"{program}: {first or (f'exit {ended[1]}' if ended else 'said nothing')}".removeprefix(": ")[:_LONGEST]


def _telling_line(text: str, position: int) -> str | None:
    """The first line that says what was wrong, from the line's beginning on; not one that only repeats the command."""
    while found := _TELLS.search(text, position):
        start = text.rfind("\n", 0, found.start()) + 1
        if not _ECHO.match(text, start):
            return text[start:]
        position = text.find("\n", found.end())
        if position < 0:
            return None
    return None


def _normal(line: str) -> str:
    for pattern, replacement in _NORMAL:
        line = pattern.sub(replacement, line)
    return line.strip(" :-=")


def _program(arguments: str | None) -> str:
    try:
        decoded = json.loads(arguments or "{}")
    except json.JSONDecodeError:
        return ""
    command = decoded.get("command") if isinstance(decoded, dict) else None
    if not isinstance(command, str):
        return ""
    words = _SUDO.sub("", leads(command)).split(maxsplit=1)
    return words[0].rsplit("/", 1)[-1] if words else ""


def leads(command: str) -> str:
    """A shell command without what only prepares it: changes of directory, assignments, time limits."""
    while lead := _LEAD.match(command):
        command = command[lead.end() :]
    return command
