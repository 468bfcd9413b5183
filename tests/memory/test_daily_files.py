"""Daily files: lines are parsed from any existing content, and only ever appended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.model.summary import DayLine, DayMark, is_day
from wisen.text.daily import append_day_lines, format_day_line, read_day, single_line

pytestmark = pytest.mark.requirement("S11")

LINES = st.builds(
    DayLine,
    mark=st.sampled_from(DayMark),
    time=st.times().map(lambda time: f"{time:%H:%M}"),
    text=st.text(min_size=1).map(lambda text: single_line(text) or "gate"),
)
PROSE = st.lists(
    st.one_of(st.binary(max_size=20), st.sampled_from([b"\r\n", b"\n", b"# Day\n", b"\xef\xbb\xbf", b"### ", b"mine"])),
    max_size=8,
).map(b"".join)
MORNING = DayLine(mark=DayMark.SUCCESS, time="09:05", text="The gate opens.")
NOTE = DayLine(mark=DayMark.NOTE, time="10:00", text="Ask Mo about the fence.")


@given(PROSE, st.lists(LINES, max_size=5))
def test_what_stands_in_the_file_stays_and_what_was_added_can_be_read(content: bytes, lines: list[DayLine]) -> None:
    behind = append_day_lines(content, lines)
    then = content + behind
    assert set(lines) <= set(read_day(then.decode("utf-8", "replace")))
    assert append_day_lines(then, lines) == b""
    assert (behind == b"") == (set(lines) <= set(read_day(content.decode("utf-8", "replace"))))


@given(LINES)
def test_a_line_comes_back_as_it_was_written(line: DayLine) -> None:
    assert read_day(format_day_line(line)) == (line,)


def test_the_lines_of_people_and_other_tools_are_read_and_their_prose_is_passed_over() -> None:
    text = (
        "\ufeff### ✅ 9:05 - The gate opens.\r\n\r\nSome words of mine.\n"
        "###  📌  10:00  –  Ask Mo   about the fence.  \n### 🤖 11:00 - a robot\n## ✅ 12:00 - another heading\n"
        "### ❌️ 13:00 - \n### 💡 - no time\n```\n"
    )
    assert read_day(text) == (MORNING, NOTE)


@pytest.mark.parametrize(
    ("content", "behind"),
    [
        (b"", "# 2026-03-02\n\n### ✅ 09:05 - The gate opens.\n"),
        (b"mine", "\n### ✅ 09:05 - The gate opens.\n"),
        (b"mine\n", "### ✅ 09:05 - The gate opens.\n"),
        (b"mine\r\n", "### ✅ 09:05 - The gate opens.\r\n"),
        (b"mine\r\nand mine", "\r\n### ✅ 09:05 - The gate opens.\r\n"),
        (b"\xef\xbb\xbf# Day\n", "### ✅ 09:05 - The gate opens.\n"),
        ("### ✅ 9:05 - The gate opens.".encode(), ""),
    ],
)
def test_ends_of_lines_are_those_of_the_file(content: bytes, behind: str) -> None:
    assert append_day_lines(content, [MORNING, MORNING], title="2026-03-02").decode() == behind


def test_the_same_words_at_another_time_or_with_another_mark_are_another_line() -> None:
    lines = [MORNING, DayLine(mark=DayMark.NOTE, time="09:05", text=MORNING.text)]
    lines.append(DayLine(mark=DayMark.SUCCESS, time="09:06", text=MORNING.text))
    assert len(read_day(append_day_lines(b"", lines).decode())) == 3


def test_a_text_becomes_one_line() -> None:
    line = DayLine(mark=DayMark.NOTE, time="10:00", text="one\n### ✅ 09:00 - two\r\n")
    assert append_day_lines(b"", [line]).decode() == "### 📌 10:00 - one ### ✅ 09:00 - two\n"
    assert append_day_lines(b"", [DayLine(mark=DayMark.NOTE, time="10:00", text=" \n ")]) == b""


def test_only_whole_dates_name_a_day() -> None:
    assert [text for text in ("2026-03-02", "2026-13-02", "20260302", "2026-03-02-001", "x") if is_day(text)] == [
        "2026-03-02"
    ]
