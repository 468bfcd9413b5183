"""Pairs of numbers, without and with something, as bars on a terminal and as a picture that needs nothing else."""

from __future__ import annotations

from typing import NamedTuple

from wisen.surfaces.pages.html import escaped

_BAR = 40
_LONGEST = 70
_ROW, _WIDE, _LEFT = 78, 640, 80
_FONT = "font: 13px sans-serif"
_COLOURS = ("#b0b0b0", "#2f6f4f")


class Pair(NamedTuple):
    """The same figure without something and with it."""

    name: str
    without: float
    given: float
    interval: tuple[float, float] | None = None
    """95% of the second as a multiple of the first."""
    share: bool = True
    """Whether they are shares of sessions, from 0 to 1."""

    @property
    def says(self) -> str:
        """The interval for a person; empty where it is not known."""
        return "" if self.interval is None else f"95% {self.interval[0]:.2f}–{self.interval[1]:.2f} times as often"

    def told(self, number: float) -> str:
        """One of the two for a person."""
        return f"{number:.0%} of sessions" if self.share else f"{number:.2f}"

    @property
    def top(self) -> float:
        """What a full bar stands for."""
        return 1.0 if self.share else max(self.without, self.given) or 1.0


def lines(pairs: list[Pair]) -> list[str]:
    """The pairs as lines of text."""
    found = []
    for pair in pairs:
        found.append(_clipped(pair.name))
        for name, number in (("without", pair.without), ("with", pair.given)):
            bar = "█" * round(_BAR * number / pair.top)
            found.append(f"  {name:>7} {bar:<{_BAR}} {pair.told(number)}")
        if pair.says:
            found.append(f"          {pair.says}")
    return found


def picture(pairs: list[Pair]) -> str:
    """The pairs as SVG."""
    height = _ROW * max(len(pairs), 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{height}" style="{_FONT}">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if not pairs:
        parts.append('<text x="10" y="30">There is nothing to compare yet.</text>')
    for place, pair in enumerate(pairs):
        top = place * _ROW
        says = f" ({pair.says})" if pair.says else ""
        parts.append(f'<text x="10" y="{top + 18}">{escaped(_clipped(pair.name) + says)}</text>')
        for row, (name, number) in enumerate((("without", pair.without), ("with", pair.given))):
            y = top + 26 + 22 * row
            width = (_WIDE - _LEFT - 130) * number / pair.top
            parts += [
                f'<text x="10" y="{y + 13}" fill="#555">{name}</text>',
                f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="17" fill="{_COLOURS[row]}"/>',
                f'<text x="{_LEFT + width + 6:.1f}" y="{y + 13}">{escaped(pair.told(number))}</text>',
            ]
    return "\n".join([*parts, "</svg>", ""])


def _clipped(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…"
