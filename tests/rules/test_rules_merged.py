"""Merging updated rules into a file that the user edits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.rule_lines import line, rules
from wisen.rules.rule_merge import merge_rules
from wisen.rules.rule_page import parse_page
from wisen.rules.rule_text import RuleLine, find_edits, read_rules, write_rules

PNPM = line("R-7f3a", "Use pnpm, not npm.", about="command", uses=3)
TABS = line("R-0b1c", "Indent with tabs.", about="style")
PORT = line("R-9d2e", "The shop listens on 8080.", about="project fact", status="archived")
ALL = (PNPM, TABS, PORT)
FILE = write_rules("Rules", ALL, intro="What holds.")


def merge(now: str, fresh: Sequence[RuleLine], written: str = FILE) -> str:
    return merge_rules(written, now, fresh, title="Rules", intro="What holds.")


def raw(id_: str) -> str:
    return next(each for each in FILE.splitlines(keepends=True) if id_ in each)


def is_within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether the whole contains all of a part, in order."""
    rest = iter(whole)
    return all(each in rest for each in part)


OWN = [
    "Prose.",
    "",
    "   ",
    "## My own",
    "# Top",
    "### Below",
    "## Archived",
    "## Style",
    "<!-- a comment -->",
    "<!--",
    "-->",
    "```",
    "~~~",
    "  indented",
    "\tindented",
    "- my own rule",
    "  - nested",
    "1. one",
    "> quote",
    "---",
    "- - -",
    "\ufeff",
    "\u2028",
    "a\rb",
    "| a | b |",
]


class Edited(NamedTuple):
    """A file, and what a person made of it by putting lines in."""

    written: str
    now: str
    own: list[str]


@st.composite
def edited(draw: st.DrawFn) -> Edited:
    written = write_rules("T", draw(rules()), intro="I.")
    lines = [(each, False) for each in written.split("\n")[:-1]]
    for own in draw(st.lists(st.sampled_from(OWN), max_size=5)):
        lines.insert(draw(st.integers(0, len(lines))), (own, True))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    now = end.join(each for each, _ in lines) + draw(st.sampled_from(["", end]))
    return Edited(written, now, [each for each, is_own in lines if is_own])


@given(edited(), rules())
def test_what_a_person_put_in_stays_byte_for_byte_and_in_order(file: Edited, fresh: list[RuleLine]) -> None:
    new = merge(file.now, fresh, file.written)
    assert is_within(file.own, [each.removesuffix("\r") for each in new.split("\n")])
    ours = {number for row in parse_page(file.now).rows if row.mark for number in range(row.start, row.stop)}
    kept = [each for number, each in enumerate(file.now.split("\n")) if number not in ours]
    assert is_within(kept[:-1], new.split("\n"))


@given(edited(), rules())
def test_each_fresh_rule_is_there_unless_the_person_took_it_out(file: Edited, fresh: list[RuleLine]) -> None:
    new = read_rules(merge(file.now, fresh, file.written))
    there = {each.id for each in read_rules(file.now)}
    taken = {each.id for each in read_rules(file.written)} - there
    assert {each.id for each in new if each.id} == {each.id for each in fresh} - taken


@given(edited(), rules())
def test_merging_again_changes_nothing(file: Edited, fresh: list[RuleLine]) -> None:
    once = merge(file.now, fresh, file.written)
    assert merge(once, read_rules(once), once) == once
    assert find_edits(once, once) == ((), (), (), ())


@given(edited())
def test_where_nothing_changed_the_bytes_do_not(file: Edited) -> None:
    assert merge(file.now, read_rules(file.now), file.now) == file.now


@given(rules(), rules())
def test_the_fresh_rules_are_what_a_file_holds_that_nobody_touched(old: list[RuleLine], fresh: list[RuleLine]) -> None:
    written = write_rules("T", old, intro="I.")
    # Where a rule in force stands is left to the person, so it stays below its heading.
    place = {each.id: each.about for each in old if each.status != "archived"}
    expected = {
        each.id: each if each.status == "archived" else replace(each, about=place.get(each.id, each.about))
        for each in fresh
    }
    assert {each.id: each for each in read_rules(merge(written, fresh, written))} == expected


@given(rules(), rules())
def test_the_fresh_rules_are_read_back_from_a_file_that_was_empty(old: list[RuleLine], fresh: list[RuleLine]) -> None:
    assert set(read_rules(merge("", fresh, ""))) == set(fresh)
    gone = {each.id for each in old}
    left = read_rules(merge("", fresh, write_rules("T", old, intro="I.")))
    assert set(left) == {each for each in fresh if each.id not in gone}


def test_a_new_rule_goes_behind_the_others_of_its_heading_which_is_made_in_its_place() -> None:
    now = FILE.replace(raw("R-7f3a"), raw("R-7f3a") + "  Because of the lock file.\n\nMore.\n")
    new = [line("R-aaaa", "Use uv.", about="command"), line("R-bbbb", "Use rg.", about="tool")]
    new += [line("R-cccc", "Ask first.", about="How we build")]
    assert merge(now, [*ALL, *new]) == now.replace(
        "file.\n\nMore.\n",
        'file.\n- Use uv. <!-- wisen:R-aaaa {"status":"confirmed"} -->\n\nMore.\n\n'
        '## Tool\n\n- Use rg. <!-- wisen:R-bbbb {"status":"confirmed"} -->\n',
    ).replace("## Arch", '## How we build\n\n- Ask first. <!-- wisen:R-cccc {"status":"confirmed"} -->\n\n## Arch')


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("# A", "# A\n\n## Command\n\n{}\n"),
        ("## command ##\n## Next\n", "## command ##\n\n{}\n\n## Next\n"),
        ("## Command\n\n\nProse.\n\n\n", "## Command\n\n\nProse.\n\n{}\n\n\n"),
        ("## Command\n- mine\n  goes on\n### Below\n- b\n", "## Command\n- mine\n  goes on\n{}\n\n### Below\n- b\n"),
        ("```\n## Command\n```\n", "```\n## Command\n```\n\n## Command\n\n{}\n"),
        ("# A\r\n\r\n- b\r\n", "# A\r\n\r\n- b\r\n\r\n## Command\r\n\r\n{}\r\n"),
        ("```\n", "```\n\n## Command\n\n{}\n"),
        ("<!-- no end\n", "<!-- no end\n\n## Command\n\n{}\n"),
    ],
)
def test_where_a_new_rule_goes(now: str, expected: str) -> None:
    ours = '- Use pnpm. <!-- wisen:R-7f3a {"status":"confirmed"} -->'
    new = merge(now, [line("R-7f3a", "Use pnpm.", about="command")], now)
    assert new == expected.replace("{}", ours)
    assert "R-7f3a" in {each.id for each in read_rules(new)}


def test_counts_change_without_touching_how_a_person_set_the_line() -> None:
    now = FILE.replace("- Use pnpm, not npm. (used 3 times)", "*   Use pnpm,\n    not npm. (used 3 times) <!-- !! -->")
    used = replace(PNPM, uses=4, last_used=date(2026, 2, 1))
    assert merge(now, [used, TABS, PORT]) == now.replace("used 3", "used 4").replace(
        '"uses":3', '"last_used":"2026-02-01","uses":4'
    )
    reworded = replace(PNPM, text="Use pnpm.")
    assert "*   Use pnpm. (used 3 times) <!-- !! --> <!-- wisen:R-7f3a" in merge(now, [reworded, TABS, PORT])


def test_what_a_person_did_stands_also_where_the_fresh_rules_do_not_know_of_it() -> None:
    assert merge(FILE.replace("pnpm, not npm", "pnpm"), ALL) == FILE.replace("pnpm, not npm", "pnpm")
    assert merge(FILE.replace(raw("R-0b1c"), ""), ALL) == FILE.replace(raw("R-0b1c"), "")
    archived = FILE.replace(raw("R-0b1c"), "") + raw("R-0b1c")
    assert {each.id: each.status for each in read_rules(merge(archived, ALL))}["R-0b1c"] == "archived"
    assert merge(archived, ALL).startswith(FILE.replace(raw("R-0b1c"), ""))
    back = FILE.replace(raw("R-9d2e"), "").replace("## Style\n\n", "## Style\n\n" + raw("R-9d2e"))
    assert {each.id: each.status for each in read_rules(merge(back, ALL))}["R-9d2e"] == "confirmed"


def test_a_rule_that_is_archived_or_comes_back_moves() -> None:
    old, back = replace(PNPM, status="archived"), replace(PORT, status="confirmed")
    new = merge(FILE, [old, TABS, back])
    assert read_rules(new) == (TABS, back, old)
    assert new.index("## Project fact") < new.index("8080") < new.index("## Archived") < new.index("pnpm")


def test_a_rule_that_is_not_among_the_fresh_ones_goes_with_every_word() -> None:
    note = "  a note below it\n"
    now = (
        FILE.replace("- Use pnpm", "- mine\n- Use pnpm")
        .replace("## Style", f"{note}\n## Style")
        .replace(raw("R-7f3a") + "\n", raw("R-7f3a"))
    )
    new = merge(now, [TABS, PORT])
    assert "pnpm" not in new
    assert f"- mine\n\n{note}" in new
    assert read_rules(new)[0] == line("", "mine", about="command")


def test_a_persons_own_rule_gets_its_id_and_keeps_its_bytes() -> None:
    now = FILE.replace("## Style", "* Never push\n  on Fridays.  \n- Ask.\n\n## Style")
    mine = line("R-aaaa", "Never push on Fridays.", about="command")
    assert merge(now, [*ALL, mine]) == now.replace(
        "Fridays.  ", 'Fridays. <!-- wisen:R-aaaa {"status":"confirmed"} -->'
    )


def test_our_comment_comes_back_where_only_that_was_lost_and_damage_is_healed() -> None:
    assert merge(FILE.replace(raw("R-7f3a"), "- Use pnpm, not npm. (used 3 times)\n"), ALL) == FILE
    assert merge(FILE.replace('"uses":3', '"uses":'), ALL) == FILE


def test_a_copy_goes_and_a_changed_copy_is_no_longer_ours() -> None:
    ours = raw("R-7f3a")
    assert merge(FILE.replace(ours, ours * 2), ALL) == FILE
    copied = FILE.replace(ours, ours + ours.replace("pnpm", "uv"))
    assert merge(copied, ALL) == FILE.replace(ours, ours + "- Use uv, not npm.\n")


def test_a_line_with_an_id_from_elsewhere_stays() -> None:
    now = FILE + "- From elsewhere. <!-- wisen:R-eeee -->\n"
    assert merge(now, ALL) == now


def test_a_mark_at_the_beginning_of_the_file_stays() -> None:
    now = "\ufeff" + raw("R-7f3a") + raw("R-0b1c")
    assert merge(now, [TABS], now) == "\ufeff" + raw("R-0b1c")
    assert merge(now, [replace(PNPM, text="Use pnpm."), TABS], now).startswith("\ufeff- Use pnpm. (used")


def test_what_an_archived_rule_is_about_is_kept_up_to_date() -> None:
    about = replace(PORT, about="tool")
    assert read_rules(merge(FILE, [PNPM, TABS, about])) == (PNPM, TABS, about)
