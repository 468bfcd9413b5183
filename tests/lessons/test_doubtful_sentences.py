"""A sentence supported by its wording alone is doubtful: however often it is repeated, nothing is made of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import run
from tests.lessons.test_global_rules import proposals, say
from wisen.feedback.detector import detect
from wisen.model.signal import TypedTurn

IN_DOUBT = "I'd appreciate shorter summaries"
PLAIN = "from now on write shorter summaries"


def lessons_of_the_report() -> list[str]:
    """Return the repeated corrections in the report."""
    return [theme["lesson"] for theme in json.loads(run("learn", "--json").stdout)["themes"]]


@pytest.mark.requirement("N4")
def test_what_is_in_doubt_becomes_nothing_and_said_plainly_it_is_a_lesson(home: Path) -> None:
    assert [signal.is_doubtful for signal in detect(TypedTurn(text=IN_DOUBT))] == [True]
    for number in (1, 2, 3):
        say(home, number, "shop", IN_DOUBT)
    run("learn")
    entries = json.loads(run("entries", "--json").stdout)["entries"]
    assert not [entry for entry in entries if entry["name"].startswith("LRN")]
    assert not [proposal for proposal in proposals() if "summaries" in json.dumps(proposal)]
    assert IN_DOUBT not in lessons_of_the_report()
    say(home, 4, "shop", PLAIN)
    run("learn")
    assert PLAIN in lessons_of_the_report()
    entries = json.loads(run("entries", "--json").stdout)["entries"]
    assert [entry["name"][:3] for entry in entries if PLAIN in json.dumps(entry)] == ["LRN"]
