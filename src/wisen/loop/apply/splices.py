"""What changed between two contents of a file, and how a change is taken back while others stay.

Contents are bytes and lines end with LF; nothing is decoded. Where bytes alone cannot tell whose line is whose, it does
not guess: the answer is None, and somebody must be asked.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from difflib import SequenceMatcher
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from wisen.domain.changes import Splice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_MOST_LINES = 5_000
_MOST_PAIRS = 200_000
"""Beyond, the matcher takes minutes: a file of one line a thousand times over has a million equal pairs."""


class _Hunk(NamedTuple):
    """Lines `low` to `high` of the one content, and what stands in their place in the other."""

    low: int
    high: int
    lines: tuple[bytes, ...]


class _Reading(NamedTuple):
    """One of the places where a hunk may have happened, and as far as it may reach."""

    at: _Hunk
    loose: _Hunk


def difference(old: bytes, new: bytes) -> tuple[Splice, ...]:
    """The lines that changed, in the coordinates of `old`: in order and without overlap."""
    lines = _LINE.findall(old)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return tuple(
        Splice(starts[hunk.low], old[starts[hunk.low] : starts[hunk.high]], b"".join(hunk.lines))
        for hunk in _hunks(lines, _LINE.findall(new))
    )


def applied(content: bytes, splices: Iterable[Splice]) -> bytes:
    """The content after these changes. Raises: ValueError where `old` does not stand at `at`."""
    pieces: list[bytes] = []
    done = 0
    for splice in splices:
        end = splice.at + len(splice.old)
        if not done <= splice.at <= end <= len(content):
            raise ValueError(f"a change at byte {splice.at} is out of order or beyond the end")
        if content[splice.at : end] != splice.old:
            raise ValueError(f"what a change replaces does not stand at byte {splice.at}")
        pieces += (content[done : splice.at], splice.new)
        done = end
    return b"".join((*pieces, content[done:]))


def inverse(splices: Iterable[Splice]) -> tuple[Splice, ...]:
    """The changes that lead back, in the coordinates of the new content."""
    back: list[Splice] = []
    shift = 0
    for splice in splices:
        back.append(Splice(splice.at + shift, splice.new, splice.old))
        shift += len(splice.new) - len(splice.old)
    return tuple(back)


def taken_back(now: bytes, before: bytes, after: bytes) -> bytes | None:
    """What the file holds when our change `before` to `after` is undone and all that came later stays.

    None where a later edit touches what we inserted or removed, or cannot be told apart from it. That our lines are
    all gone already is such an edit, too: whoever removed them may take that back.
    """
    if now == after:
        return before
    result = _replayed(before, after, now)
    if result is None:
        return None
    # Undoing the later edit from the result must lead to where we began, or the order of undoing would matter.
    first = after if result == now else _replayed(after, now, result)
    return result if first == before else None


def _replayed(before: bytes, after: bytes, now: bytes) -> bytes | None:
    """The edits `after` to `now`, made on `before`; None where readings of the bytes clash or disagree."""
    middle, first, last = _LINE.findall(after), _LINE.findall(before), _LINE.findall(now)
    ours, theirs = _hunks(middle, first), _hunks(middle, last)
    found: set[bytes | None] = set()
    for up, later_up in product((True, False), repeat=2):
        mine, other = _read(middle, ours, up=up), _read(middle, theirs, up=later_up)
        if not any(_clash(hunk, edit) for hunk in mine for edit in other):
            found.add(_joined(middle, [hunk.at for hunk in mine], [edit.at for edit in other]))
    return found.pop() if len(found) == 1 else None


def _joined(middle: Sequence[bytes], ours: Iterable[_Hunk], theirs: Iterable[_Hunk]) -> bytes | None:
    pieces: list[bytes] = []
    done = 0
    for hunk in sorted((*ours, *theirs), key=lambda hunk: (hunk.low, hunk.high)):
        if hunk.low < done:
            return None
        pieces += (*middle[done : hunk.low], *hunk.lines)
        done = hunk.high
    pieces += middle[done:]
    # A line without an end can only be the last: anything else would glue two lines together.
    return b"".join(pieces) if all(line.endswith(b"\n") for line in pieces[:-1]) else None


def _clash(ours: _Reading, theirs: _Reading) -> bool:
    """Whether a later edit touches what we inserted, or the place of what we removed."""
    removed_only = ours.at.low == ours.at.high
    if removed_only and len(theirs.at.lines) > theirs.at.high - theirs.at.low and _meet(ours.loose, theirs.loose):
        return True
    if not ours.at.lines and theirs.at.low == theirs.at.high:
        return _overlap(ours.at, theirs.at)
    if _overlap(ours.at, theirs.at):
        return True
    # Where a whole hunk lies in the reach of the other, it may be the other. A part of one, like a blank line that both
    # paragraphs could claim, is told by the rest of it.
    return _reaches(theirs.loose, ours.at) or _reaches(ours.loose, theirs.at)


def _meet(one: _Hunk, other: _Hunk) -> bool:
    return max(one.low, other.low) <= min(one.high, other.high)


def _reaches(loose: _Hunk, hunk: _Hunk) -> bool:
    return _overlap(loose, hunk) and loose.low <= hunk.low and hunk.high <= loose.high


def _overlap(one: _Hunk, other: _Hunk) -> bool:
    low, high = max(one.low, other.low), min(one.high, other.high)
    if one.low == one.high or other.low == other.high:
        # A point overlaps what it lies within, not what it lies beside.
        return low == high and min(one.low, other.low) < low < max(one.high, other.high)
    return low < high


def _loose(middle: Sequence[bytes], hunk: _Hunk) -> _Hunk:
    """The hunk with the lines beside it that are like its own: it may as well have happened to them."""
    own = {*middle[hunk.low : hunk.high], *hunk.lines}
    low, high = hunk.low, hunk.high
    while low > 0 and middle[low - 1] in own:
        low -= 1
    while high < len(middle) and middle[high] in own:
        high += 1
    return _Hunk(low, high, hunk.lines)


def _read(middle: Sequence[bytes], hunks: Sequence[_Hunk], *, up: bool) -> list[_Reading]:
    """Every hunk as far up or down as equal lines allow, without passing another."""
    read: list[_Hunk] = []
    for hunk in hunks if up else reversed(hunks):
        bound = (read[-1].high if up else read[-1].low) if read else (0 if up else len(middle))
        read.append(_slid(middle, hunk, bound, up=up))
    return [_Reading(hunk, _loose(middle, hunk)) for hunk in (read if up else reversed(read))]


def _slid(middle: Sequence[bytes], hunk: _Hunk, bound: int, *, up: bool) -> _Hunk:
    """The same insertion or removal, moved as far as equal lines and a bound allow."""
    low, high, lines = hunk
    if low < high and lines:
        return hunk
    moving = deque(lines or middle[low:high])
    step = -1 if up else 1
    while (low > bound and middle[low - 1] == moving[-1]) if up else (high < bound and middle[high] == moving[0]):
        moving.rotate(-step)
        low, high = low + step, high + step
    return _Hunk(low, high, tuple(moving) if lines else ())


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> list[_Hunk]:
    """Where two contents differ by lines, in order; at least one equal line lies between two of them."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    most -= head
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if not one and not other:
        return []
    in_one, in_other = Counter(one), Counter(other)
    pairs = sum(count * in_other[line] for line, count in in_one.items())
    if max(len(one), len(other)) > _MOST_LINES or pairs > _MOST_PAIRS:
        return [_Hunk(head, head + len(one), tuple(other))]
    found = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return [_Hunk(head + a, head + b, tuple(other[c:d])) for tag, a, b, c, d in found if tag != "equal"]
