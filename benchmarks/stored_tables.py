"""Generates what is read instead of shipped TOML files: `python -m benchmarks.stored_tables`.

Each is stored next to its file, as JSON with the same content, and a test fails if one is outdated. They are stored
because parsing the files of all languages takes 40 ms, and those of English 15 ms at each start.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from wisen.feedback.language import ENGLISH
from wisen.text.directive_words import SHIPPED

_PACKAGE = Path(__file__).parents[1] / "src" / "wisen"
SOURCES = (
    *(_PACKAGE / "text" / "languages" / f"{code}.toml" for code in SHIPPED),
    *(_PACKAGE / "text" / f"{name}.toml" for name in ("slot_words", "permission_words")),
    *(_PACKAGE / "feedback" / "languages" / f"{code}.toml" for code in ENGLISH),
)
"""The files that commands read often."""


def stored_file(source: Path) -> Path:
    """Return the file that is read instead of a TOML file."""
    return source.with_suffix(".json")


def build_file(source: Path) -> str:
    """Return the content of that file."""
    table = tomllib.loads(source.read_text(encoding="utf-8"))
    return json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for each in SOURCES:
        stored_file(each).write_text(build_file(each), encoding="utf-8")
