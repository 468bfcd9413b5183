"""Plots pairs of numbers, without and with something, as text bars and as a self-contained SVG."""

from __future__ import annotations

from typing import NamedTuple

from wisen.surfaces.pages.html import escape_text

_BAR_WIDTH = 40
_MAX_NAME = 70
_ROW_HEIGHT, _WIDTH, _MARGIN = 78, 640, 80
_FONT = "font: 13px sans-serif"
_COLORS = ("#b0b0b0", "#2f6f4f")


class Pair(NamedTuple):
    """A figure without something and with it."""

    name: str
    without: float
    given: float
    interval: tuple[float, float] | None = None
    """The 95% interval of the second as a multiple of the first."""
    share: bool = True
    """Whether the numbers are shares of sessions, from 0 to 1."""

    @property
    def interval_text(self) -> str:
        """The interval as text; empty where it is not known."""
        return "" if self.interval is None else f"95% {self.interval[0]:.2f}–{self.interval[1]:.2f} times as often"

    def format(self, number: float) -> str:
        """Format one of the two numbers."""
        return f"{number:.0%} of sessions" if self.share else f"{number:.2f}"

    @property
    def scale(self) -> float:
        """The value of a full bar."""
        return 1.0 if self.share else max(self.without, self.given) or 1.0


def render_text(pairs: list[Pair]) -> list[str]:
    """Render the pairs as lines of text."""
    output = []
    for pair in pairs:
        output.append(_clip(pair.name))
        for name, number in (("without", pair.without), ("with", pair.given)):
            bar = "█" * round(_BAR_WIDTH * number / pair.scale)
            output.append(f"  {name:>7} {bar:<{_BAR_WIDTH}} {pair.format(number)}")
        if pair.interval_text:
            output.append(f"          {pair.interval_text}")
    return output


def render_svg(pairs: list[Pair]) -> str:
    """Render the pairs as SVG."""
    height = _ROW_HEIGHT * max(len(pairs), 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" style="{_FONT}">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    if not pairs:
        parts.append('<text x="10" y="30">There is nothing to compare yet.</text>')
    for place, pair in enumerate(pairs):
        top = place * _ROW_HEIGHT
        says = f" ({pair.interval_text})" if pair.interval_text else ""
        parts.append(f'<text x="10" y="{top + 18}">{escape_text(_clip(pair.name) + says)}</text>')
        for row, (name, number) in enumerate((("without", pair.without), ("with", pair.given))):
            y = top + 26 + 22 * row
            width = (_WIDTH - _MARGIN - 130) * number / pair.scale
            parts += [
                f'<text x="10" y="{y + 13}" fill="#555">{name}</text>',
                f'<rect x="{_MARGIN}" y="{y}" width="{width:.1f}" height="17" fill="{_COLORS[row]}"/>',
                f'<text x="{_MARGIN + width + 6:.1f}" y="{y + 13}">{escape_text(pair.format(number))}</text>',
            ]
    return "\n".join([*parts, "</svg>", ""])


def _clip(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _MAX_NAME else one[: _MAX_NAME - 1] + "…"
