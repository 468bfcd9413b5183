"""Only an explicit yes confirms a question; everything else is a no."""

from __future__ import annotations

import io
import os

import pytest

from wisen.surfaces.cli.confirmation import is_confirmed, is_declined_in_pipe, read_answer


@pytest.mark.parametrize("typed", ["y\n", "yes\n", "YES\n", "  Yes  \n", "y"])
def test_a_yes_goes_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert is_confirmed("Sure?")
    assert capsys.readouterr().out.startswith("Sure? [y/N] ")


@pytest.mark.parametrize(
    "typed",
    ["", "\n", "n\n", "no\n", "yesterday\n", "y es\n", "yy\n", "maybe\ny\n", "\x00\n", "q\n", "1\n", "ye\n", "\ny\n"],
)
def test_whatever_else_is_a_no(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert not is_confirmed("Sure?")


def test_bytes_that_are_no_text_and_a_closed_input_are_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfey\n"), "utf-8"))
    assert not is_confirmed("Sure?")
    closed = io.StringIO("y\n")
    closed.close()
    monkeypatch.setattr("sys.stdin", closed)
    assert not is_confirmed("Sure?")
    monkeypatch.setattr("sys.stdin", None)
    assert not is_confirmed("Sure?")
    assert read_answer("Which?") is None


@pytest.mark.parametrize(("typed", "refused"), [(b"n\n", True), (b"No\n", True), (b"y\n", False), (b"", False)])
def test_a_no_in_a_pipe_counts_where_nobody_is_asked(
    monkeypatch: pytest.MonkeyPatch, typed: bytes, refused: bool
) -> None:
    reading, writing = os.pipe()
    os.write(writing, typed)
    os.close(writing)
    with os.fdopen(reading, "r") as pipe:
        monkeypatch.setattr("sys.stdin", pipe)
        assert is_declined_in_pipe() is refused


def test_a_pipe_in_which_nothing_waits_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "r") as pipe:
        monkeypatch.setattr("sys.stdin", pipe)
        assert not is_declined_in_pipe()
    os.close(writing)
