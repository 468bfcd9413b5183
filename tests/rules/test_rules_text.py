"""Rules as Markdown: written, parsed, and compared with the user's edits."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.rules.rule_lines import line, rules, texts
from wisen.rules.rule_page import ARCHIVED, SECTIONS
from wisen.rules.rule_text import RuleEdits, RuleLine, find_edits, read_rules, section_of, write_rules

PNPM = line("R-7f3a", "Use pnpm, not npm.", about="command", uses=3, sessions=2, sources=("LRN-20260115-001",))
TABS = line("R-0b1c", "Indent with tabs.", about="style", status="stale", last_used=date(2026, 1, 15))
PORT = line("R-9d2e", "The shop listens on 8080.", about="project fact", status="archived")
FILE = write_rules("Rules of the shop", [PORT, TABS, PNPM], intro="What holds in this project.")


def change(old: str, new: str) -> RuleEdits:
    assert FILE.count(old) == 1
    return find_edits(FILE, FILE.replace(old, new))


def raw(id_: str) -> str:
    return next(each for each in FILE.splitlines(keepends=True) if id_ in each)


def test_a_file_reads_well_and_holds_everything() -> None:
    assert FILE == (
        "# Rules of the shop\n"
        "\n"
        "What holds in this project. Edit it with `wisen rules edit`, and it applies at once; other edits are "
        "asked about once.\n"
        "\n"
        "## Command\n"
        "\n"
        "- Use pnpm, not npm. (seen in 2 sessions, used 3 times) "
        '<!-- wisen:R-7f3a {"status":"confirmed","uses":3,"sessions":2,"src":["LRN-20260115-001"]} -->\n'
        "\n"
        "## Style\n"
        "\n"
        "- Indent with tabs. (stale: not used since 2026-01-15) "
        '<!-- wisen:R-0b1c {"status":"stale","last_used":"2026-01-15"} -->\n'
        "\n"
        "## Archived\n"
        "\n"
        "- The shop listens on 8080. "
        '<!-- wisen:R-9d2e {"status":"archived","about":"project fact"} -->\n'
    )
    assert read_rules(FILE) == (PNPM, TABS, PORT)


@given(rules())
def test_what_is_written_is_read_back(lines: list[RuleLine]) -> None:
    order = [*SECTIONS, *sorted({each.about for each in lines} - set(SECTIONS)), ARCHIVED]
    expected = sorted(lines, key=lambda each: order.index(section_of(each)))
    assert read_rules(write_rules("T", lines, intro="I.")) == tuple(expected)


@given(rules())
def test_other_programs_see_each_rule_as_one_item_without_its_comment(lines: list[RuleLine]) -> None:
    tokens = MarkdownIt().parse(write_rules("T", lines, intro="I."))
    assert sum(each.type == "list_item_open" for each in tokens if each.level == 1) == len(lines)


@given(st.text() | texts().map(lambda each: f"# A\n- {each} <!-- wisen:R-aaaa {{"))
def test_reading_never_fails(text: str) -> None:
    read_rules(text)
    find_edits(text, FILE)
    find_edits(FILE, text)


@pytest.mark.parametrize("data", ["[" * 100_000, '{"uses":' + "9" * 5000 + "}", '{"status":"x"}', "{", "", '{"uses":-'])
def test_a_damaged_machine_part_leaves_id_and_text(data: str) -> None:
    found = read_rules(f"## Tool\n- Use rg. (not confirmed yet) <!-- wisen:R-7f3a {data} -->\n- Next\n")
    assert found == (line("R-7f3a", "Use rg.", about="tool", status="pending"), line("", "Next", about="tool"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n* b\n+ c\n1. d\n2) e\n", ["a", "b", "c", "d", "e"]),
        ("\ufeff- a\r\n- b\r\n", ["a", "b"]),
        ("prose\n\n> - quoted\n\n    - code\n\n#tag\n", []),
        ("- a\n---\n- - -\n* * *\n- \n-\n", ["a"]),
        ("```md\n- code\n```\n~~~\n- code\n```\n~~~\n- a\n", ["a"]),
        ("```\n- a fence without an end hides nothing\n", ["a fence without an end hides nothing"]),
        ("<!-- - no -->\n<!--\n- no\n-->\n- a <!-- why -->\n- <!-- no -->\n", ["a"]),
        ("<!-- a comment without an end\n- a\n", ["a"]),
        ("- a rule\n  that goes on\n\n  but not here\n- b\n", ["a rule that goes on", "b"]),
        ("- before you push:\n  - lint\n  - test\n", ["before you push: - lint - test"]),
    ],
)
def test_any_bullet_of_a_person_is_a_rule_and_nothing_else_is(text: str, expected: list[str]) -> None:
    assert [(each.id, each.text) for each in read_rules(text)] == [("", each) for each in expected]


@pytest.mark.parametrize(
    "text",
    [
        "* Use pnpm. <!-- wisen:R-7f3a -->",
        "Use pnpm. <!-- wisen:R-7f3a -->",
        "- Use\n  pnpm. <!-- wisen:R-7f3a -->",
        "- Use pnpm.\n  <!-- wisen:R-7f3a -->",
        "- Use <!-- wisen:R-7f3a --> pnpm.",
        '- Use pnpm. <!-- why --> <!-- wisen:R-7f3a {"status":"conf',
        "- x\n      - Use pnpm. <!-- wisen:R-7f3a -->",
    ],
)
def test_a_line_of_ours_is_known_however_a_person_set_it(text: str) -> None:
    assert [each.text for each in read_rules(text) if each.id == "R-7f3a"] == ["Use pnpm."]


def test_rules_that_were_commented_out_are_gone() -> None:
    around = FILE.replace("- Use pnpm", "<!-- - Use pnpm").replace(raw("R-0b1c"), "-->\n")
    assert [each.id for each in find_edits(FILE, around).removed] == ["R-7f3a", "R-0b1c"]


@pytest.mark.parametrize("bad", ["", " \n", "---", "…"])
def test_what_cannot_be_a_rule_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="cannot be a rule"):
        write_rules("T", [line("R-7f3a", bad)], intro="I.")
    with pytest.raises(ValueError, match="not an id"):
        write_rules("T", [line("R 1", "a")], intro="I.")


@given(rules())
def test_nothing_was_done_to_what_is_as_it_was_written(lines: list[RuleLine]) -> None:
    text = write_rules("T", lines, intro="I.")
    assert find_edits(text, text) == RuleEdits((), (), (), ())
    assert find_edits(text, text.replace("\n", "\r\n")) == RuleEdits((), (), (), ())


def test_a_person_adds_rewords_and_takes_out() -> None:
    assert change("## Style", "- Never push on Fridays.\n\n## Style") == RuleEdits(
        (line("", "Never push on Fridays.", about="command"),), (), (), ()
    )
    reworded = line("R-7f3a", "Use pnpm always.", about="command", uses=3, sessions=2, sources=PNPM.sources)
    assert change("pnpm, not npm.", "pnpm always.") == RuleEdits((), ((PNPM, reworded),), (), ())
    assert change(" (seen in 2 sessions, used 3 times)", "") == RuleEdits((), (), (), ())
    assert change("Use pnpm, not npm.", "") == RuleEdits((), (), (PNPM,), ())
    assert change(raw("R-0b1c"), "") == RuleEdits((), (), (TABS,), ())


def test_words_behind_our_note_or_our_comment_are_a_rewording() -> None:
    assert change("used 3 times)", "used 3 times) Ever.").reworded[0][1].text == "Use pnpm, not npm. Ever."
    assert change('001"]} -->', '001"]} --> Ever.').reworded[0][1].text == "Use pnpm, not npm. Ever."


def test_a_line_put_below_archived_or_out_from_there_has_another_status() -> None:
    archived = FILE.replace(raw("R-0b1c"), "") + raw("R-0b1c")
    assert [(old.status, new.status, new.about) for old, new in find_edits(FILE, archived).moved] == [
        ("stale", "archived", "style")
    ]
    back = FILE.replace(raw("R-9d2e"), "").replace("## Style\n", "## Style\n" + raw("R-9d2e"))
    assert [(old.status, new.status, new.about) for old, new in find_edits(FILE, back).moved] == [
        ("archived", "confirmed", "style")
    ]
    assert find_edits(FILE, back)._replace(moved=()) == RuleEdits((), (), (), ())


def test_another_order_is_nothing_and_another_heading_is_a_move() -> None:
    both = write_rules("T", [PNPM, line("R-aaaa", "b", about="command")], intro="I.")
    first, second = (each for each in both.splitlines(keepends=True) if each.startswith("- "))
    assert find_edits(both, both.replace(first + second, second + first)) == RuleEdits((), (), (), ())
    assert [new.about for _, new in change("## Command", "## How we build").moved] == ["How we build"]


def test_a_line_from_another_file_is_added_with_its_id_and_status() -> None:
    candidate = line("R-cccc", "Run make lint.", about="command", status="pending", sessions=1)
    other = next(each for each in write_rules("C", [candidate], intro="I.").splitlines(True) if "R-cccc" in each)
    assert change("## Style", f"{other}\n## Style").added == (candidate,)


def test_a_line_that_lost_only_our_comment_is_the_same_line() -> None:
    for kept in ("Use pnpm, not npm.", "Use pnpm, not npm. (seen in 2 sessions, used 3 times)"):
        assert find_edits(FILE, FILE.replace(raw("R-7f3a"), f"- {kept}\n")) == RuleEdits((), (), (), ())


def test_damage_is_not_a_decision() -> None:
    assert change('{"status":"stale"', '{"status:stale"') == RuleEdits((), (), (), ())
    pending = write_rules("T", [line("R-aaaa", "b", status="pending")], intro="I.")
    hurt = pending.replace('"pending"', "").replace(" (not confirmed yet)", "")
    assert find_edits(pending, hurt) == RuleEdits((), (), (), ())


def test_a_copy_is_nothing_and_a_changed_copy_is_a_new_rule() -> None:
    ours = raw("R-7f3a")
    assert change(ours, ours * 2) == RuleEdits((), (), (), ())
    assert change(ours, ours + ours.replace("pnpm", "uv")).added == (line("", "Use uv, not npm.", about="command"),)
