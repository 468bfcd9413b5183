"""Removes forgotten text from a page: line by line, or whole paragraphs where it spans several lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.safety.forgotten_phrases import Needle

_TITLE = "# "
"""The title of a page names its project or day, and is kept."""
_PARAGRAPHS = lazy_regex(r"(\n[ \t]*\n+)")


def page_contains(text: str, needle: Needle) -> bool:
    """Whether a page contains the forgotten text, apart from its title."""
    return needle.holds("".join(line for line in text.splitlines(keepends=True) if not line.startswith(_TITLE)))


def clean_page(text: str, needle: Needle) -> str | None:
    """Return the page without the forgotten text; None where nothing can be kept."""
    if not page_contains(text, needle):
        return text
    lines = text.splitlines(keepends=True)
    remaining = "".join(line for line in lines if line.startswith(_TITLE) or not needle.holds(line))
    if page_contains(remaining, needle):
        remaining = "".join(
            part for part in _PARAGRAPHS.split(remaining) if part.startswith(_TITLE) or not needle.holds(part)
        )
    return remaining if remaining.strip() and not page_contains(remaining, needle) else None
