"""The replies that a session start offers are in the language of the lesson, and are understood."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.commands import run
from tests.hooks import fire
from tests.standing_requests import STANDING
from wisen.delivery.chat_requests import shipped_table
from wisen.feedback.added_languages import AddedLanguages
from wisen.kernel.request_reading import phrase_request, read_request
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N8", "S17")

OFFERED = {
    "es": ("aprueba 1", "salta 1"),
    "tr": ("1 onayla", "1 atla"),
    "zh": ("批准1", "跳过1"),
    "en": ("approve 1", "skip 1"),
}


def session(home: Path, number: int, message: str, *, ago: timedelta = timedelta()) -> str:
    log = ClaudeTranscript(number, cwd=str(home / "shop"), start=datetime.now(UTC) - ago)
    log.bash("ls")
    log.prompt(message)
    log.bash("ls")
    log.write(home / ".claude" / "projects" / "shop")
    return log.session


@pytest.mark.parametrize("code", OFFERED)
def test_the_answers_are_offered_in_the_language_of_the_lesson_and_taken_in_it(home: Path, code: str) -> None:
    (home / "shop").mkdir()
    session(home, 1, STANDING[code], ago=timedelta(hours=2))
    run("cycle", "--quick")
    approve, skip = OFFERED[code]
    start = {"session_id": "s", "cwd": str(home / "shop"), "source": "startup"}
    delivered = fire(home / "wisen", "session-start", start)
    assert f'"{approve}" or "{skip}"' in delivered
    if code != "en":
        assert "approve 1" not in delivered
    listed = fire(home / "wisen", "prompt", {**start, "prompt": "what did you learn"})
    assert f'"{approve}" or "{skip}"' in listed
    typed = session(home, 2, approve)
    assert "Noted" in fire(home / "wisen", "prompt", {**start, "session_id": typed, "prompt": approve})
    (done,) = json.loads(run("cycle", "--quick", "--json").stdout)["answered"]
    assert done.startswith("approved: ")


@pytest.mark.parametrize("code", STANDING)
def test_each_shipped_language_is_known_by_its_words_and_offers_what_it_reads(code: str) -> None:
    table = shipped_table()
    assert AddedLanguages().language_of(STANDING[code]) == code
    for deed in ("approve", "skip"):
        words = phrase_request(table, code, deed, n="12")
        asked = read_request(words, table)
        assert (asked.kind, asked.target) == (deed, "12"), words


def test_a_language_without_such_words_offers_english_ones() -> None:
    assert AddedLanguages().language_of("aage se kabhi bhi env file commit mat karna") == "hi-latn"
    assert phrase_request(shipped_table(), "hi-latn", "approve", n="2") == "approve 2"
    assert AddedLanguages().language_of("🙂") == "en"
