"""HTML pages: the shared frame, escaping and writing, and the page of `wisen blame`.

A page needs no network and runs no script. Everything that comes from a file or a session is escaped, and characters
that would have an effect instead of being shown (control and direction characters) are replaced.
"""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.instruction import Strength, describe_effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.instruction import Blame, Effect

BLAME_HEADER = "<!doctype html>\n<!-- made by wisen blame -->\n"
"""The beginning of every page of `wisen blame`: a file that begins differently is never overwritten."""

CSS_CLASSES = {
    Strength.BEGAN: "began",
    Strength.HELPED: "helped",
    Strength.NO_TRACE: "none",
    Strength.TOO_EARLY: "early",
    Strength.NEVER: "never",
}

_MEANINGS = {
    Strength.BEGAN: (
        "A failure of calls that use what the line names occurred clearly more often after the line than before, more "
        "than everything else changed. Something else that happened at the same time can be the cause."
    ),
    Strength.HELPED: (
        "Such a failure occurred clearly less often after the line than before. Something else can be the cause too."
    ),
    Strength.NO_TRACE: (
        "The sessions show no difference beyond chance, or the line names nothing that a call could show. It may still "
        "have an effect."
    ),
    Strength.TOO_EARLY: "Too few sessions began since the line was added.",
    Strength.NEVER: (
        "No session did anything that the line is about. It costs its tokens; it may still be needed one day."
    ),
}

_STYLE = """
:root { color-scheme: light dark; --ground: #fff; --text: #1f2328; --quiet: #59636e; --edge: #d1d9e0;
  --began: #c4162a; --helped: #1a7f37; --none: #8c959f; --early: #8c959f; --never: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --edge: #3d444d;
  --began: #ff7b72; --helped: #3fb950; --none: #6e7681; --early: #6e7681; --never: #d29922; } }
body { margin: 2rem auto; max-width: 90rem; padding: 0 1rem; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--quiet); font-weight: normal; border-bottom: 1px solid var(--edge); }
th, td { padding: .1rem .6rem .1rem 0; vertical-align: top; white-space: nowrap; }
.number { text-align: right; } .quiet { color: var(--quiet); }
td.bar { min-width: 5rem; }
td.bar span { display: block; height: .8rem; margin-top: .3rem; min-width: 3px; border-radius: 2px;
  background: currentColor; }
code { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
  unicode-bidi: isolate; }
td.text { min-width: 20rem; white-space: normal; }
td.words { min-width: 8rem; white-space: normal; overflow-wrap: anywhere; }
tr:target { outline: 2px solid var(--text); }
li { overflow-wrap: anywhere; } a { color: inherit; } dt { font-weight: bold; } dd { margin: 0 0 .5rem; }
.began { color: var(--began); } .helped { color: var(--helped); } .never { color: var(--never); }
.none, .early { color: var(--none); } td.none, td.early { color: var(--quiet); } td.bar.none, td.bar.early { color:
  var(--none); } td.began { font-weight: bold; }
.note { display: block; color: var(--quiet); } details { margin-top: 1rem; }
summary { cursor: pointer; font-size: 1.1rem; font-weight: bold; }
"""

_COLUMNS = (
    ("line", True),
    ("cost in tokens", True),
    ("", False),
    ("since", False),
    ("relevant in sessions", True),
    ("followed", True),
    ("violated", True),
    ("effect", False),
    ("text", False),
)


def make_visible(text: str) -> str:
    """Replace all characters that are not plainly shown: escape sequences, hidden and direction characters."""
    if text.isprintable():
        return text
    expanded = text.expandtabs(4)
    return "".join(char if char.isprintable() else " " if char.isspace() else "�" for char in expanded)


def escape_text(text: str) -> str:
    """Escape a text so that it can be shown anywhere in a page."""
    return escape(make_visible(text))


def capitalize(text: str) -> str:
    """Capitalize the first letter, and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def build_page(body: str, *, header: str, title: str) -> str:
    """Build a whole page around a body that is escaped already; the title is escaped here."""
    parts = [
        header,
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
        f"<title>{escape_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n",
        body,
        "</main>\n</body>\n</html>\n",
    ]
    return "".join(parts)


def check_target(target: Path, *, header: str, option: str) -> None:
    """Check whether a page may be written there, before it is built.

    Raises:
        UsageError: there is no such folder, or there is a file with another header.
    """
    with _translate_errors(target, option):
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if target.exists() and not _is_own_page(target, header):
            raise UsageError(
                f"{target} is not a page that this command wrote, and stays as it is. Give another file to {option}."
            )


def save_page(text: str, target: Path, *, header: str, option: str) -> None:
    """Write a page, readable by the user alone; a file with another header is not overwritten.

    Raises:
        UsageError: another file is there, or the file cannot be written.
    """
    check_target(target, header=header, option=option)
    with _translate_errors(target, option):
        # A new file is private from the start (0600), and replaces the old one only when it is complete.
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def _translate_errors(target: Path, option: str) -> Iterator[None]:
    """Translate OS errors into messages that name the next step."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{target} cannot be written: {error.strerror}. Give {option} a file in a folder that you can write to."
        ) from error


def _is_own_page(target: Path, header: str) -> bool:
    if not target.is_file():
        return False  # a folder, or a pipe that would never end
    with target.open("rb") as file:
        return file.read(len(header)) == header.encode("ascii")


def render_blame(blame: Blame) -> str:
    """Render the page about an instruction file."""
    path = blame.file.path
    body = [
        f"<h1>{escape_text(path)}</h1>\n<p>{escape_text(capitalize(blame.headline))}.</p>\n",
        _sentences(blame),
        _table(blame),
        _legend(),
    ]
    return build_page("".join(body), header=BLAME_HEADER, title=f"{path}: what its lines do")


def _sentences(blame: Blame) -> str:
    if not blame.strong_effects:
        return "<p>No failure began with a line, and none became clearly rarer with one, as far as sessions show.</p>\n"
    items = [_sentence(effect) for effect in blame.strong_effects]
    return f"<h2>What left a trace</h2>\n<ul>\n{''.join(items)}</ul>\n"


def _sentence(effect: Effect) -> str:
    words = f'<strong class="{CSS_CLASSES[effect.strength]}">{escape_text(capitalize(effect.strength.value))}</strong>'
    link = "" if effect.line.gone else f' <a href="#L{effect.line.number}">see it</a>'
    return f"<li>{words}. {escape_text(describe_effect(effect))}{link}</li>\n"


def _table(blame: Blame) -> str:
    heads = "".join(
        f'<th scope="col"{" class=number" if is_number else ""}>{escape_text(name)}</th>'
        for name, is_number in _COLUMNS
    )
    content_lines = {effect.line.number for effect in blame.content_effects}
    max_tokens = max((effect.line.tokens for effect in blame.effects), default=0)
    rows = [
        _row(effect, max_tokens) if effect.line.number in content_lines else _plain_row(effect)
        for effect in blame.effects
    ]
    return (
        f'<h2>Line by line</h2>\n<div class="scroll"><table>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{''.join(rows)}</tbody>\n</table></div>\n"
    )


def _row(effect: Effect, max_tokens: int) -> str:
    line, kind = effect.line, CSS_CLASSES[effect.strength]
    width = 100 * line.tokens / max_tokens if max_tokens else 0
    relevant = f"{effect.relevant:,}" if line.words else "·"
    return (
        f'<tr id="L{line.number}"><td class="number quiet">{line.number}</td>'
        f'<td class="number">{line.tokens:,}</td>'
        f'<td class="bar {kind}"><span style="width:{width:.0f}%"></span></td>'
        f"<td>{'≤ ' if line.since_known else ''}{line.born:%Y-%m-%d}</td>"
        f'<td class="number">{relevant} / {effect.under:,}</td>'
        f'<td class="number">{effect.followed or ""}</td><td class="number">{effect.violated or ""}</td>'
        f'<td class="{kind}">{escape_text(effect.strength.value)}</td>'
        f'<td class="text"><code>{escape_text(line.text)}</code></td></tr>\n'
    )


def _plain_row(effect: Effect) -> str:
    line = effect.line
    return (
        f'<tr id="L{line.number}"><td class="number quiet">{line.number}</td><td colspan="7"></td>'
        f'<td class="text quiet"><code>{escape_text(line.text)}</code></td></tr>\n'
    )


def _legend() -> str:
    meanings = "".join(
        f'<dt class="{CSS_CLASSES[each]}">{escape_text(capitalize(each.value))}</dt><dd>{escape_text(meaning)}</dd>\n'
        for each, meaning in _MEANINGS.items()
    )
    return (
        "<h2>How strong the words are</h2>\n"
        "<p><strong>None of this is proof.</strong> It compares sessions before and after a line, which differ in more "
        "than the line; only a trial with and without it could. Colors show the effect, the length of a bar the "
        "cost. “≤” before a date: the line was already there when the history begins. Ratios are corrected for the "
        "general trend.</p>\n"
        f"<dl>\n{meanings}</dl>\n"
    )
