"""Generates what is stored of the language files: `python -m benchmarks.strange_words`.

The words that identify texts in other languages (`strange.txt`), and the phrases of all languages, ready for searching
(`phrases.txt`). A test fails if they are outdated. They are stored because deriving them means reading all files, which
would take half a second at each start.
"""

from __future__ import annotations

from pathlib import Path

from wisen.feedback.language import shipped_languages
from wisen.feedback.lexicon import find_foreign_words
from wisen.feedback.phrase_table import encode_phrases

FILE = Path(__file__).parents[1] / "src" / "wisen" / "feedback" / "strange.txt"
PHRASES = FILE.with_name("phrases.txt")


def build_file() -> str:
    """Return the content of the file of words."""
    return "\n".join(sorted(find_foreign_words(shipped_languages()))) + "\n"


if __name__ == "__main__":
    FILE.write_text(build_file(), encoding="utf-8")
    PHRASES.write_text(encode_phrases(shipped_languages()), encoding="utf-8")
