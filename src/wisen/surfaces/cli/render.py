"""How values become text on a terminal or JSON on a pipe."""

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
    """One JSON object, dates in ISO form, keys as the values name them."""
    import msgspec

    from wisen.surfaces.cli.terminal import visible_json

    encoded = msgspec.json.encode(value, enc_hook=str)
    sys.stdout.write(visible_json(msgspec.json.format(encoded, indent=2).decode("utf-8")) + "\n")


def console() -> Console:
    """The terminal; where there is none, and COLUMNS says nothing, lines are as long as they are."""
    from wisen.surfaces.cli.terminal import safe_console

    return safe_console()


def say(text: str, *, dim: bool = False) -> None:
    """One line, as it is. On a pipe nothing has to be coloured, and what could do it takes time to load."""
    if sys.stdout.isatty():
        console().print(text, style="dim" if dim else None, markup=False)
    else:
        print(text)


def table(*columns: str, right: tuple[str, ...] = ()) -> FittedTable:
    """A quiet table; `right` names the columns of numbers."""
    from wisen.surfaces.cli.layout import FittedTable

    return FittedTable(columns, right)


def size(count: int) -> str:
    """Bytes for a person."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} bytes"


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def thousands(count: int) -> str:
    """A number of which only the size counts."""
    return (
        f"{count:,}"
        if count < 1000
        else f"{count / 1000:.0f} thousand"
        if count < 1e6
        else f"{count / 1e6:.1f} million"
    )


def duration(milliseconds: int) -> str:
    """A time of which only the size counts."""
    minutes = milliseconds / 60_000
    if minutes < 1:
        return f"{milliseconds / 1000:.0f} s"
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def clipped(text: str, longest: int) -> str:
    """On one line and no longer, in whole words."""
    from wisen.surfaces.cli.layout import clip_text

    return clip_text(text, longest)


def shown_call(arguments: str) -> str:
    """The arguments of a call as a person would read them: the command, or what each field says."""
    fields = _fields(arguments)
    command = fields.get("command", fields.get("cmd"))
    if command is not None:
        return command if isinstance(command, str) else " ".join(map(str, command)) if isinstance(command, list) else ""
    return ", ".join(f"{name}={clipped(str(value), 60)}" for name, value in fields.items())


def complaint(text: str) -> str:
    """The first line that says anything of what a failed call said."""
    bare = text.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
    lines = (line.strip() for line in bare.splitlines())
    return next((line for line in lines if line and not line.startswith(("Exit code", "$ "))), "")


def runs_something(arguments: str) -> bool:
    """Whether a call runs a command."""
    return not _fields(arguments).keys().isdisjoint(("command", "cmd"))


def _fields(arguments: str) -> dict[str, object]:
    import msgspec

    try:
        fields = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


class DecisionWords(NamedTuple):
    """What could be decided, why, and the one command that does it."""

    what: str
    why: str
    command: str


def decision_words(decision: OpenDecision) -> DecisionWords:
    """A decision for a person."""
    from wisen.model.fix import Danger
    from wisen.model.instruction import describe_effect

    if decision.line is not None and decision.file is not None:
        line = decision.line.line
        what = f"Take out line {line.number} of {decision.file.path}: {clipped(line.text.strip(' *-#'), 60)}"
        cost = f" Cost so far: about {duration(decision.spares_ms)}." if decision.spares_ms else ""
        return DecisionWords(
            what,
            f"{describe_effect(decision.line)}{cost}",
            f"{blame_command(decision.file.path)} --line {line.number} --remove",
        )
    if decision.fix is not None:
        fix = decision.fix
        again = f", {plural(fix.failed_again, 'time')} it did not help" if fix.failed_again else ""
        what = f"Tell your agents what helped when “{fix.signature.description}” came: {fix.change.description}"
        careful = "" if fix.danger is Danger.NONE else f"; careful: {fix.danger.value}"
        seen = f"{plural(fix.calls, 'call')} in {plural(fix.sessions, 'session')}{again}{careful}"
        return DecisionWords(
            what, f"{seen}; where it comes from: wisen explain {fix.id}", f"wisen lessons confirm {decision.entry}"
        )
    if decision.file is not None:
        file = decision.file
        what = f"Drop {plural(file.unused_lines, 'rule')} of {file.path} that nothing ever touched"
        why = f"{thousands(file.unused_tokens)} tokens in each of {plural(file.sessions, 'session')}"
        return DecisionWords(what, why, f"{blame_command(file.path)} --unused --remove")
    return DecisionWords("", "", "")


def blame_command(path: str) -> str:
    """The command that looks at an instruction file."""
    return f"wisen blame {shlex.quote(path)}"


def headline(counts: Counts) -> str:
    """What was looked at, in one line."""
    span = f", {counts.first:%Y-%m-%d} to {counts.last:%Y-%m-%d}" if counts.first and counts.last else ""
    calls = sum(tool.calls for tool in counts.tools)
    failed = sum(tool.failed + tool.masked for tool in counts.tools)
    rate = f" ({failed / calls:.1%})" if calls else ""
    return (
        f"{plural(counts.sessions, 'session')} in {plural(counts.contexts, 'project')}{span}: "
        f"{plural(counts.typed_turns, 'typed turn')}, {plural(calls, 'tool call')}, "
        f"{plural(failed, 'failed call')}{rate}"
    )


def stops(counts: Counts) -> str:
    """What the user rejected and interrupted."""
    by_rejecting = counts.interrupts_by_rejection
    rejected = sorted((tool for tool in counts.tools if tool.rejected), key=lambda tool: -tool.rejected)[:3]
    most = f", most often {', '.join(f'{tool.tool} ({tool.rejected:,})' for tool in rejected)}," if rejected else ""
    return (
        f"You rejected {plural(counts.rejections, 'call')} ({counts.rejections_with_reason:,} with a reason){most} and "
        f"interrupted {plural(counts.interrupts, 'time')}"
        + (f" ({by_rejecting:,} of them by rejecting)." if by_rejecting else ".")
    )


def shown_path(path: str) -> str:
    """A path with the file that it really leads to, where links do: who decides must see what is written to."""
    real = leads_to(path)
    return path if real is None else f"{path} (a link: it is {real})"


def leads_to(path: str) -> str | None:
    """The file that links lead to; None where there are none on the way."""
    real = os.path.realpath(path)
    return None if not path or real == os.path.abspath(path) else real  # noqa: PTH100 - links stay
