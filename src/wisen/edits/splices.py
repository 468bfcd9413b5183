"""Diffs two contents of a file by lines, applies and inverts the result. Contents are bytes; lines end with \\n."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.change import Splice
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LINE = lazy_regex(rb"[^\n]*\n|[^\n]+")
_MAX_LINES = 5_000
_MAX_PAIRS = 200_000
"""Beyond this the matcher takes minutes: a file with one line repeated a thousand times has a million equal pairs."""


class _Hunk(NamedTuple):
    """Lines `low` to `high` of one content, and what replaces them in the other."""

    low: int
    high: int
    lines: tuple[bytes, ...]


def diff(old: bytes, new: bytes) -> tuple[Splice, ...]:
    """Return the changed lines, in the coordinates of `old`: in order and without overlap."""
    lines = _LINE.findall(old)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return tuple(
        Splice(starts[hunk.low], old[starts[hunk.low] : starts[hunk.high]], b"".join(hunk.lines))
        for hunk in _hunks(lines, _LINE.findall(new))
    )


def apply_splices(content: bytes, splices: Iterable[Splice]) -> bytes:
    """Apply splices to a content. Raises: ValueError if `old` is not at `at`."""
    pieces: list[bytes] = []
    position = 0
    for splice in splices:
        end = splice.at + len(splice.old)
        if not position <= splice.at <= end <= len(content):
            raise ValueError(f"a change at byte {splice.at} is out of order or beyond the end")
        if content[splice.at : end] != splice.old:
            raise ValueError(f"what a change replaces does not stand at byte {splice.at}")
        pieces += (content[position : splice.at], splice.new)
        position = end
    return b"".join((*pieces, content[position:]))


def invert(splices: Iterable[Splice]) -> tuple[Splice, ...]:
    """Return the splices that lead back, in the coordinates of the new content."""
    back: list[Splice] = []
    shift = 0
    for splice in splices:
        back.append(Splice(splice.at + shift, splice.new, splice.old))
        shift += len(splice.new) - len(splice.old)
    return tuple(back)


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> list[_Hunk]:
    """Return where two contents differ by lines, in order; at least one equal line is between two hunks."""
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    most -= head
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if not one and not other:
        return []
    in_one, in_other = Counter(one), Counter(other)
    pairs = sum(count * in_other[line] for line, count in in_one.items())
    if max(len(one), len(other)) > _MAX_LINES or pairs > _MAX_PAIRS:
        return [_Hunk(head, head + len(one), tuple(other))]
    opcodes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return [_Hunk(head + a, head + b, tuple(other[c:d])) for tag, a, b, c, d in opcodes if tag != "equal"]
