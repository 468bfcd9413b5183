"""Who removed or reworded one of our lines: the user, or git."""

from __future__ import annotations

import pytest

from wisen.edits.change_fates import ObservedFate, determine_fate
from wisen.errors import SettingsUnclear
from wisen.model.change import ChangeFate, CheckedOutFile, HeadStep, HeadStepKind, LineEdit, PassageEdit, ValueEdit

LINE = LineEdit(id="R-7f3a", heading="Rules", text="Use pnpm.")
OURS = b"- Use pnpm. <!-- wisen:R-7f3a -->\n"
SWITCH = HeadStep(HeadStepKind.SWITCHED, OURS, OURS)
LATER = HeadStep(HeadStepKind.FORWARD, b"", b"")
REWORDED = b"- Use pnpm 9. <!-- wisen:R-7f3a -->\n"


def fate(now: bytes | None, at_head: bytes | None = None, *steps: HeadStep) -> ChangeFate:
    git = None if at_head is None else CheckedOutFile("b", at_head)
    return determine_fate(LINE, now, git, steps).fate


def test_a_line_that_was_moved_still_stands() -> None:
    assert fate(b"# Other\n\nwords\n" + OURS) is ChangeFate.STANDS
    assert fate(OURS, b"", SWITCH) is ChangeFate.STANDS


@pytest.mark.parametrize(
    ("now", "expected"), [(b"", ChangeFate.REMOVED), (None, ChangeFate.REMOVED), (REWORDED, ChangeFate.REWORDED)]
)
def test_in_a_file_without_git_it_was_the_person(now: bytes | None, expected: ChangeFate) -> None:
    assert fate(now) is expected


def test_the_users_rewording_is_part_of_the_fate() -> None:
    assert determine_fate(LINE, REWORDED, None, ()) == ObservedFate(ChangeFate.REWORDED, "Use pnpm 9.")


@pytest.mark.requirement("S19")
@pytest.mark.parametrize("now", [b"", REWORDED])
def test_a_switched_branch_is_not_a_refusal(now: bytes) -> None:
    assert fate(now, now, HeadStep(HeadStepKind.SWITCHED, OURS, now)) is ChangeFate.UNCLEAR
    assert fate(now, now, HeadStep(HeadStepKind.REWRITTEN, OURS, now)) is ChangeFate.UNCLEAR
    assert determine_fate(LINE, now, CheckedOutFile("b", now), None).fate is ChangeFate.UNCLEAR, (
        "how HEAD moved cannot be told"
    )


@pytest.mark.requirement("S6", "S19")
@pytest.mark.parametrize(("now", "expected"), [(b"", ChangeFate.REMOVED), (REWORDED, ChangeFate.REWORDED)])
def test_what_a_commit_on_the_branch_took_out_or_reworded_was_the_person(now: bytes, expected: ChangeFate) -> None:
    removal = HeadStep(HeadStepKind.FORWARD, OURS, now)
    assert fate(now, now, removal) is expected
    assert fate(now, now, HeadStep(HeadStepKind.FORWARD, b"", OURS), removal) is expected
    assert fate(now, now, SWITCH, removal) is expected, "on the branch that was switched to"
    rebased = HeadStep(HeadStepKind.REWRITTEN, now, now)
    assert fate(now, now, removal, rebased) is expected, "and then rebased"
    assert fate(now, now, removal, HeadStep(HeadStepKind.SWITCHED, now, now)) is ChangeFate.UNCLEAR
    back = HeadStep(HeadStepKind.FORWARD, now, OURS)
    assert fate(now, now, removal, back, HeadStep(HeadStepKind.SWITCHED, OURS, now)) is ChangeFate.UNCLEAR


@pytest.mark.parametrize(
    ("now", "at_head", "expected"),
    [
        (b"", OURS, ChangeFate.REMOVED),
        (REWORDED, OURS, ChangeFate.REWORDED),
        (REWORDED, b"", ChangeFate.REWORDED),
        (b"", b"", ChangeFate.REMOVED),
        (REWORDED, REWORDED, ChangeFate.REWORDED),
    ],
)
def test_without_a_switch_it_was_the_person(now: bytes, at_head: bytes, expected: ChangeFate) -> None:
    assert fate(now, at_head) is expected
    assert fate(now, at_head, LATER) is expected, "commits of other things take nothing out of a file"


@pytest.mark.parametrize(("now", "expected"), [(b"", ChangeFate.REMOVED), (REWORDED, ChangeFate.REWORDED)])
def test_what_differs_from_the_commit_that_is_checked_out_was_done_in_the_working_tree(
    now: bytes, expected: ChangeFate
) -> None:
    assert fate(now, OURS, SWITCH) is expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b"- Use pnpm.\n", ChangeFate.REWORDED),
        (b"Use pnpm.\n", ChangeFate.REWORDED),
        (b"~~~\n- Use pnpm.\n~~~\n", ChangeFate.REMOVED),
        (b"- Never use pnpm.\n", ChangeFate.REMOVED),
        (b"- ~~Use pnpm.~~ <!-- wisen:R-7f3a -->\n", ChangeFate.REMOVED),
        (b"<!-- - Use pnpm. <!-- wisen:R-7f3a --> -->\n", ChangeFate.REMOVED),
        (b"- <!-- wisen:R-7f3a -->\n", ChangeFate.REMOVED),
    ],
)
def test_a_mark_taken_off_leaves_the_words_theirs_and_words_struck_out_are_refused(
    now: bytes, expected: ChangeFate
) -> None:
    assert fate(now) is expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b'{"a": {"b": 1}}', ChangeFate.STANDS),
        (b'// his\n{"x": 0, "a": {"b": 1}}', ChangeFate.STANDS),
        (b'{"a": {"b": true}}', ChangeFate.REWORDED),
        (b'{"a": {}}', ChangeFate.REMOVED),
    ],
)
def test_a_value_is_recognized_by_what_it_is(now: bytes, expected: ChangeFate) -> None:
    assert determine_fate(ValueEdit(format="json5", keys=("a", "b"), new="1"), now, None, ()).fate is expected


def test_a_file_in_the_midst_of_an_edit_is_no_refusal() -> None:
    with pytest.raises(SettingsUnclear):
        determine_fate(ValueEdit(format="json5", keys=("a", "b"), new="1"), b"{", None, ())


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b'{"a": [1, 2]}', ChangeFate.STANDS),
        (b'{"a": [2, 3, 4]}', ChangeFate.STANDS),
        (b'{"a": [1, 3]}', ChangeFate.REMOVED),
    ],
)
def test_an_element_of_a_list_is_found_wherever_it_moved(now: bytes, expected: ChangeFate) -> None:
    assert (
        determine_fate(ValueEdit(format="json", keys=("a", 1), new="2", appended=True), now, None, ()).fate is expected
    )


def test_what_was_taken_out_stands_while_it_is_gone() -> None:
    value = ValueEdit(format="toml", keys=("a",), new="", old="1")
    assert determine_fate(value, b"b = 1\n", None, ()).fate is ChangeFate.STANDS
    assert determine_fate(value, b"a = 2\n", None, ()) == ObservedFate(ChangeFate.REWORDED, "2")


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b"before\n## [LRN-1] pnpm\nUse pnpm.\nafter\n", ChangeFate.STANDS),
        (b"## [LRN-1] pnpm\nUse pnpm 9.\n", ChangeFate.REWORDED),
        (b"before\n", ChangeFate.REMOVED),
    ],
)
def test_a_passage_is_recognized_by_its_bytes_and_one_that_the_user_touched_by_its_first_line(
    now: bytes, expected: ChangeFate
) -> None:
    assert determine_fate(PassageEdit(new=b"## [LRN-1] pnpm\nUse pnpm.\n"), now, None, ()).fate is expected
