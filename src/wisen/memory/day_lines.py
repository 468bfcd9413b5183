"""Chooses the lines of a daily log: few, the best first, each with the session and turn it comes from."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.summary import DayLine
from wisen.text.daily import single_line
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.memory.summary_text import SummaryStyle
    from wisen.model.summary import DayMark, Summary, SummaryItem

MAX_PER_DAY = 10
MAX_PER_SESSION = 4
"""Lines per day and project, and per session among them: this leaves room for what comes later in the day."""
_SOURCE = lazy_regex(r"\((\S+ \S{1,8}(?:, turn \d+)?)\)\Z")


class DayCandidate(NamedTuple):
    """A candidate line for a day."""

    day: str
    line: DayLine
    at: datetime
    worth: float
    session: str

    @property
    def key(self) -> str:
        """Identifies it within its day, whatever its wording: an existing line is never reworded."""
        return key_of(self.line)


def day_candidates(summary: Summary, style: SummaryStyle) -> list[DayCandidate]:
    """Return the items of a session that are worth a line."""
    return [
        DayCandidate(
            day=f"{style.local(item.at):%Y-%m-%d}",
            line=_build_line(item.mark, item, summary, style),
            at=item.at,
            worth=item.worth,
            session=summary.short_label,
        )
        for item in summary.items
        if item.mark is not None
    ]


def choose_lines(
    candidates: Iterable[DayCandidate], known: Mapping[str, Sequence[str]]
) -> dict[str, list[DayCandidate]]:
    """Choose the best lines that still fit into each day, in chronological order; `known` are the keys of its lines."""
    by_day: dict[str, list[DayCandidate]] = defaultdict(list)
    for each in candidates:
        by_day[each.day].append(each)
    days = {day: _choose_for_day(by_day[day], known.get(day, ())) for day in sorted(by_day)}
    return {day: lines for day, lines in days.items() if lines}


def key_of(line: DayLine) -> str:
    """Return the key that identifies a line within its day, whatever its wording."""
    return f"{line.mark.value} {line.time} {source_of(line.text)}"


def source_of(text: str) -> str:
    """Return the session and turn that a line ends with; empty for lines that a person wrote."""
    match = _SOURCE.search(text)
    return match[1] if match else ""


def _choose_for_day(candidates: Iterable[DayCandidate], known: Sequence[str]) -> list[DayCandidate]:
    used, room = set(known), MAX_PER_DAY - len(known)
    sessions = Counter(key.split(" ", 2)[2].partition(",")[0] for key in known)
    best: list[DayCandidate] = []
    for each in sorted(candidates, key=lambda each: (-each.worth, each.at, each.line.text)):
        if len(best) >= room:
            break
        if each.key not in used and sessions[each.session] < MAX_PER_SESSION:
            used.add(each.key)
            sessions[each.session] += 1
            best.append(each)
    return sorted(best, key=lambda each: (each.at, each.line.text))


def _build_line(mark: DayMark, item: SummaryItem, summary: Summary, style: SummaryStyle) -> DayLine:
    measured = f"; {item.measured}" if item.measured else ""
    turn = f", turn {item.turn}" if item.turn else ""
    text = single_line(f"{item.text}{measured} ({summary.short_label}{turn})")
    return DayLine(mark=mark, time=f"{style.local(item.at):%H:%M}", text=text)
