"""Takes what is forgotten out of a text for people: lines first, whole paragraphs where it goes beyond a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.safety.forgotten_phrases import Needle

_TITLE = "# "
"""The title of a page names its project or day, and stays."""
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n+)")


def holds(text: str, needle: Needle) -> bool:
    """Whether a page holds what is looked for, its title aside."""
    return needle.holds("".join(line for line in text.splitlines(keepends=True) if not line.startswith(_TITLE)))


def cleared(text: str, needle: Needle) -> str | None:
    """A page without it; None where nothing can stay."""
    if not holds(text, needle):
        return text
    lines = text.splitlines(keepends=True)
    left = "".join(line for line in lines if line.startswith(_TITLE) or not needle.holds(line))
    if holds(left, needle):
        left = "".join(part for part in _PARAGRAPHS.split(left) if part.startswith(_TITLE) or not needle.holds(part))
    return left if left.strip() and not holds(left, needle) else None
