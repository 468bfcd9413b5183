"""Failure signatures: what similar failures have in common, whatever file, number or name they are about.

`error_patterns.py` tells who reports which error where the tool is known; otherwise the error line does, with its
values removed. Only failed results are read, never the output of a success.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.error_patterns import CHECKS, ERROR_PATTERNS, TOOL_ERROR_PATTERNS
from wisen.mining.miner_version import SIGNATURE_VERSION
from wisen.model.failure import Signature
from wisen.text.command_lines import Command, command_of, fields_of, parse_command

if TYPE_CHECKING:
    from wisen.mining.error_patterns import ErrorPattern, LinePattern

_MAX_LENGTH = 100
_MAX_READ = 8_000
_EXIT = re.compile(r"\s*(?:Exit code|exit code|Process exited with code|\[exit code:?) ?(-?\d+)\]?[ \t]*(?:\n|\Z)")
_TAGS = re.compile(r"</?(?:tool_use_error|error)>")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\r(?!\n)")
_ECHO = re.compile(r"[ \t]*(?:\[[\w:.-]+\] )?\$ .*(?:\n|\Z)")
"""Script runners print the command before they run it."""
_ERROR_WORDS = re.compile(
    r"\b(?:error|fatal|failed|failure|not found|no such|denied|unrecognized|unknown|invalid|cannot|can't|unable|panic"
    r"|exception|missing|refused|illegal|not allowed|unexpected|must|requires?|timed? ?out)\b",
    re.IGNORECASE,
)
_RAISED = re.compile(
    r"^(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning|Failure))(?::[ \t]*(?P<what>.*))?$",
    re.MULTILINE,
)
_USAGE = re.compile(r"^\s*[Uu]sage:\s+(?P<who>[\w.-]+)", re.MULTILINE)
_SPEAKER = re.compile(r"^(?:/\S*/)?(?P<who>[A-Za-z][\w.+-]*): ")
_SHELL = re.compile(
    r"^(?:/\S*/)?(?:ba|z|da|fi)?sh(?:\[\d+\])?: (?:line \d+: )?|^\(eval\):(?:cd:)?\d+: ?|^\S+\.sh: line \d+: "
)
_POINTS_AT = re.compile(r"(?P<place>[\w./@~-]*\w\.\w{1,8})(?:\(\d+(?:,\d+)?\)|:\d+(?::\d+)?)")
_NAMED = re.compile(r"(?P<place>(?:[\w.@~-]*/)+[\w.@~+-]+)")
_ENDINGS = "[cm]?[jt]sx?|py|go|rs|md|json|ya?ml|toml|sh|css|html?|java|rb|php|c|h|cpp|txt|lock"
_NORMAL = (
    (re.compile(r"\bhttps?://[^\s\"'<>)]+"), "<url>"),
    (re.compile(r"\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”|‘[^’\n]{1,200}’"), "…"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[~.\w@+-]*[/\\])+[\w.@~*+-]*(?::\d+)*"), "<path>"),
    (re.compile(rf"\b[\w-]+\.(?:{_ENDINGS})\b(?::\d+)*"), "<path>"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,}\b|\b0x[0-9a-fA-F]+\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?\b|\b\d\d:\d\d:\d\d\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|m|min|minutes?|h)\b"), "<time>"),
    (re.compile(r"[-+]?\b\d+(?:[.,]\d+)*\b"), "N"),
    (re.compile(r"\s+"), " "),
)  # fmt: skip


class FailureSubject(NamedTuple):
    """The signature of a failed call, its command, and the place it is about."""

    signature: Signature
    command: str
    place: str


def signature_of(*, tool: str, arguments: str | None, text: str | None) -> Signature:
    """The signature of a failed call. `arguments` is a JSON object; `text` is its output, None if it was not stored."""
    return describe_failure(tool=tool, arguments=arguments, text=text).signature


def describe_failure(*, tool: str, arguments: str | None, text: str | None) -> FailureSubject:
    """The signature of a failed call, the command it ran and the place it is about."""
    fields = fields_of(arguments)
    line = command_of(fields)
    command = parse_command(line) if line is not None else None
    output = _clean(text or "")
    place = next((str(fields[name]) for name in ("file_path", "path", "notebook_path") if fields.get(name)), "")
    if not place and output:
        found = _POINTS_AT.search(output) or _NAMED.search(output)
        place = found["place"] if found else ""
    head = command.main_part.head if command else ""
    if text is None:
        signature = _signature("runtime.not-kept", command.main_part.program if command else tool)
    elif command is not None:
        signature = _command_signature(output, command, _EXIT.match(text))
    else:
        signature = _tool_signature(output, tool)
    return FailureSubject(signature, head, place)


def _clean(text: str) -> str:
    half = _MAX_READ // 2
    if len(text) > _MAX_READ:
        text = f"{text[:half]}\n{text[-half:]}"
    text = _TAGS.sub("", _ANSI.sub("", text))
    ended = _EXIT.match(text)
    return text[ended.end() :] if ended else text


def _tool_signature(output: str, tool: str) -> Signature:
    first = output.strip().partition("\n")[0]
    for each in TOOL_ERROR_PATTERNS:
        if each.form.search(first):
            return _signature(each.key, each.who or tool, normalize_line(first) if each.says else "")
    server = tool.startswith("mcp__")
    return _signature("api.error" if server else "runtime.error", tool, normalize_line(_error_line(output) or first))


def _command_signature(output: str, command: Command, ended: re.Match[str] | None) -> Signature:
    program = command.main_part.program
    if not output.strip():
        last = command.parts[-1].program if command.parts else program
        return _signature("shell.said-nothing", last, f"exit {ended[1]}, said nothing" if ended else "said nothing")
    check = _find_check(output)
    if check is not None:
        return check
    for complaint in ERROR_PATTERNS:
        found = complaint.form.search(output)
        if found is not None:
            return _pattern_signature(complaint, output, found, command)
    error_line = _error_line(output)
    line = error_line or _first_line(output)
    return _signature(
        "runtime.error" if error_line else "shell.nonzero-exit", _speaker(line, command), normalize_line(line)
    )


def _find_check(output: str) -> Signature | None:
    """The check that found something; of several the one reported last, because nothing ran after it."""
    best: tuple[int, Signature] | None = None
    for check in CHECKS:
        if not any(hint in output for hint in check.hints) or (check.unless and check.unless.search(output)):
            continue
        last = _last_match(check.form, output)
        if last is not None and (best is None or last.start() > best[0]):
            best = last.start(), _signature(check.key, check.who)
    return best[1] if best else None


def _last_match(form: LinePattern | re.Pattern[str], output: str) -> re.Match[str] | None:
    return next(iter(deque(form.finditer(output), maxlen=1)), None)


def _pattern_signature(complaint: ErrorPattern, output: str, found: re.Match[str], command: Command) -> Signature:
    start = output.rfind("\n", 0, found.start() + 1) + 1
    line = output[start:].partition("\n")[0]
    named = next((value for value in found.groupdict().values() if value), None)
    who = complaint.who or (named.rsplit("/", 1)[-1] if named else "")
    if not who:
        usage = _USAGE.search(output) if complaint.key.startswith("shell.unknown") else None
        who = usage["who"] if usage else _speaker(line, command)
    says = ""
    if complaint.says:
        raised = _last_match(_RAISED, output)
        says = normalize_line(f"{raised['kind'].rsplit('.', 1)[-1]}: {raised['what'] or ''}" if raised else line)
    return _signature(complaint.key, who, says)


def _speaker(line: str, command: Command) -> str:
    """The program that a line names as its source, if the command ran it; else the command's main program."""
    programs = {part.program for part in command.parts}
    named = _SPEAKER.match(_SHELL.sub("", line.strip()))
    if named and (named["who"] in programs or any(named["who"] in part.words for part in command.parts)):
        return named["who"]
    if _SHELL.match(line.strip()) and "cd" in programs and "cd" in line:
        return "cd"
    return command.main_part.program


def _error_line(output: str) -> str | None:
    """The first line that says what was wrong; not one that only repeats the command."""
    position = 0
    while found := _ERROR_WORDS.search(output, position):
        start = output.rfind("\n", 0, found.start()) + 1
        line = output[start:].partition("\n")[0]
        if not _ECHO.match(line) and len(line) < 1000:
            return line
        position = start + len(line) + 1
    return None


def _first_line(output: str) -> str:
    lines = (line for line in output.splitlines() if line.strip() and not _ECHO.match(line))
    return next(lines, output.strip().partition("\n")[0])


def normalize_line(line: str) -> str:
    """A line without its values: paths, numbers, ids, times and quoted text."""
    line = _SHELL.sub("", line.strip())[:1000]
    for pattern, replacement in _NORMAL:
        line = pattern.sub(replacement, line)
    return line.strip(" :-=")[:_MAX_LENGTH]


def _signature(key: str, who: str, says: str = "") -> Signature:
    return Signature(key=key, who=who, says=says.removeprefix(f"{who}: ") if who else says, version=SIGNATURE_VERSION)
