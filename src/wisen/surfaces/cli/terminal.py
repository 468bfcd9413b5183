"""Makes text safe for a terminal: control characters are printed as escapes. No other module does this.

`protect_streams` wraps the program's own output, so that every print, error and log is escaped; rich sends its own
color codes, so its console escapes each piece of text before it is colored.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, cast

from wisen.surfaces.cli.layout import UNLIMITED
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import re
    from typing import TextIO

    from rich.console import Console
    from rich.text import Text

_USUAL, _HEIGHT = 80, 24
"""The size of a terminal that does not report it."""
_UNSAFE = lazy_regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
    # Joiners belong to some scripts and to emoji; next to ASCII they only hide text.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Control characters except newline and tab, and invisible characters that reorder, hide or join text."""


def escape_text(text: str) -> str:
    """Return a text with unsafe characters escaped."""
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def escape_json(text: str) -> str:
    """Return equivalent JSON with unsafe characters escaped."""
    return _UNSAFE.sub(_json_escape, text)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


class EscapingStream:
    """An output stream that escapes unsafe characters."""

    def __init__(self, stream: TextIO) -> None:
        self.unfiltered = stream

    def write(self, text: str) -> int:
        """Write a text, escaped."""
        self.unfiltered.write(escape_text(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several texts, escaped."""
        for each in lines:
            self.write(each)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)


def protect_streams() -> None:
    """Escape everything that this program prints; a closed output is replaced by the null device."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the program runs
        if isinstance(stream, EscapingStream):
            continue
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, EscapingStream(stream))


def safe_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console that interprets no markup, emoji names or control characters in texts."""
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    from wisen.surfaces.cli.layout import CommandLine, FittedTable, Paragraphs

    class SafeConsole(Console):
        def render_str(self, text: str, **named: Any) -> Any:
            return super().render_str(escape_text(text), **named)

        def render(self, renderable: Any, options: Any = None) -> Any:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(escape_text(segment.text), segment.style)

        def print(self, *objects: Any, style: Any = None, end: str = "\n", **named: Any) -> None:
            """Print texts as paragraphs, and tables fitted to the width: rich would cut inside words."""
            fitted = [
                Paragraphs(apply_style(each, style), end) if isinstance(each, (str, Text)) else each for each in objects
            ]
            if any(isinstance(each, (Paragraphs, FittedTable, CommandLine)) for each in fitted):
                named = {**named, "soft_wrap": True}
            super().print(*fitted, end=end, **named)

    stream = sys.stderr if stderr else sys.stdout
    file = cast("TextIO", getattr(stream, "unfiltered", stream))
    return SafeConsole(
        file=file, width=width or output_width(stream), height=_HEIGHT, markup=False, emoji=False, highlight=False
    )


def output_width(stream: TextIO) -> int:
    """Return the width of an output: COLUMNS, else that of the terminal; unlimited if it is not a terminal."""
    return shutil.get_terminal_size((_USUAL if stream.isatty() else UNLIMITED, _HEIGHT)).columns


def apply_style(text: str | Text, style: str | None) -> Text:
    """Return an escaped text in a style."""
    from rich.text import Text

    made = Text(escape_text(text)) if isinstance(text, str) else text.copy()
    if style:
        made.stylize_before(style)
    return made


def join_styled(*parts: str | tuple[str, str]) -> Text:
    """Join parts, each plain or with a style, into an escaped text; markup in them is not interpreted."""
    from rich.text import Text

    return Text.assemble(
        *(escape_text(each) if isinstance(each, str) else (escape_text(each[0]), each[1]) for each in parts)
    )
