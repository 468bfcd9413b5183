"""Takes what is forgotten out of a text for people: lines first, whole paragraphs where it goes beyond a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.safety.forgotten_phrases import Needle

_TITLE = "# "
"""The title of a page names its project or day, and stays."""
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n+)")


def page_contains(text: str, needle: Needle) -> bool:
    """Whether a page holds what is looked for, its title aside."""
    return needle.holds("".join(line for line in text.splitlines(keepends=True) if not line.startswith(_TITLE)))


def clean_page(text: str, needle: Needle) -> str | None:
    """A page without it; None where nothing can stay."""
    if not page_contains(text, needle):
        return text
    lines = text.splitlines(keepends=True)
    remaining = "".join(line for line in lines if line.startswith(_TITLE) or not needle.holds(line))
    if page_contains(remaining, needle):
        remaining = "".join(
            part for part in _PARAGRAPHS.split(remaining) if part.startswith(_TITLE) or not needle.holds(part)
        )
    return remaining if remaining.strip() and not page_contains(remaining, needle) else None
