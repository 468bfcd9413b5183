"""What sessions called is stored with their findings, and deleted with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wisen.mining.call_words import has_call_with
from wisen.mining.session_mining import mine_session
from wisen.model.call_summary import CallSummary
from wisen.model.failure import SessionFindings
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.log_writer import Log

from .test_index import open_sound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.store.index import Index


@pytest.fixture(params=["file", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    opened: Index = open_sound(tmp_path / "index.db") if request.param == "file" else MemoryIndex()
    yield opened
    opened.close()


def store(index: Index, native: str, *commands: str, place: str = "/work") -> int:
    log = Log(f"/{native}.jsonl", native)
    log.place = place
    log.typed(f"{native} {len(commands)}")
    for number, command in enumerate(commands):
        log.call(f"{native}{number}", arguments=f'{{"command": "{command}"}}')
    index.events.store([log.batch()])
    (history,) = index.findings.take_unmined(1)
    index.findings.store_findings([mine_session(history)], 1)
    return history.session


def test_calls_are_found_by_their_words(index: Index) -> None:
    one, two = store(index, "one", "bun test", "cat api/db.ts"), store(index, "two", "ls -l")
    quiet = store(index, "quiet")
    assert not index.calls.missing()
    assert [each.session for each in index.calls.sessions()] == [one, two]
    assert [each.session for each in index.calls.sessions({two, quiet})] == [two]
    calls = dict(index.calls.calls({one, two}))
    assert has_call_with(calls[one], ["bun", "test"])
    assert has_call_with(calls[one], ["api"])
    assert not has_call_with(calls[one], ["bun", "api"])
    assert has_call_with(calls[two], ["ls"])
    assert index.calls.newest() == max(each.ended for each in index.calls.sessions())
    assert index.calls.sessions_of(["two0", "none"]) == {two}
    assert (one, "/work") in index.calls.places({one})
    assert {session for session, _ in index.calls.places()} == {one, two, quiet}


def test_calls_are_deleted_and_replaced_with_the_findings_of_a_session(index: Index) -> None:
    one = store(index, "one", "bun test")
    assert store(index, "one", "bun test", "npm install") == one
    assert has_call_with(dict(index.calls.calls({one}))[one], ["npm"])
    index.removal.redact({("claude-code", "one1")})
    assert index.calls.missing() == {one}
    assert dict(index.calls.calls({one})) == {}
    index.removal.remove_sessions({("claude-code", "one", 0)})
    assert (index.calls.missing(), index.calls.sessions(), index.calls.newest()) == (frozenset(), [], None)


def test_what_was_not_summarized_is_missing_until_it_is_added(index: Index) -> None:
    one = store(index, "one", "bun test")
    index.findings.mine_again([one])
    (history,) = index.findings.take_unmined(1)
    index.findings.store_findings([SessionFindings(session=one)], 1)
    assert index.calls.missing() == {one}
    index.calls.add({one: CallSummary(None, None)})
    assert (index.calls.missing(), index.calls.sessions()) == (frozenset(), [])
    assert history.session == one
