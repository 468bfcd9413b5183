"""`wisen blame`: what each line of an instruction file costs, and what sessions show about its effect."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.instruction import Strength, describe_effect
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import clip, console, first_error_line, format_call, plural, print_json
from wisen.surfaces.pages.html import BLAME_HEADER, make_visible, render_blame, save_page
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text

    from wisen.model.fix import Evidence
    from wisen.model.instruction import Blame, Effect

_SHOWN = 10
_STYLES = {
    Strength.BEGAN: "bold red",
    Strength.HELPED: "green",
    Strength.NO_TRACE: "dim",
    Strength.TOO_EARLY: "dim",
    Strength.NEVER: "yellow",
}
_SHORT = {Strength.BEGAN: "began with it", Strength.NO_TRACE: "no trace", Strength.TOO_EARLY: "too early"}
"""Texts that fit into a column; the sentences below the rows say it in full."""
_HEADS = ("line", "cost", "since", "relevant", "✓ ✗", "effect")
_LEGEND = (
    "cost: tokens in every session; since ≤: already there when the history begins; relevant: sessions that did "
    "something the line is about / sessions with the line; ✓ followed; ✗ violated"
)
_NUMBERS = ("line", "cost", "relevant")
_LONG = 400
"""The most characters that are shown of a line of the file, or of a call."""
_LONG_WORD = lazy_regex(r"\S{101,}")
_READABLE = 24
"""The columns that the text of a line needs beside its figures; with fewer it is printed below them."""


def show_blame(path: Path, *, lines: Sequence[int], as_json: bool, html: Path | None) -> int:
    """Show what sessions show about a file or one line of it, or write a page about the file."""
    if len(lines) > 1:
        raise UsageError("--line may be repeated only with --remove or --keep. Give one line to look at.")
    line = lines[0] if lines else None
    if html is not None and (as_json or line is not None):
        raise UsageError("--html writes the whole file as a page. Give it without --line and --json.")
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learned yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        blame = learner.blame.get(path)
        effect = None if line is None else find_effect(blame, line)
        calls = () if effect is None else learner.blame.evidence_of(effect)
    if html is not None:
        write_page(blame, html)
        print(f"Written: {html}")
    elif effect is not None:
        if as_json:
            print_json({"effect": effect, "evidence": calls})
        else:
            show_line(effect, calls, console())
    elif as_json:
        print_json(blame)
    else:
        show_file(blame, console())
    return 0


def find_effect(blame: Blame, number: int) -> Effect:
    """Return the effect of the line with this number. Raises: UsageError: there is no such line."""
    for effect in blame.effects:
        if effect.line.number == number:
            return effect
    there = f"its lines go from 1 to {len(blame.effects):,}" if blame.effects else "it is empty"
    raise UsageError(f"{blame.file.path} has no line {number}: {there}. To see them: {_blame_command(blame)}")


def write_page(blame: Blame, target: Path) -> None:
    """Write the page about a file. Raises: UsageError: another file is there, or it cannot be written."""
    save_page(render_blame(blame), target, header=BLAME_HEADER, option="--html")


def show_file(blame: Blame, out: Console) -> None:
    """Print the file line by line, and below it the lines that had an effect."""
    from rich.text import Text

    out.print(Text.assemble((make_visible(blame.file.path), "bold"), f": {blame.headline}"))
    out.print()
    _print_rows(blame, out)
    for effect in blame.strong_effects:
        out.print()
        out.print(Text(make_visible(describe_effect(effect)), style=_STYLES[effect.strength]))
    strong = next((effect.line.number for effect in blame.strong_effects if not effect.line.gone), 0)
    hints = [_LEGEND, "None of this is proof: sessions before and after a line differ in more than the line."]
    if blame.strong_effects:
        hints.insert(1, "Ratios are corrected for the trend of all other failures.")
    if strong:
        hints.append(f"The calls behind it: {_blame_command(blame)} --line {strong}")
    out.print()
    for hint in hints:
        out.print(Text(make_visible(hint), style="dim"))


def _print_rows(blame: Blame, out: Console) -> None:
    """Print one row per line of the file: its figures, and its text beside or below them."""
    from rich.text import Text

    speaking = {effect.line.number for effect in blame.content_effects}
    rows = [
        (effect, _cells(effect) if effect.line.number in speaking else _blank_cells(effect)) for effect in blame.effects
    ]
    widths = [max(map(len, column)) for column in zip(_HEADS, *(cells for _, cells in rows), strict=True)]
    if not any(effect.followed or effect.violated for effect in blame.content_effects):
        widths[_HEADS.index("✓ ✗")] = 0
    _print_row(_figures_text(_HEADS, widths, style="dim"), Text("text", style="dim"), widths, out)
    for effect, cells in rows:
        is_quiet = effect.line.number not in speaking
        text = Text(make_visible(_clip_line(effect.line.text)), style="dim" if is_quiet else "")
        styles = {"style": "dim"} if is_quiet else {"strong": _STYLES[effect.strength]}
        _print_row(_figures_text(cells, widths, **styles), text, widths, out)


def _clip_line(text: str) -> str:
    """Return a line of the file, without the end of a long one and the middle of a long word."""
    short = _LONG_WORD.sub(lambda word: clip(word[0], 80), text)
    if len(short) <= _LONG:
        return short
    bare = short.lstrip()
    return short[: len(short) - len(bare)][:_READABLE] + clip(bare, _LONG)


def _print_row(figures: Text, text: Text, widths: Sequence[int], out: Console) -> None:
    from rich.text import Text

    from wisen.surfaces.cli.layout import wrap_text

    beside = figures.cell_len
    if out.width - beside >= _READABLE:
        lines = list(wrap_text(text, out.width - beside, hang=0)) or [Text()]
        made = [figures + lines[0], *(Text(" " * beside) + line for line in lines[1:])]
    else:
        figures.rstrip()
        indent = widths[0] + 1
        lines = list(wrap_text(text, out.width - indent, hang=0))
        made = [Text(" " * indent) + line for line in lines]
        if figures.cell_len <= indent and made:  # only its number: the text goes beside it
            made[0] = figures + " " * (indent - figures.cell_len) + lines[0]
        else:
            made.insert(0, figures)
    for each in made:
        each.rstrip()
        out.print(each, soft_wrap=True)


def _figures_text(cells: Sequence[str], widths: Sequence[int], *, style: str = "", strong: str = "") -> Text:
    from rich.text import Text

    made = Text(style=style)
    for head, cell, width in zip(_HEADS, cells, widths, strict=True):
        if width:
            padded = cell.rjust(width) if head in _NUMBERS else cell.ljust(width)
            made.append(f"{padded} ", style=strong if head == "effect" else "")
    return made


def _blank_cells(effect: Effect) -> tuple[str, ...]:
    return (str(effect.line.number), *[""] * (len(_HEADS) - 1))


def _cells(effect: Effect) -> tuple[str, ...]:
    line, strength = effect.line, effect.strength
    kept = [f"✓{effect.followed}"] if effect.followed else []
    broken = [f"✗{effect.violated}"] if effect.violated else []
    return (
        str(line.number),
        f"{line.tokens:,}",
        f"{'≤ ' if line.since_known else ''}{line.born:%Y-%m-%d}",
        f"{effect.relevant if line.words else '·'}/{effect.under}",
        " ".join(kept + broken),
        _SHORT.get(strength, strength.value),
    )


def show_line(effect: Effect, calls: Sequence[Evidence], out: Console) -> None:
    """Print what is known about one line: its history, its figures, and the failing calls for or against it."""
    from rich.text import Text

    line = effect.line
    where = f"Line {line.number}" if line.number else "A line that is gone"
    out.print(Text.assemble((where, "bold"), f": {make_visible(line.text.strip())}"))
    for sentence in _history_lines(effect):
        out.print(Text(f"  {make_visible(sentence)}", style="dim"))
    out.print(Text(f"  {effect.strength.value}", style=_STYLES[effect.strength]))
    if effect.signature is not None:
        out.print(Text(make_visible(describe_effect(effect))))
    if effect.chance is not None:
        chance = f"{effect.chance:.1%}" if effect.chance >= 0.001 else "less than 0.1%"
        out.print(Text(f"By chance alone this would happen in {chance} of cases, over all lines. This is not proof."))
    newest = sorted(calls, key=lambda call: call.at, reverse=True)
    if newest:
        out.print(Text(f"\n{plural(len(newest), 'failing call')}, newest first:"))
    for call in newest[:_SHOWN]:
        _print_call(call, out)
    if len(newest) > _SHOWN:
        out.print(Text(f"{plural(len(newest) - _SHOWN, 'more call', 'more calls')}: add --json", style="dim"))


def _history_lines(effect: Effect) -> list[str]:
    line = effect.line
    since = f"{line.born:%Y-%m-%d}{' or before' if line.since_known else ''}"
    stands = f"was there from {since} to {line.gone:%Y-%m-%d}" if line.gone else f"there since {since}"
    lines = [
        f"{stands}{f', under the heading {line.heading}' if line.heading else ''}",
        f"about {plural(line.tokens, 'token')} in every session",
        f"names {', '.join(line.words)}" if line.words else "names nothing that a call could match",
    ]
    if line.against:
        lines.append(f"forbids {', '.join(line.against)}")
    kept = [
        f"{count:,} {how} it" for count, how in ((effect.followed, "followed"), (effect.violated, "violated")) if count
    ]
    under = f"{plural(effect.under, 'session')} with the line, {effect.relevant:,} did something it is about"
    return [*lines, "; ".join([under, *kept])]


def _print_call(call: Evidence, out: Console) -> None:
    from rich.text import Text

    out.print(
        Text(f"{call.at:%Y-%m-%d %H:%M}  {make_visible(call.agent)} session {make_visible(call.session)}", style="dim")
    )
    out.print(Text(f"  - {make_visible(clip(format_call(call.before) or call.before, _LONG))}"))
    said_there = first_error_line(call.said)
    if said_there:
        out.print(Text(f"    {make_visible(clip(said_there, _LONG))}", style="red"))


def _blame_command(blame: Blame) -> str:
    return f"wisen blame {shlex.quote(blame.file.path)}"
