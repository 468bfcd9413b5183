"""Renders the report of `wisen learn` as Markdown and as one HTML page, both from the same sections.

The content is decided once, in plain text; the two formats only lay it out, and each escapes all text.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.fix import Danger
from wisen.model.instruction import describe_effect
from wisen.surfaces.cli.render import (
    clip,
    describe_open_decision,
    describe_rejections,
    format_count,
    format_duration,
    headline,
    plural,
)
from wisen.surfaces.pages import corrections
from wisen.surfaces.pages.html import CSS_CLASSES, build_page, capitalize, escape_text, make_visible
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wisen.model.fix import FailureKind, Fix
    from wisen.model.instruction import Effect, InstructionSummary
    from wisen.model.report import Report, Selection, ToolUse
    from wisen.model.source import ReadProblemCount

HTML_HEADER = "<!doctype html>\n<!-- made by wisen learn -->\n"
MARKDOWN_HEADER = "<!-- made by wisen learn -->\n"
"""The beginning of every report: a file that begins differently is never overwritten."""

_TITLE = "What the sessions of your agents show"
_MAX_ROWS = 12
"""Rows of a table in the main part; the details contain all of them."""
_MAX_TEXT = 240

_MARKUP = lazy_regex(r"[\\`*_\[\]~$&<>|]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;"}
"""Written as entities, which a table parser does not interpret; other markup gets a backslash."""
_AT_START = lazy_regex(r"^(\d+(?=[.)])|(?=[#+\-=:]))")
"""Matches what would turn a line that begins with it into a heading, a list or a rule."""


class _Item(Struct, frozen=True, kw_only=True):
    """An item of a list."""

    text: str
    lead: str = ""
    """The highlighted word it begins with."""
    note: str = ""
    """A dimmed line below it."""
    tone: str = ""
    """The CSS class of the lead."""


class _List(Struct, frozen=True, kw_only=True):
    items: Sequence[_Item]
    numbered: bool = False


class _Table(Struct, frozen=True, kw_only=True):
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: tuple[str, ...]
    """The columns that contain text and may wrap; the others contain numbers."""


class _Section(Struct, frozen=True, kw_only=True):
    title: str
    blocks: Sequence[str | _List | _Table]
    folded: bool = False
    """Whether it belongs to the details."""


def render_markdown(report: Report) -> str:
    """Render the report as Markdown, with the details below a rule."""
    parts = [MARKDOWN_HEADER, f"# {_TITLE}\n", *(f"{_escape_markdown(line)}\n" for line in _intro_lines(report))]
    is_below = False
    for section in _sections(report):
        if section.folded and not is_below:
            parts.append("---\n")
            is_below = True
        parts += [f"## {_escape_markdown(section.title)}\n", *map(_markdown_block, section.blocks)]
    return "\n".join(parts)


def render_html(report: Report) -> str:
    """Render the report as one HTML page, with the details folded."""
    parts = [f"<h1>{escape_text(_TITLE)}</h1>\n", *map(_html_block, _intro_lines(report))]
    for section in _sections(report):
        blocks = "".join(map(_html_block, section.blocks))
        if section.folded:
            parts.append(f"<details>\n<summary>{escape_text(section.title)}</summary>\n{blocks}</details>\n")
        else:
            parts.append(f"<h2>{escape_text(section.title)}</h2>\n{blocks}")
    return build_page("".join(parts), header=HTML_HEADER, title=_TITLE)


def _intro_lines(report: Report) -> Iterator[str]:
    yield from report.warnings
    yield from report.waiting
    if report.counts.sources:
        yield f"{headline(report.counts)}."
        narrowed = _describe_selection(report.selection)
        if narrowed:
            yield f"Only sessions {', '.join(narrowed)}."
    elif report.selection.under is not None:
        read = "No session was read from" if report.waiting else "No sessions in"
        yield f"{read} {report.selection.under}."
    else:
        yield f"No sessions on this machine yet. Looked in: {', '.join(report.looked_in)}"


def _describe_selection(selection: Selection) -> list[str]:
    words = (
        (selection.under, f"in {selection.under}"),
        (selection.since, f"since {selection.since:%Y-%m-%d}" if selection.since else ""),
        (selection.agent, f"of {selection.agent}"),
        (selection.places, f"that worked in {' or '.join(selection.places)}"),
    )
    return [phrase for asked, phrase in words if asked]


def _sections(report: Report) -> Iterator[_Section]:
    """Yield everything below the headline, in order; nothing where no session was found."""
    counts = report.counts
    if not counts.sources:
        return
    decisions = [describe_open_decision(decision) for decision in report.decisions]
    if decisions:
        items = [_Item(text=what, note=f"{why} {command}") for what, why, command in decisions]
        yield _Section(title="Worth deciding now", blocks=[_List(items=items, numbered=True)])
    yield _failure_section(report)
    yield from _correction_sections(report)
    yield from _instruction_sections(report)
    yield _Section(title="What you rejected and interrupted", blocks=[describe_rejections(counts)])
    if counts.tools:
        rest = len(counts.tools) - _MAX_ROWS
        more = [f"{plural(rest, 'more tool', 'more tools')} below."] if rest > 0 else []
        yield _Section(title="Tools", blocks=[_tool_table(counts.tools[:_MAX_ROWS]), *more])
    yield _Section(title="What was not read or withheld", blocks=list(_unread_notes(report)))
    yield from _detail_sections(report)


def _failure_section(report: Report) -> _Section:
    title = "What keeps failing, and what fixed it"
    if not report.failures:
        return _Section(title=title, blocks=["No failed calls."])
    shown = ([kind for kind in report.failures if kind.sessions > 1] or list(report.failures))[:_MAX_ROWS]
    fixes = _first_fixes(report)
    rows = [
        (
            f"{kind.sessions:,}",
            f"{kind.calls:,}",
            clip(kind.signature.description, _MAX_TEXT)
            + (f" ({kind.masked:,} hidden by a pipe)" if kind.masked else ""),
            format_duration(kind.lost_ms),
            _fixed_by(kind, fixes.get(kind.signature)),
        )
        for kind in shown
    ]
    table = _Table(
        heads=("sessions", "calls", "what", "cost so far", "fixed by"), rows=rows, words=("what", "fixed by")
    )
    rest = len(report.failures) - len(shown)
    return _Section(
        title=title, blocks=[table, *([f"{plural(rest, 'more kind', 'more kinds')} below."] if rest else [])]
    )


def _first_fixes(report: Report) -> dict[object, Fix]:
    """Return the fix to show for each signature: the first where there are several."""
    return {fix.signature: fix for fix in reversed(report.fixes)}


def _fixed_by(kind: FailureKind, fix: Fix | None) -> str:
    if fix is None:
        return "work on the code" if kind.signature.key.startswith("build.") else ""
    careful = "" if fix.danger is Danger.NONE else f" (caution: {fix.danger.label})"
    return clip(fix.change.description, _MAX_TEXT) + careful


def _correction_sections(report: Report) -> Iterator[_Section]:
    if not report.counts.typed_turns:
        return
    blocks: list[str | _List | _Table] = [corrections.describe_signals(report)]
    repeated, lasting = corrections.repeated_themes(report), corrections.lasting_themes(report)
    if repeated:
        rows = [
            (
                f"{theme.sessions:,}",
                corrections.quote_lesson(theme),
                theme.about.value,
                corrections.describe_sightings(theme),
            )
            for theme in repeated[:_MAX_ROWS]
        ]
        words = ("in your words", "about", "how often")
        blocks.append(_Table(heads=("sessions", *words), rows=rows, words=words))
    if lasting:
        blocks.append(f"{corrections.LASTING_TITLE}:")
        items = [
            _Item(text=corrections.quote_lesson(theme), note=corrections.describe_sightings(theme))
            for theme in lasting[:_MAX_ROWS]
        ]
        blocks.append(_List(items=items))
    yield _Section(title=corrections.TITLE, blocks=blocks)


def _instruction_sections(report: Report) -> Iterator[_Section]:
    speaking = [(file, effect) for file in report.instructions for effect in file.speaking]
    unused = [file for file in report.instructions if file.unused_lines]
    title = "Instruction files"
    if not speaking and not unused:
        return
    blocks: list[str | _List | _Table] = []
    if speaking:
        blocks.append(_List(items=[_effect_item(file, effect) for file, effect in speaking[:_MAX_ROWS]]))
        blocks.append("None of this is proof: sessions before and after a line differ in more than the line.")
    if unused:
        blocks.append("Rules that no session ever touched, and what they cost in every session:")
        blocks.append(_unused_table(unused[:_MAX_ROWS]))
    if len(speaking) > _MAX_ROWS or len(unused) > _MAX_ROWS:
        blocks.append("More of them below.")
    first = speaking[0][0] if speaking else unused[0]
    blocks.append(f"Line by line: wisen blame {shlex.quote(first.path)}")
    yield _Section(title=title, blocks=blocks)


def _effect_item(file: InstructionSummary, effect: Effect) -> _Item:
    return _Item(
        lead=capitalize(effect.strength.value),
        text=f"{file.path}: {describe_effect(effect)}",
        note="" if effect.line.gone else clip(effect.line.text, _MAX_TEXT),
        tone=CSS_CLASSES[effect.strength],
    )


def _unused_table(files: Iterable[InstructionSummary]) -> _Table:
    rows = [
        (
            file.path,
            f"{file.unused_lines:,}",
            format_count(file.unused_tokens),
            format_count(file.tokens),
            f"{file.sessions:,}",
        )
        for file in files
    ]
    return _Table(heads=("file", "rules", "tokens", "of all its tokens", "sessions"), rows=rows, words=("file",))


def _tool_table(tools: Iterable[ToolUse], *, whole: bool = False) -> _Table:
    """Build the table of how calls ended, by tool; `whole` shows every outcome, not only the bad ones."""
    names = ("calls", "failed", "hidden", "rejected", "sessions")
    ends = ("worked", "cancelled", "open")
    rows = []
    for tool in tools:
        cells = [tool.calls, tool.failed, tool.masked, tool.rejected, tool.sessions]
        if whole:
            cells += [tool.ok, tool.cancelled, tool.open]
        rows.append((tool.tool, *(f"{cell:,}" if cell else "·" for cell in cells)))
    return _Table(heads=("tool", *names, *(ends if whole else ())), rows=rows, words=("tool",))


def _unread_notes(report: Report) -> Iterator[str]:
    withheld = report.counts.withheld
    if any(withheld.values()):
        rules = ", ".join(f"{rule} {count:,}" for rule, count in sorted(withheld.items()))
        texts = plural(sum(withheld.values()), "text")
        yield f"{texts} not stored because of a secret or private data in it ({rules})."
    if report.troubles:
        by_kind: dict[str, int] = {}
        for problem in report.troubles:
            by_kind[_describe_problem(problem)] = by_kind.get(_describe_problem(problem), 0) + problem.count
        kinds = ", ".join(f"{name} {count:,}" for name, count in sorted(by_kind.items(), key=lambda item: -item[1]))
        files = len({problem.path for problem in report.troubles})
        yield f"Not read, in {plural(files, 'file')}: {kinds}. Where: below."
    if not any(withheld.values()) and not report.troubles:
        yield "Everything was read, and nothing was withheld."


def _describe_problem(problem: ReadProblemCount) -> str:
    return f"{problem.kind.value} {problem.detail}".strip()


def _detail_sections(report: Report) -> Iterator[_Section]:
    speaking = [_effect_item(file, effect) for file in report.instructions for effect in file.speaking]
    unused = [file for file in report.instructions if file.unused_lines]
    if report.failures:
        title = f"All failures: {plural(len(report.failures), 'kind')}"
        yield _Section(title=title, blocks=[_failure_table(report)], folded=True)
    if len(speaking) > _MAX_ROWS:
        yield _Section(title="All lines that left a trace", blocks=[_List(items=speaking)], folded=True)
    if len(unused) > _MAX_ROWS:
        yield _Section(title="All files with rules never relevant", blocks=[_unused_table(unused)], folded=True)
    if report.counts.tools:
        title = f"All tools: {len(report.counts.tools):,}"
        yield _Section(title=title, blocks=[_tool_table(report.counts.tools, whole=True)], folded=True)
    if report.troubles:
        rows = [
            (each.path, _describe_problem(each), f"{each.count:,}", f"{each.first_offset:,}")
            for each in sorted(report.troubles, key=lambda each: (-each.count, each.path))
        ]
        table = _Table(heads=("file", "what", "times", "first at byte"), rows=rows, words=("file", "what"))
        yield _Section(title="All that was not read", blocks=[table], folded=True)


def _failure_table(report: Report) -> _Table:
    fixes = _first_fixes(report)
    figures = ("sessions", "calls", "hidden", "overcome", "cost so far", "tokens", "first", "last")
    rows = [
        (
            *(f"{count:,}" if count else "·" for count in (kind.sessions, kind.calls, kind.masked, kind.overcome)),
            format_duration(kind.lost_ms),
            format_count(kind.lost_tokens),
            f"{kind.first:%Y-%m-%d}",
            f"{kind.last:%Y-%m-%d}",
            clip(kind.signature.description, _MAX_TEXT),
            kind.signature.key,
            kind.tool,
            _fixed_by(kind, fixes.get(kind.signature)),
        )
        for kind in report.failures
    ]
    words = ("what", "kind", "tool", "fixed by")
    return _Table(heads=(*figures, *words), rows=rows, words=words)


def _escape_markdown(text: str) -> str:
    """Escape a text for any Markdown dialect, on one line, also inside a table."""
    one = " ".join(make_visible(text).split())
    return _AT_START.sub(r"\1\\", _MARKUP.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), one))


def _markdown_block(block: str | _List | _Table) -> str:
    if isinstance(block, str):
        return f"{_escape_markdown(block)}\n"
    if isinstance(block, _Table):
        rule = ("---" if head in block.words else "---:" for head in block.heads)
        lines = [
            tuple(map(_escape_markdown, block.heads)),
            tuple(rule),
            *(tuple(map(_escape_markdown, row)) for row in block.rows),
        ]
        return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    list_lines = []
    for number, item in enumerate(block.items, start=1):
        mark = f"{number}. " if block.numbered else "- "
        lead = f"**{_escape_markdown(item.lead)}:** " if item.lead else ""
        note = f"\\\n{' ' * len(mark)}{_escape_markdown(item.note)}" if item.note.strip() else ""
        list_lines.append(f"{mark}{lead}{_escape_markdown(item.text)}{note}\n")
    return "".join(list_lines)


def _html_block(block: str | _List | _Table) -> str:
    if isinstance(block, str):
        return f"<p>{escape_text(block)}</p>\n"
    if isinstance(block, _Table):
        return _html_table(block)
    tag = "ol" if block.numbered else "ul"
    items = []
    for item in block.items:
        lead = f'<strong class="{item.tone}">{escape_text(item.lead)}</strong>: ' if item.lead else ""
        note = f'<span class="note">{escape_text(item.note)}</span>' if item.note else ""
        items.append(f"<li>{lead}{escape_text(item.text)}{note}</li>\n")
    return f"<{tag}>\n{''.join(items)}</{tag}>\n"


def _html_table(table: _Table) -> str:
    classes = ["words" if head in table.words else "number" for head in table.heads]
    heads = "".join(
        f'<th scope="col" class="{kind}">{escape_text(head)}</th>'
        for kind, head in zip(classes, table.heads, strict=True)
    )
    rows = (
        "".join(f'<td class="{kind}">{escape_text(cell)}</td>' for kind, cell in zip(classes, row, strict=True))
        for row in table.rows
    )
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return f'<div class="scroll"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n'
