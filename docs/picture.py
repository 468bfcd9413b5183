"""Writes docs/report.svg, the picture of the README: what `wisen learn --sample` prints, as a terminal shows it.

Run it with `python docs/picture.py`. The picture asks for no font from outside.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PICTURE = Path(__file__).parent / "report.svg"
COLUMNS = 80
_FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def printed() -> str:
    """The report on the sample sessions up to the list of tools, without what differs from machine to machine."""
    wisen = Path(sys.executable).parent / "wisen"
    with tempfile.TemporaryDirectory(prefix="wisen-picture-") as home:
        environment = {**os.environ, "WISEN_HOME": home, "COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
        ended = subprocess.run(
            [wisen, "learn", "--sample"], env=environment, check=True, capture_output=True, text=True
        )
    lines = [line for line in ended.stdout.splitlines() if "MB/s" not in line]
    return "\n".join(lines[: lines.index("Tools")]).rstrip()


def picture() -> str:
    """The picture as SVG."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text("$ wisen learn --sample\n"))
    console.print(Text(printed()))
    drawn = console.export_svg(title="wisen", unique_id="wisen")
    drawn = re.sub(r"<!--.*?-->", "", _FONT.sub("", drawn), flags=re.DOTALL)  # a comment names its maker
    return drawn.replace("Fira Code, monospace", "monospace").replace("<text ", '<text xml:space="preserve" ')


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
