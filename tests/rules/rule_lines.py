"""Builders of rules for tests, and Hypothesis strategies for them."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import strategies as st

from wisen.rules.rule_page import SECTIONS, heading_name, is_rule, one_line
from wisen.rules.rule_text import RuleLine

_NASTY = [
    "<!-- x -->",
    "-->",
    "<!--",
    "(stale)",
    "(used 3 times)",
    "<!-- wisen:R-aaaa {} -->",
    "`a`",
    "- b",
    "# c",
    "d",
]

_ALPHABET = "aB3é漢👍 -*+<>!()\\`#~.\t\r\x0b\x1c\x85\u2028\ufeff\0"
"""Whatever means something to Markdown, to our lines or to what ends a line."""


def line(id_: str, text: str, **values: Any) -> RuleLine:
    """A rule with what matters to a test."""
    return RuleLine(id=id_, text=text, **values)


def texts() -> st.SearchStrategy[str]:
    """Texts of rules, many of them hostile."""
    pieces = st.lists(st.sampled_from(_NASTY) | st.text(_ALPHABET, max_size=5), min_size=1, max_size=4).map(" ".join)
    return (pieces | st.text(_ALPHABET, min_size=1)).map(one_line).filter(is_rule)


def rules(*, least: int = 0) -> st.SearchStrategy[list[RuleLine]]:
    """Rules of any kind, each with its own id."""
    days = st.none() | st.dates(date(2025, 1, 1), date(2026, 12, 31))
    one = st.builds(
        RuleLine,
        id=st.text("abcdef0123456789", min_size=4, max_size=4).map("R-".__add__),
        text=texts(),
        status=st.sampled_from(["confirmed", "pending", "stale", "archived"]),
        created=days,
        last_used=days,
        uses=st.integers(0, 3),
        sessions=st.integers(0, 3),
        sources=st.lists(st.sampled_from(["LRN-20260115-001", "a-->b"]), max_size=2).map(tuple),
        about=st.sampled_from([*SECTIONS, "How we build"]).map(heading_name),
    )
    return st.lists(one, min_size=least, max_size=6, unique_by=lambda each: each.id)
