"""What --json prints is JSON that every program can read, whatever a session held."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wisen.surfaces.cli.render import print_json


@pytest.mark.parametrize("text", ["\ud800\udfff", "pears \udcff", "\x1b[2J\udcff"])
def test_half_of_a_character_is_printed_as_a_question_mark(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    moment = datetime(2026, 3, 2, tzinfo=UTC)
    print_json({"text": text, "at": moment, "path": Path("/x"), "many": (1, 2)})
    printed = capsys.readouterr().out
    assert printed.encode("utf-8").decode("utf-8") == printed
    assert "\x1b" not in printed
    shown = json.loads(printed)
    assert shown["text"].endswith("?")
    assert (shown["at"], shown["path"], shown["many"]) == ("2026-03-02T00:00:00Z", "/x", [1, 2])
