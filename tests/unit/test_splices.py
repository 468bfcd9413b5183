"""Changes are told by lines, have an exact inverse, and are taken back without touching what others did since."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.domain.changes import Splice
from wisen.loop.apply.splices import applied, difference, inverse, taken_back

pytestmark = pytest.mark.requirement("S19")

Edit = tuple[int, int, list[bytes]]
"""The lines of a file from the first to before the second, and what takes their place."""
File = tuple[list[bytes], list[Edit]]
HOSTILE = [b"a", b"\n", b"\r", b"\r\n", b"a\n", b"\xef\xbb\xbf", b"\x00", b"\xff", b""]
contents = st.one_of(
    st.lists(st.sampled_from([b"a\n", b"b\n"]), max_size=9).map(b"".join),
    st.lists(st.sampled_from(HOSTILE), max_size=12).map(b"".join),
    st.binary(max_size=20),
)


@given(contents, contents)
def test_a_difference_leads_there_and_its_inverse_back(old: bytes, new: bytes) -> None:
    splices = difference(old, new)
    assert applied(old, splices) == new
    assert applied(new, inverse(splices)) == old
    assert inverse(inverse(splices)) == splices
    assert all(one.at + len(one.old) < other.at for one, other in pairwise(splices))
    assert all(splice.old != splice.new for splice in splices)


@given(contents, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), contents), max_size=4))
def test_any_ordered_changes_have_an_inverse(content: bytes, cuts: list[tuple[int, int, bytes]]) -> None:
    splices, at = [], 0
    for skip, length, new in cuts:
        at = min(at + skip, len(content))
        splices.append(Splice(at, content[at : at + length], new))
        at += len(splices[-1].old)
    assert applied(applied(content, splices), inverse(splices)) == content


def test_a_difference_holds_only_the_lines_that_changed() -> None:
    old = b"\xef\xbb\xbfone\r\ntwo\r\nthree\r\nfour"
    new = b"\xef\xbb\xbfone\r\n2\r\nthree\r\nfour\n"
    assert difference(old, new) == (Splice(8, b"two\r\n", b"2\r\n"), Splice(20, b"four", b"four\n"))
    assert difference(old, old) == ()


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
        applied(b"abc", splices)


def test_large_files_and_files_of_equal_lines_are_compared_in_time() -> None:
    many = b"".join(b"%d\n" % number for number in range(20_000))
    same = b"x\n" * 5_000
    began = time.perf_counter()
    for old, new in ((many, b"0\n" + many + b"end\n"), (same, b"y\n" + same + b"z\n" + same + b"y\n")):
        assert applied(old, difference(old, new)) == new
        assert taken_back(new, old, new) == old
    assert taken_back(b"own\n" + many + b"ours\n", many, many + b"ours\n") == b"own\n" + many
    assert time.perf_counter() - began < 5


# What we did, what stands there now, and what must be left.
@pytest.mark.parametrize(
    ("before", "after", "now", "left"),
    [
        (b"a\nb\n", b"a\nX\nb\n", b"a\nX\nb\nown\n", b"a\nb\nown\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"a\nX\nown\nb\n", b"a\nown\nb\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"a\nown\nX\nb\n", b"a\nown\nb\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"A\nX\nB\n", b"A\nB\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"X\n", b""),
        (b"a\r\nb", b"X\r\na\r\nb", b"X\r\na\r\nb\r\nc", b"a\r\nb\r\nc"),
        (b"a\nb\nc\nd\n", b"a\nc\nd\n", b"a\nc\nd\nown\n", b"a\nb\nc\nd\nown\n"),
        (b"a\nb\nc\nd\n", b"a\nB\nc\nd\n", b"a\nB\nown\nc\n", b"a\nb\nown\nc\n"),
        (b"a\nb\nc\n", b"a\nc\n", b"A\nc\n", b"A\nb\nc\n"),
        # Paragraphs: which of two blank lines is ours does not matter where all readings agree.
        (b"a\n\nz\n", b"a\n\nX\n\nz\n", b"a\n\nX\n\nown\n\nz\n", b"a\n\nown\n\nz\n"),
        (b"a\n\nold\n\nz\n", b"a\n\nX\n\nold\n\nz\n", b"a\n\nX\n\nz\n", b"a\n\nz\n"),
        (b"a\n", b"a\n\nX\n", b"a\n\nX\n\nY\n", b"a\n\nY\n"),
        (b"", b"X\n", b"X\nown\n", b"own\n"),
    ],
)
def test_only_our_change_is_undone_and_every_byte_of_others_stays(
    before: bytes, after: bytes, now: bytes, left: bytes
) -> None:
    assert taken_back(now, before, after) == left


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        (b"a\nb\n", b"a\nX\nY\nb\n", b"a\nX\nown\nY\nb\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"a\nX!\nb\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"a\nb\n"),
        (b"a\nb\n", b"a\nX\nb\n", b"a\nX\r\nb\n"),
        (b"a\nb\nc\n", b"a\nc\n", b"a\nown\nc\n"),
        (b"a\nb\nc\n", b"a\nB\nc\n", b"a\nBB\nc\n"),
        # Whose line was removed cannot be told.
        (b"a\n", b"a\na\n", b"a\n"),
        (b"a\na\n", b"a\n", b"a\na\n"),
        # Undone, it would be clear where ours stood, but no longer where the line stood that they removed beside it.
        (b"a\nb\nc\n", b"a\nc\n", b"c\n"),
        # The line before had no end: theirs would be glued to it.
        (b"a", b"a\nX\n", b"a\nX\nown\n"),
    ],
)
def test_what_cannot_be_told_apart_from_our_change_must_be_asked(before: bytes, after: bytes, now: bytes) -> None:
    assert taken_back(now, before, after) is None


@given(contents, contents)
def test_an_untouched_change_is_undone_byte_for_byte(before: bytes, after: bytes) -> None:
    assert taken_back(after, before, after) == before


@settings(max_examples=300, deadline=None)
@given(contents, contents, contents)
def test_two_changes_undone_in_the_other_order_lead_back_or_are_asked_about(
    base: bytes, first: bytes, second: bytes
) -> None:
    one = taken_back(second, base, first)
    if one is not None:
        assert taken_back(one, first, second) in (base, None)
    latest = taken_back(second, first, second)
    assert latest == first
    assert taken_back(latest, base, first) == base


@st.composite
def edits_of_one_file(draw: st.DrawFn, *, alphabet: list[bytes] | None = None) -> File:
    """The lines of a file, and edits of places in it that lie apart: two lines at least stay between them."""
    end = draw(st.sampled_from([b"\n", b"\r\n", b"\x00\xff\n"]))
    count = draw(st.integers(1, 6))
    edits: list[Edit] = []
    lines: list[bytes] = []

    def some(name: str, least: int, most: int) -> list[bytes]:
        number = draw(st.integers(least, most))
        return [draw(st.sampled_from(alphabet)) if alphabet else b"%s%d" % (name.encode(), n) for n in range(number)]

    for each in range(count):
        lines += some(f"kept{each}.", 2, 3)
        old = some(f"old{each}.", 0, 2)
        new = some(f"new{each}.", 0 if old else 1, 2)
        edits.append((len(lines), len(lines) + len(old), new))
        lines += old
    lines += some("last", 2, 2)
    head = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    # The last line may lack its end; nothing is edited there.
    ended = [line + end for line in lines[:-1]] + [lines[-1] + draw(st.sampled_from([b"", end]))]
    ended[0] = head + ended[0]
    return ended, [(low, high, [line + end for line in new]) for low, high, new in edits]


def edited(lines: list[bytes], edits: list[Edit]) -> bytes:
    """The file with these edits and no others."""
    result = list(lines)
    for low, high, new in sorted(edits, reverse=True):
        result[low:high] = new
    return b"".join(result)


@settings(max_examples=300, deadline=None)
@given(edits_of_one_file(), st.data())
def test_changes_of_distinct_lines_are_undone_in_any_order_and_leave_exactly_the_users_edits(
    file: File, data: st.DataObject
) -> None:
    lines, edits = file
    chosen = data.draw(st.sets(st.integers(0, len(edits) - 1)), label="ours")
    ours = [edit for number, edit in enumerate(edits) if number in chosen]
    waiting = [edit for edit in edits if edit not in ours]
    present: list[Edit] = []
    made: list[tuple[Edit, bytes, bytes]] = []

    def the_user_edits() -> None:
        while len(waiting) > 0 and data.draw(st.booleans(), label="the user edits"):
            present.append(waiting.pop())

    for edit in data.draw(st.permutations(ours)):
        the_user_edits()
        before = edited(lines, present)
        present.append(edit)
        made.append((edit, before, edited(lines, present)))
    now = edited(lines, present)
    for edit, before, after in data.draw(st.permutations(made)):
        already = len(present)
        the_user_edits()
        if len(present) > already:
            now = edited(lines, present)
        undone = taken_back(now, before, after)
        present.remove(edit)
        assert undone == edited(lines, present)
        now = undone
    assert now == edited(lines, [edit for edit in present if edit not in ours])
    if not present:
        assert now == b"".join(lines)


@settings(max_examples=300, deadline=None)
@given(edits_of_one_file(alphabet=[b"a", b"b", b""]), st.data())
def test_among_equal_lines_an_edit_of_the_users_is_kept_exactly_or_asked_about(file: File, data: st.DataObject) -> None:
    lines, edits = file
    own = data.draw(st.sampled_from(edits), label="ours")
    theirs = [edit for edit in edits if edit is not own][:1]
    undone = taken_back(edited(lines, [own, *theirs]), edited(lines, []), edited(lines, [own]))
    assert undone in (edited(lines, theirs), None)
