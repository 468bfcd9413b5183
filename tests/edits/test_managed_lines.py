"""Our managed lines in a user's Markdown file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.edits.budget import SECTION_BUDGET, Budget, budget_of, trim_to_budget
from wisen.edits.managed_lines import BlockFrame, insert_line, managed_lines, remove_line, render_line
from wisen.model.change import LineEdit, estimate_tokens

ID = "R-7f3a"
OURS = b"- Use pnpm, not npm. <!-- wisen:R-7f3a -->"


def put(content: bytes, heading: str = "Rules") -> bytes:
    return insert_line(content, heading, "Use pnpm, not npm.", ID).content


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"## Rules\n\n" + OURS + b"\n"),
        (b"# Shop\n", b"# Shop\n\n## Rules\n\n" + OURS + b"\n"),
        (b"# Shop", b"# Shop\n\n## Rules\n\n" + OURS),
        (b"## Rules\n", b"## Rules\n\n" + OURS + b"\n"),
        (b"## rules ##\n- mine\n", b"## rules ##\n- mine\n" + OURS + b"\n"),
        (b"## Rules\n- mine", b"## Rules\n- mine\n" + OURS),
        (b"## Rules\nA text.\n\n## Next\n", b"## Rules\nA text.\n\n" + OURS + b"\n\n## Next\n"),
        (b"## Rules\n## Next\n", b"## Rules\n\n" + OURS + b"\n\n## Next\n"),
        (b"## Rules\n- a\n### More\n- b\n# End\n", b"## Rules\n- a\n### More\n- b\n" + OURS + b"\n# End\n"),
        (b"# A\r\n## Rules\r\n- a\r\n", b"# A\r\n## Rules\r\n- a\r\n" + OURS + b"\r\n"),
        (b"\xef\xbb\xbf# Rules\n", b"\xef\xbb\xbf# Rules\n\n" + OURS + b"\n"),
        (b"```\n## Rules\n```\n", b"```\n## Rules\n```\n\n## Rules\n\n" + OURS + b"\n"),
    ],
)
def test_a_line_goes_below_its_heading(before: bytes, after: bytes) -> None:
    assert put(before) == after
    assert [(each.id, each.text) for each in managed_lines(after)] == [(ID, "Use pnpm, not npm.")]


def test_a_line_is_found_wherever_it_was_moved_and_however_it_was_worded() -> None:
    moved = b"# A\n\n* use pnpm, never npm <!-- wisen:R-7f3a -->\n"
    assert [(each.text, each.number) for each in managed_lines(moved)] == [("use pnpm, never npm", 2)]
    assert remove_line(moved, ID) == b"# A\n\n"
    assert remove_line(moved, "R-0000") == moved


def test_a_mark_in_code_is_an_example_and_not_a_line() -> None:
    assert managed_lines(b"```md\n" + OURS + b"\n```\n") == ()


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "a <!-- b", "c --> d", "e\u2028f"])
def test_what_cannot_be_one_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be a line"):
        render_line(text, ID)


def test_a_line_is_put_once_and_ids_are_checked() -> None:
    with pytest.raises(ValueError, match="already"):
        put(put(b"# A\n"))
    with pytest.raises(ValueError, match="not an id"):
        render_line("fine", "R 1")


pieces = st.sampled_from(
    [
        b"# A",
        b"## Rules",
        b"- item",
        b"text",
        b"",
        b"```",
        b"~~~",
        b"\xff\xfe",
        b"- x <!-- wisen:R-aaaa -->",
        b" ",
        b"\r",
    ]
)
contents = st.builds(
    lambda lines, end, last: end.join(lines) + (end if last else b""),
    st.lists(pieces, max_size=8),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
)


def put_or_refused(content: bytes) -> bytes | None:
    try:
        return put(content)
    except ValueError:
        return None


def test_a_file_that_ends_inside_a_fence_gets_no_line() -> None:
    with pytest.raises(ValueError, match="code fence"):
        put(b"# A\n```\ncode\n")


@given(contents)
def test_putting_a_line_in_changes_no_other_and_keeps_the_end(content: bytes) -> None:
    new = put_or_refused(content)
    if new is None:
        return
    old_lines, new_lines = content.splitlines(), iter(new.splitlines())
    assert all(line in new_lines for line in old_lines)  # in order, nothing lost
    assert [each.id for each in managed_lines(new)].count(ID) == 1
    if content:
        assert new.endswith(b"\n") == content.endswith(b"\n")
    assert new.startswith(b"\xef\xbb\xbf") == content.startswith(b"\xef\xbb\xbf")


@given(contents)
def test_taking_a_line_out_leaves_all_others(content: bytes) -> None:
    put_in = put_or_refused(content)
    new = remove_line(put_in if put_in is not None else content, ID)
    kept = iter(new.splitlines())
    assert all(line in kept for line in content.splitlines())
    assert OURS not in new


def test_a_thousand_lines_never_pass_the_budget_and_never_touch_a_persons() -> None:
    mine = b"# Memory\n\nMy own line, which stays.\n\n## Rules\n\n- and this one\n"
    budget, content = budget_of("MEMORY.md"), mine
    worth, ours = dict[str, float](), list[LineEdit]()
    for number in range(1_000):
        line = LineEdit(id=f"R-{number:04x}", heading="Rules", text=f"Rule number {number} says a thing.")
        worth[line.id] = float((number * 7) % 13)
        ours.append(line)
        fitted = trim_to_budget(
            insert_line(content, "Rules", line.text, line.id).content, budget, ours, worth, keep=line
        )
        assert fitted is not None
        content = fitted.content
        assert budget.fits(content)
        assert line.id in {each.id for each in managed_lines(content)}
    assert set(mine.splitlines()) <= set(content.splitlines())
    # Besides the newest, which always stays, the most useful ones remain.
    left = sorted((worth[each.id] for each in managed_lines(content)[:-1]), reverse=True)
    assert len(left) == SECTION_BUDGET.lines - 1
    assert left == sorted([*worth.values()][:-1], reverse=True)[: len(left)]
    assert 0 < estimate_tokens(content) <= budget.size / 4


def test_where_only_a_persons_lines_fill_a_file_nothing_is_written() -> None:
    full = b"mine\n" * 10
    line = LineEdit(id=ID, heading="Rules", text="Use pnpm, not npm.")
    assert trim_to_budget(put(full), Budget(lines=10, size=1_000), (), {}, keep=line) is None


@pytest.mark.requirement("S7")
@given(contents, st.permutations(range(4)), st.integers(min_value=1, max_value=4))
def test_lines_taken_out_in_any_order_leave_the_file_as_it_was(content: bytes, order: list[int], many: int) -> None:
    now, blocks = content, dict[int, BlockFrame]()
    for number in range(many):
        try:
            now, blocks[number] = insert_line(now, "Rules", f"Rule {number}.", f"R-{number:04x}")
        except ValueError:
            return
    first = blocks[0]
    for number in order:
        if number < many:
            now = remove_line(now, f"R-{number:04x}", [first])
    assert now == content


@pytest.mark.requirement("S7")
@pytest.mark.parametrize("first", ["R-0001", "R-0002"])
def test_sections_of_ours_behind_a_line_without_an_end_go_in_any_order(first: str) -> None:
    now, one = insert_line(b"# Shop", "Rules", "Use pnpm.", "R-0001")
    now, two = insert_line(now, "More", "Sort by date.", "R-0002")
    for id_ in (first, "R-0002" if first == "R-0001" else "R-0001"):
        now = remove_line(now, id_, [one if id_ == "R-0001" else two])
    assert now == b"# Shop"


@pytest.mark.requirement("S7")
def test_what_a_person_wrote_into_our_section_keeps_its_heading() -> None:
    now, block = insert_line(b"# Shop\n", "Rules", "Use pnpm.", ID)
    edited = now + b"- and never npm\n"
    assert remove_line(edited, ID, [block]) == b"# Shop\n\n## Rules\n\n- and never npm\n"
    below = now + b"\nHis text.\n"
    assert b"His text." in remove_line(below, ID, [block])
