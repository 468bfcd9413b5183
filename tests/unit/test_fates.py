"""Whose act it was that something of ours is gone or reworded."""

from __future__ import annotations

import pytest

from wisen.domain.changes import Checkout, Fate, Line, Passage, Value
from wisen.errors import SettingsUnclear
from wisen.loop.apply.fates import Found, fate

LINE = Line(id="R-7f3a", heading="Rules", text="Use pnpm.")
OURS = b"- Use pnpm. <!-- wisen:R-7f3a -->\n"
REWORDED = b"- Use pnpm 9. <!-- wisen:R-7f3a -->\n"


def told(now: bytes | None, at_head: bytes | None = None, *, switched: bool = False) -> Fate:
    git = None if at_head is None else Checkout("b" if switched else "a", at_head)
    return fate(LINE, now, "a", git).fate


def test_a_line_that_was_moved_still_stands() -> None:
    assert told(b"# Other\n\nwords\n" + OURS) is Fate.STANDS
    assert told(OURS, b"", switched=True) is Fate.STANDS


@pytest.mark.parametrize(("now", "expected"), [(b"", Fate.REFUSED), (None, Fate.REFUSED), (REWORDED, Fate.HIS)])
def test_in_a_file_without_git_it_was_the_person(now: bytes | None, expected: Fate) -> None:
    assert told(now) is expected


def test_his_words_are_told() -> None:
    assert fate(LINE, REWORDED, "", None) == Found(Fate.HIS, "Use pnpm 9.")


@pytest.mark.requirement("S19")
@pytest.mark.parametrize("now", [b"", REWORDED])
def test_a_switched_branch_is_not_a_refusal(now: bytes) -> None:
    assert told(now, OURS, switched=True) is Fate.UNCLEAR


@pytest.mark.parametrize(
    ("now", "at_head", "expected"),
    [
        (b"", OURS, Fate.REFUSED),
        (REWORDED, OURS, Fate.HIS),
        (REWORDED, b"", Fate.HIS),
        (b"", b"", Fate.UNCLEAR),
        (REWORDED, REWORDED, Fate.UNCLEAR),
    ],
)
def test_under_the_same_head_it_was_the_person_where_the_line_differs_from_it(
    now: bytes, at_head: bytes, expected: Fate
) -> None:
    assert told(now, at_head) is expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b'{"a": {"b": 1}}', Fate.STANDS),
        (b'// his\n{"x": 0, "a": {"b": 1}}', Fate.STANDS),
        (b'{"a": {"b": true}}', Fate.HIS),
        (b'{"a": {}}', Fate.REFUSED),
    ],
)
def test_a_value_is_told_by_what_it_is(now: bytes, expected: Fate) -> None:
    assert fate(Value(format="json5", keys=("a", "b"), new="1"), now, "", None).fate is expected


def test_a_file_in_the_midst_of_an_edit_is_no_refusal() -> None:
    with pytest.raises(SettingsUnclear):
        fate(Value(format="json5", keys=("a", "b"), new="1"), b"{", "", None)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b'{"a": [1, 2]}', Fate.STANDS),
        (b'{"a": [2, 3, 4]}', Fate.STANDS),
        (b'{"a": [1, 3]}', Fate.REFUSED),
    ],
)
def test_an_element_of_a_list_is_found_wherever_it_moved(now: bytes, expected: Fate) -> None:
    assert fate(Value(format="json", keys=("a", 1), new="2", appended=True), now, "", None).fate is expected


def test_what_was_taken_out_stands_while_it_is_gone() -> None:
    value = Value(format="toml", keys=("a",), new="", old="1")
    assert fate(value, b"b = 1\n", "", None).fate is Fate.STANDS
    assert fate(value, b"a = 2\n", "", None) == Found(Fate.HIS, "2")


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (b"before\n## [LRN-1] pnpm\nUse pnpm.\nafter\n", Fate.STANDS),
        (b"## [LRN-1] pnpm\nUse pnpm 9.\n", Fate.HIS),
        (b"before\n", Fate.REFUSED),
    ],
)
def test_a_passage_is_told_by_its_bytes_and_one_that_he_touched_by_its_first_line(now: bytes, expected: Fate) -> None:
    assert fate(Passage(new=b"## [LRN-1] pnpm\nUse pnpm.\n"), now, "", None).fate is expected
