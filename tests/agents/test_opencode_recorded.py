"""The reader on a database of a real opencode, recorded by `record_opencode.py`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.agents.record_opencode import FIXTURE
from wisen.agents.log_detection import detect_agent
from wisen.agents.opencode import OpenCode
from wisen.model.event import Call, Concession, Event, Interrupt, Message, Outcome, Provenance, Rejection
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as written:
        written.executescript(FIXTURE.read_text())
    return path


def describe(event: Event) -> tuple[str, ...]:
    """An event in few words."""
    if isinstance(event, Message):
        return "says", event.provenance.value, event.text or ""
    if isinstance(event, Call):
        return "calls", event.tool
    if isinstance(event, Outcome):
        return "ends", event.status.value
    return (type(event).__name__,)


def test_a_session_of_a_program_is_read_with_how_its_calls_ended(database: Path, tmp_path: Path) -> None:
    assert detect_agent(database) == "opencode"
    events, problems = read_all(OpenCode(tmp_path, {}, program_prompts=True))
    assert problems == []
    first = [each for each in events if each.session.native == events[0].session.native]
    assert [describe(each) for each in first] == [
        ("says", "typed", "install the package"),
        ("calls", "bash"), ("ends", "failed"),
        ("calls", "bash"), ("ends", "ok"),
        ("calls", "read"), ("ends", "failed"),
        ("calls", "bash"), ("ends", "cancelled"),
        ("says", "typed", 'no, use uv, not "pip"'),
        ("Concession",),
    ]  # fmt: skip
    assert isinstance(first[-1], Concession)
    (failure, *_) = [each.text for each in first if isinstance(each, Outcome) and each.text]
    assert failure == "Exit code 1\ncat: requirements.txt: No such file or directory\n"


def test_what_a_person_refused_and_stopped_is_reported_with_the_call_it_was(database: Path, tmp_path: Path) -> None:
    assert database.exists()
    events, _ = read_all(OpenCode(tmp_path, {}))
    calls = {each.id: each.arguments or "" for each in events if isinstance(each, Call)}
    (refusal,) = [each for each in events if isinstance(each, Rejection)]
    assert "rm card.txt" in calls[refusal.call or ""]
    (stop,) = [each for each in events if isinstance(each, Interrupt)]
    assert "sleep 60" in calls[stop.call or ""]
    assert stop.call not in {each.call for each in events if isinstance(each, Outcome)}, "it did not end"
    assert typed_texts(events) == [
        "remove the card",
        "use the trash instead",
        "ask a helper",
        "wait for me",
        "never mind",
    ]


def test_a_sub_agent_is_a_session_of_its_own_and_nobody_typed_in_it(database: Path, tmp_path: Path) -> None:
    assert database.exists()
    events, _ = read_all(OpenCode(tmp_path, {}, program_prompts=True))
    helper = [each for each in events if "/" in each.session.native]
    assert [describe(each) for each in helper] == [
        ("says", Provenance.OTHER.value, "look everywhere"), ("calls", "bash"), ("ends", "failed"),
    ]  # fmt: skip
