"""A long `wisen learn` shows on a terminal how much is left, in at most 80 columns, and nothing elsewhere."""

from __future__ import annotations

import io
import re
import sys

import pytest

from wisen.surfaces.cli import learn_view

_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal(io.StringIO):
    """An output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown_lines(terminal: io.StringIO) -> list[str]:
    """Return what was shown, line by line, without what moves and colors it."""
    return [line for line in re.split(r"[\r\n]+", _CODES.sub("", terminal.getvalue())) if line.strip()]


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal of 80 columns."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def test_what_is_left_to_read_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with learn_view._progress_bar(quiet=False) as progress:
        progress.reading(250_000_000_000, 999_900_000_000)
    lines = shown_lines(terminal)
    assert any("Reading logs" in line and "25% 250.0 GB of 999.9 GB" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_how_many_sessions_are_left_to_analyze_is_shown_after_that(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with learn_view._progress_bar(quiet=False) as progress:
        progress.reading(999_900_000_000, 999_900_000_000)
        progress.analysis(123_450, 987_654)
    lines = shown_lines(terminal)
    assert any("Analyzing sessions" in line and "12% 123,450 of 987,654" in line for line in lines)
    assert not any("Reading" in line for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("quiet", [True, False])
def test_nobody_is_shown_anything_for_little_work_or_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, *, quiet: bool
) -> None:
    terminal = open_terminal(monkeypatch)
    with learn_view._progress_bar(quiet=quiet) as progress:
        progress.reading(10, 100)
        progress.analysis(1, 3)
    assert shown_lines(terminal) == []
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with learn_view._progress_bar(quiet=quiet) as progress:
        progress.reading(250_000_000, 999_900_000)
        progress.analysis(5_000, 9_000)
    assert file.getvalue() == ""
