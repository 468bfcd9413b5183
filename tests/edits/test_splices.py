"""Diffs are line-based and have an exact inverse."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cost import cost
from wisen.edits.splices import apply_splices, diff, invert
from wisen.model.change import Splice

pytestmark = pytest.mark.requirement("S19")

HOSTILE = [b"a", b"\n", b"\r", b"\r\n", b"a\n", b"\xef\xbb\xbf", b"\x00", b"\xff", b""]
contents = st.one_of(
    st.lists(st.sampled_from([b"a\n", b"b\n"]), max_size=9).map(b"".join),
    st.lists(st.sampled_from(HOSTILE), max_size=12).map(b"".join),
    st.binary(max_size=20),
)


@given(contents, contents)
def test_a_difference_leads_there_and_its_inverse_back(old: bytes, new: bytes) -> None:
    splices = diff(old, new)
    assert apply_splices(old, splices) == new
    assert apply_splices(new, invert(splices)) == old
    assert invert(invert(splices)) == splices
    assert all(one.at + len(one.old) < other.at for one, other in pairwise(splices))
    assert all(splice.old != splice.new for splice in splices)


@given(contents, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), contents), max_size=4))
def test_any_ordered_changes_have_an_inverse(content: bytes, cuts: list[tuple[int, int, bytes]]) -> None:
    splices, at = [], 0
    for skip, length, new in cuts:
        at = min(at + skip, len(content))
        splices.append(Splice(at, content[at : at + length], new))
        at += len(splices[-1].old)
    assert apply_splices(apply_splices(content, splices), invert(splices)) == content


def test_a_difference_holds_only_the_lines_that_changed() -> None:
    old = b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\nfour"
    new = b"\xef\xbb\xbfone\r\n2\r\nthree\r\nfour\n"
    assert diff(old, new) == (Splice(8, b"two\r\n", b"2\r\n"), Splice(20, b"four", b"four\n"))
    assert diff(old, old) == ()


@pytest.mark.parametrize(
    "splices",
    [
        [Splice(0, b"b", b"")],
        [Splice(-1, b"", b"x")],
        [Splice(4, b"", b"x")],
        [Splice(2, b"cd", b"")],
        [Splice(1, b"b", b""), Splice(0, b"a", b"")],
        [Splice(0, b"ab", b""), Splice(1, b"b", b"")],
    ],
)
def test_a_change_that_does_not_fit_is_refused(splices: list[Splice]) -> None:
    with pytest.raises(ValueError, match=r"byte -?\d"):
        apply_splices(b"abc", splices)


def test_large_files_and_files_of_equal_lines_are_compared_in_time() -> None:
    many = b"".join(b"%d\n" % number for number in range(20_000))
    same = b"x\n" * 5_000
    for old, new in ((many, b"0\n" + many + b"end\n"), (same, b"y\n" + same + b"z\n" + same + b"y\n")):
        assert cost(lambda old=old, new=new: diff(old, new)) < 2500  # type: ignore[misc]
        assert apply_splices(old, diff(old, new)) == new
