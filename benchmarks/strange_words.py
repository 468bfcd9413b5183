"""Writes the words by which texts in other languages are known: `python -m benchmarks.strange_words`.

They follow from the language files, and a test tells when they no longer do. They are kept because working them out
means reading all files, which would be half a second at each start.
"""

from __future__ import annotations

from pathlib import Path

from wisen.feedback.language import shipped_languages
from wisen.feedback.lexicon import find_foreign_words

FILE = Path(__file__).parents[1] / "src" / "wisen" / "feedback" / "strange.txt"


def made() -> str:
    """What the file has to hold."""
    return "\n".join(sorted(find_foreign_words(shipped_languages()))) + "\n"


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
