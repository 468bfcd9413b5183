"""Texts are plain English: forms that nobody would say or search for stand in no source, help text or document.

A form goes on the list when the last place that had it is rewritten, so that it cannot come back.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BANNED = (
    r"(?<![a-z])mend(?:s|ed|ing)?(?![a-z])",
    r"\bhow it is with\b",
    r"\bbehind your back\b",
    r"\btheir kin\b",
    r"\bone method a wish\b",
    r"\breporting a hole\b",
    r"\b(?:anew|afresh)\b",
    r"\bin vain\b",
    r"\bwhose files are\b",
    r"\bso many of\b",
    r"\bthe one door\b",
    r"\b(?:thereof|therein|wherein|whence|whither|hitherto|forthwith|withal|wherefore|whatsoever)\b",
    r"\b(?:heed(?:s|ed|ing)?|lest|naught|nought|upon|whilst|amongst|unto|nigh)\b",
    r"\b(?:sets?|calls?|called|brings?) forth\b",
    r"\b(?:takes?|taken) in\b",
    r"\b(?:how (?:it|they|that) fared|draws? lots|for want of|by and by|as yet|for ever|of late)\b",
    r"\b(?:scribe|shelf|diary|tidings|(?:un)?veil(?:s|ed|ing)?|bury|buried)\b",
    r"\b(?:that|what|when|if|whether|where|because|until|unless|than) he\b",
    r"\b(?:himself|his own|(?:of|in|to|by|for|from|with) (?:his|him))\b",
)
EXCEPT = {
    "src/wisen/kernel/word_stems.py": "a list of words that users may type",
    "CHANGELOG.md": "what was written then",
    "docs/glossary.md": "names the words that are replaced",
}


def texts() -> list[Path]:
    """Return what people read: source, documents and examples; decisions are dated and stay as they are."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "agents").glob("*.md")]
    return [*sorted((ROOT / "src").rglob("*.py")), *pages, *(ROOT / "examples").glob("*.py")]


@pytest.mark.parametrize("form", BANNED)
def test_no_text_holds_a_form_that_nobody_would_search_for(form: str) -> None:
    pattern = re.compile(form, re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts()
        if str(path.relative_to(ROOT)) not in EXCEPT
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found
