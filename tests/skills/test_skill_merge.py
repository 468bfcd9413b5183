"""An update renews what we wrote and leaves what the user edited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.skills.deploy_skill import deploy_skill
from wisen.agents.skill_file import parse_skill, write_skill
from wisen.skills.skill_merge import changed_units, merge_skill, split_units

LAST = write_skill(deploy_skill())
NEW = LAST.replace("git tag v{version}", "git tag -a v{version}").replace(
    'updated: "2026-03-10"', 'updated: "2026-04-01"'
)
LINES = st.lists(
    st.sampled_from(["---", "name: a", "metadata:", "  x: y", "# T", "## A", "## B", "## B", "```", "~~~", "text", ""]),
    max_size=14,
).map("\n".join)


@given(LINES | st.text(max_size=80))
def test_units_are_the_whole_text_and_have_different_names(text: str) -> None:
    units = split_units(text)
    assert "".join(unit.text for unit in units) == text
    assert len({unit.name for unit in units}) == len(units)


@given(LINES, LINES)
def test_a_skill_that_nobody_edited_becomes_what_we_would_write(last: str, new: str) -> None:
    assert merge_skill(last, last, new) == new


@given(LINES, LINES)
def test_without_news_the_skill_stays_as_it_is(last: str, current: str) -> None:
    assert merge_skill(last, current, last) in (current, last)
    if current != last:
        assert merge_skill(last, current, last) == current


@given(LINES, LINES, LINES)
def test_every_unit_that_the_user_wrote_or_edited_is_still_there(last: str, current: str, new: str) -> None:
    merged, before = merge_skill(last, current, new), dict(split_units(last))
    if current in (last, new):
        return
    ours = dict(split_units(new))
    for name, text in split_units(current):
        is_theirs = before.get(name) != text
        if is_theirs and (name in ours or name not in before or before[name] != text):
            assert text.rstrip("\n") in merged


def test_an_edited_section_stays_and_the_others_are_renewed() -> None:
    edited = LAST.replace("## Verification\n\n", "## Verification\n\nLook at the dashboard too.\n\n")
    merged = merge_skill(LAST, edited, NEW)
    assert "Look at the dashboard too." in merged
    assert "git tag -a v{version}" in merged
    assert "git tag v{version}" not in merged
    read = parse_skill(merged)
    assert read is not None
    assert read.metadata["updated"] == "2026-04-01"


def test_an_edited_description_stays_and_the_procedure_is_renewed() -> None:
    lines = ["description: My own words." if line.startswith("description:") else line for line in LAST.splitlines()]
    merged = merge_skill(LAST, "\n".join((*lines, "")), NEW)
    read = parse_skill(merged)
    assert read is not None
    assert read.description == "My own words."
    assert "git tag -a v{version}" in read.body


def test_a_section_that_the_user_removed_does_not_come_back_and_theirs_stays_in_its_place() -> None:
    start, end = LAST.index("## Parameters"), LAST.index("## Procedure")
    edited = LAST[:start] + "## Who to ask\n\nQuince.\n\n" + LAST[end:]
    merged = merge_skill(LAST, edited, NEW)
    assert "## Parameters" not in merged
    assert merged.index("## When to use it") < merged.index("## Who to ask") < merged.index("## Procedure")


def test_a_skill_of_somebody_else_only_gains_the_sections_it_does_not_have() -> None:
    theirs = "---\nname: deploy\ndescription: Ours.\n---\n# Deploy\n\n## Procedure\n\nAsk Quince."
    merged = merge_skill(None, theirs, NEW)
    assert merged.startswith(theirs)
    assert "git tag" not in merged
    assert "## Verification" in merged
    assert merge_skill(None, merged, NEW) == merged


def test_a_heading_inside_a_code_block_is_no_section() -> None:
    text = "## A\n```sh\n## not a section\n```\n## B\n"
    assert [unit.name for unit in split_units(text)] == ["## a", "## b"]


def test_changed_units_are_named() -> None:
    assert set(changed_units(LAST, NEW)) == {"metadata:updated", "## procedure"}
