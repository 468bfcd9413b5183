"""How many rules are kept, and the files that say where they are."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from tests.rules.rule_lines import line, rules
from wisen.rules.overview import GLOBAL, IndexRow, write_index, write_meta
from wisen.rules.rule_retention import CONTEXT_RULES, CONTEXT_STALE, GLOBAL_STALE, age_line, archive_excess
from wisen.rules.rule_text import RuleLine

pytestmark = pytest.mark.requirement("N6")

TODAY = date(2026, 6, 1)


def statuses(*lines: RuleLine, limit: int = CONTEXT_RULES) -> list[str]:
    return [each.status for each in archive_excess(lines, limit=limit)]


def test_nothing_grows_old_and_what_is_archived_stays() -> None:
    old = line("R-bbbb", "b", last_used=TODAY - timedelta(days=400), created=date(2020, 1, 1))
    assert statuses(line("", "mine"), old, line("R-aaaa", "a", status="archived", last_used=TODAY)) == [
        "confirmed",
        "confirmed",
        "archived",
    ]


@pytest.mark.parametrize("window", [CONTEXT_STALE, GLOBAL_STALE])
def test_what_is_no_longer_delivered_is_stale_then_archived_and_in_force_again_when_it_is(
    window: timedelta,
) -> None:
    rule, day = line("R-aaaa", "a", created=date(2020, 1, 1)), timedelta(days=1)
    assert (CONTEXT_STALE.days, GLOBAL_STALE.days) == (45, 90)
    assert age_line(rule, None, TODAY, window) == rule, "where no delivery was measured nothing ages"
    ages = {age: age_line(rule, TODAY - age, TODAY, window) for age in (window, window + day, 2 * window + day)}
    assert [each.status for each in ages.values()] == ["confirmed", "stale", "archived"]
    assert [each.last_used for each in ages.values()] == [TODAY - age for age in ages]
    praised = replace(rule, last_used=TODAY - day)
    assert age_line(praised, TODAY - 3 * window, TODAY, window) == praised, "use counts as well"


def test_a_full_file_archives_what_helped_least_and_a_persons_own_lines_last() -> None:
    day = TODAY - timedelta(days=1)
    lines = [
        line("", "mine"),
        line("R-aaaa", "a", sessions=5, uses=9, last_used=day),
        line("R-bbbb", "b", sessions=5, uses=2, last_used=day),
        line("R-cccc", "c", status="stale", sessions=9, uses=9, last_used=TODAY - timedelta(days=50)),
        line("R-dddd", "d", sessions=9, status="pending", created=day),
    ]
    kept = []
    for limit in (5, 4, 3, 2, 1):
        left = archive_excess(lines, limit=limit)
        kept.append([each.text for each in left if each.status != "archived"])
    assert kept == [
        ["mine", "a", "b", "c", "d"],
        ["mine", "a", "b", "d"],
        ["mine", "a", "b"],
        ["mine", "a"],
        ["mine"],
    ]


@given(rules(), st.integers(0, 6))
def test_nothing_is_dropped_or_changed_but_its_status(lines: list[RuleLine], limit: int) -> None:
    kept = archive_excess(lines, limit=limit)
    assert [replace(new, status=old.status) for new, old in zip(kept, lines, strict=True)] == lines
    assert sum(each.status != "archived" for each in kept) <= limit
    assert archive_excess(kept, limit=limit) == kept


def cells(text: str) -> list[str]:
    """Return the table as a reader of the page sees it."""
    tokens = MarkdownIt().enable("table").parse(text)
    inline = [tokens[number + 1] for number, each in enumerate(tokens) if each.type == "td_open"]
    return ["".join(child.content for child in each.children or ()) for each in inline]


def test_the_index_begins_with_what_holds_everywhere_and_links_to_each_file() -> None:
    rows = [
        IndexRow("shop-k3", "github.com/ada/shop", 2, 1, TODAY),
        IndexRow("a-b-x9", "a|b_c_<d>\n`e`", 0, 0, TODAY),
        IndexRow(GLOBAL, "everywhere", 7, 3, TODAY),
    ]
    text = write_index(rows)
    assert text == write_index(reversed(rows))
    assert cells(text) == [
        *("everywhere", "7", "3", "2026-06-01", "global"),
        *("a|b_c_<d> `e`", "0", "0", "2026-06-01", "a-b-x9"),
        *("github.com/ada/shop", "2", "1", "2026-06-01", "shop-k3"),
    ]
    assert "(global/rules.md)" in text
    assert "(contexts/shop-k3/corrections.md)" in text


def test_meta_tells_names_and_counts_in_a_fixed_order() -> None:
    text = write_meta("shop-k3", "ada/shop", ["/b", "/a|`c", "/b"], {"rules": 2, "corrections": 1}, TODAY)
    assert text == (
        "# ada/shop\n\nwisen rewrites this file at each run; edits here are lost.\n\n"
        "| What | Value |\n| --- | --- |\n"
        "| Key | `shop-k3` |\n| Name | ada/shop |\n| Updated | 2026-06-01 |\n| corrections | 1 |\n| rules | 2 |\n"
        "\n## Also seen as\n\n- ``/a|`c``\n- `/b`\n"
    )
    assert "Also" not in write_meta("k", "n", [], {}, TODAY)
