"""Formats values as text for a terminal or as JSON: numbers, sizes, calls, paths, decisions."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.model.report import Counts, OpenDecision
    from wisen.surfaces.cli.layout import FittedTable


def print_json(value: object) -> None:
    """Print a value as one JSON object, with dates in ISO format."""
    import msgspec

    from wisen.surfaces.cli.terminal import escape_json

    try:
        encoded = msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:  # half of a character, which no JSON may hold
        import json

        plain = json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False)
        encoded = plain.encode("utf-8", "replace")
    sys.stdout.write(escape_json(msgspec.json.format(encoded, indent=2).decode("utf-8")) + "\n")


def console() -> Console:
    """Return a console on standard output; without a terminal and COLUMNS, lines are not wrapped."""
    from wisen.surfaces.cli.terminal import safe_console

    return safe_console()


def say(text: str, *, dim: bool = False) -> None:
    """Print one line. On a pipe it is printed without rich, which takes time to load."""
    if sys.stdout.isatty():
        console().print(text, style="dim" if dim else None, markup=False)
    else:
        print(text)


def table(*columns: str, right: tuple[str, ...] = ()) -> FittedTable:
    """Return a table without borders; `right` names the number columns."""
    from wisen.surfaces.cli.layout import FittedTable

    return FittedTable(columns, right)


def format_size(count: int) -> str:
    """Format a number of bytes."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} bytes"


def plural(count: int, one: str, many: str = "") -> str:
    """Format a number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def format_count(count: int) -> str:
    """Format a number, rounded."""
    return (
        f"{count:,}"
        if count < 1000
        else f"{count / 1000:.0f} thousand"
        if count < 1e6
        else f"{count / 1e6:.1f} million"
    )


def format_duration(milliseconds: int) -> str:
    """Format a duration, rounded."""
    minutes = milliseconds / 60_000
    if minutes < 1:
        return f"{milliseconds / 1000:.0f} s"
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def clip(text: str, longest: int) -> str:
    """Shorten a text to one line of whole words."""
    from wisen.surfaces.cli.layout import clip_text

    return clip_text(text, longest)


def format_call(arguments: str) -> str:
    """Format the arguments of a call: the command, or each field with its value."""
    fields = _fields(arguments)
    command = fields.get("command", fields.get("cmd"))
    if command is not None:
        return command if isinstance(command, str) else " ".join(map(str, command)) if isinstance(command, list) else ""
    return ", ".join(f"{name}={clip(str(value), 60)}" for name, value in fields.items())


def first_error_line(text: str) -> str:
    """Return the first meaningful line of the output of a failed call."""
    bare = text.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    lines = (line.strip() for line in bare.splitlines())
    return next((line for line in lines if line and not line.startswith(("Exit code", "$ "))), "")


def runs_command(arguments: str) -> bool:
    """Return whether a call runs a shell command."""
    return not _fields(arguments).keys().isdisjoint(("command", "cmd"))


def _fields(arguments: str) -> dict[str, object]:
    import msgspec

    try:
        fields = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


class DecisionText(NamedTuple):
    """A decision that the user could make, the reason, and the command for it."""

    what: str
    why: str
    command: str


def describe_open_decision(decision: OpenDecision) -> DecisionText:
    """Describe an open decision."""
    from wisen.model.fix import Danger
    from wisen.model.instruction import describe_effect

    if decision.line is not None and decision.file is not None:
        line = decision.line.line
        what = f"Remove line {line.number} of {decision.file.path}: {clip(line.text.strip(' *-#'), 60)}"
        cost = f" Cost so far: about {format_duration(decision.spares_ms)}." if decision.spares_ms else ""
        return DecisionText(
            what,
            f"{describe_effect(decision.line)}{cost}",
            f"{blame_command(decision.file.path)} --line {line.number} --remove",
        )
    if decision.fix is not None:
        fix = decision.fix
        again = f", {plural(fix.failed_again, 'time')} it did not help" if fix.failed_again else ""
        what = f"Give your agents the fix for “{fix.signature.description}”: {fix.change.description}"
        careful = "" if fix.danger is Danger.NONE else f"; caution: {fix.danger.label}"
        seen = f"{plural(fix.calls, 'call')} in {plural(fix.sessions, 'session')}{again}{careful}"
        return DecisionText(
            what, f"{seen}; where it comes from: wisen explain {fix.id}", f"wisen lessons confirm {decision.entry}"
        )
    if decision.file is not None:
        file = decision.file
        what = f"Drop {plural(file.unused_lines, 'rule')} of {file.path} that were never relevant"
        why = f"{format_count(file.unused_tokens)} tokens in each of {plural(file.sessions, 'session')}"
        return DecisionText(what, why, f"{blame_command(file.path)} --unused --remove")
    return DecisionText("", "", "")


def blame_command(path: str) -> str:
    """Return the command that shows an instruction file."""
    return f"wisen blame {shlex.quote(path)}"


def headline(counts: Counts) -> str:
    """Summarize what was read, in one line."""
    span = f", {counts.first:%Y-%m-%d} to {counts.last:%Y-%m-%d}" if counts.first and counts.last else ""
    calls = sum(tool.calls for tool in counts.tools)
    failed = sum(tool.failed + tool.masked for tool in counts.tools)
    rate = f" ({failed / calls:.1%})" if calls else ""
    return (
        f"{plural(counts.sessions, 'session')} in {plural(counts.contexts, 'project')}{span}: "
        f"{plural(counts.typed_turns, 'typed turn')}, {plural(calls, 'tool call')}, "
        f"{plural(failed, 'failed call')}{rate}"
    )


def describe_rejections(counts: Counts) -> str:
    """Summarize what the user rejected and interrupted."""
    by_rejecting = counts.interrupts_by_rejection
    rejected = sorted((tool for tool in counts.tools if tool.rejected), key=lambda tool: -tool.rejected)[:3]
    most = f", most often {', '.join(f'{tool.tool} ({tool.rejected:,})' for tool in rejected)}," if rejected else ""
    return (
        f"You rejected {plural(counts.rejections, 'call')} ({counts.rejections_with_reason:,} with a reason){most} and "
        f"interrupted {plural(counts.interrupts, 'time')}"
        + (f" ({by_rejecting:,} of them by rejecting)." if by_rejecting else ".")
    )


def format_path(path: str) -> str:
    """Format a path with the target of its links: whoever decides must see which file is written."""
    real = link_target(path)
    return path if real is None else f"{path} (a link: it is {real})"


def link_target(path: str) -> str | None:
    """Return the target of a path with symbolic links; None without links."""
    real = os.path.realpath(path)
    return None if not path or real == os.path.abspath(path) else real  # noqa: PTH100 - links stay
