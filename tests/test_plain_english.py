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
)
EXCEPT = {
    "src/wisen/text/terms.py": "a list of words that users may type",
    "CHANGELOG.md": "what was written then",
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
