"""The one place that makes text safe for a terminal: whatever could act there is shown as an escape, and does nothing.

`protect_streams` puts a filter before the program's own output, so that every print, error and log goes through it;
rich has its own colours to send, so its console filters each piece of text before it is coloured.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any, cast

from wisen.surfaces.cli.layout import UNLIMITED

if TYPE_CHECKING:
    from typing import TextIO

    from rich.console import Console
    from rich.text import Text

_USUAL, _HEIGHT = 80, 24
"""What a terminal has that does not tell its size."""
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
    # The joiners are letters of some languages and parts of pictures; beside plain letters they only hide.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
"""Control characters but for line break and tab, and what turns, hides or joins text without being seen."""


def visible(text: str) -> str:
    """A text of which every character is shown and none acts."""
    return text if text.isascii() and text.isprintable() else _ACTING.sub(_escape, text)


def visible_json(text: str) -> str:
    """JSON that says the same, in which no character acts."""
    return _ACTING.sub(_json_escape, text)


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


class VisibleStream:
    """An output through which no character acts."""

    def __init__(self, stream: TextIO) -> None:
        self.unfiltered = stream

    def write(self, text: str) -> int:
        """Write what can be seen of a text."""
        self.unfiltered.write(visible(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several."""
        for each in lines:
            self.write(each)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfiltered, name)


def protect_streams() -> None:
    """Have nothing act that this program prints, wherever it comes from; an output that is closed takes everything."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            stream = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for as long as the program runs
        if isinstance(stream, VisibleStream):
            continue
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, VisibleStream(stream))


def safe_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that reads no marks, no names of pictures and no control characters in the texts it is given."""
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    from wisen.surfaces.cli.layout import CommandLine, FittedTable, Paragraphs

    class SafeConsole(Console):
        def render_str(self, text: str, **named: Any) -> Any:
            return super().render_str(visible(text), **named)

        def render(self, renderable: Any, options: Any = None) -> Any:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

        def print(self, *objects: Any, style: Any = None, end: str = "\n", **named: Any) -> None:
            """Print texts as paragraphs and tables as they fit: rich would cut inside words."""
            fitted = [
                Paragraphs(stylized(each, style), end) if isinstance(each, (str, Text)) else each for each in objects
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
    """How wide an output is: as COLUMNS says, else as wide as the terminal; where there is none, lines have no end."""
    return shutil.get_terminal_size((_USUAL if stream.isatty() else UNLIMITED, _HEIGHT)).columns


def stylized(text: str | Text, style: str | None) -> Text:
    """A text of which every character is shown, in a style."""
    from rich.text import Text

    made = Text(visible(text)) if isinstance(text, str) else text.copy()
    if style:
        made.stylize_before(style)
    return made


def styled(*parts: str | tuple[str, str]) -> Text:
    """A text of parts, each as it is or with its style; nothing in them is read as a mark."""
    from rich.text import Text

    return Text.assemble(*(visible(each) if isinstance(each, str) else (visible(each[0]), each[1]) for each in parts))
