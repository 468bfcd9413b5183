"""Generates the words that identify texts in other languages: `python -m benchmarks.strange_words`.

They are derived from the language files, and a test fails if they are outdated. They are stored because deriving them
means reading all files, which would take half a second at each start.
"""

from __future__ import annotations

from pathlib import Path

from wisen.feedback.language import shipped_languages
from wisen.feedback.lexicon import find_foreign_words

FILE = Path(__file__).parents[1] / "src" / "wisen" / "feedback" / "strange.txt"


def build_file() -> str:
    """Return the content of the file."""
    return "\n".join(sorted(find_foreign_words(shipped_languages()))) + "\n"


if __name__ == "__main__":
    FILE.write_text(build_file(), encoding="utf-8")
