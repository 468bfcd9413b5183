"""What is decided from stored sizes of sessions equals what counting every event would decide."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.forgetting.retention import expired_sessions, may_exceed
from wisen.forgetting.settings import ArchivePolicy
from wisen.model.event import Status
from wisen.model.tombstone import TextSearch
from wisen.store.index import Index
from wisen.store.sqlite_index import open_index
from wisen.system.clock import SystemClock
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.fake_miner import mine_all
from wisen.testing.log_writer import NOON, Log

pytestmark = pytest.mark.requirement("N8")

READ, MINE, REDACT, REMOVE, MOVE = "read", "mine", "redact", "remove", "move"
steps = st.lists(
    st.tuples(
        st.sampled_from([READ, READ, READ, MINE, MINE, REDACT, REMOVE, MOVE]),
        st.integers(0, 3),
        st.sampled_from(["one", "two", None]),
        st.integers(0, 5_000),
    ),
    min_size=1,
    max_size=14,
)


def perform(index: Index, number: int, step: tuple[str, int, str | None, int]) -> None:
    kind, session, context, size = step
    if kind == READ:
        log = Log(f"/{session}.jsonl", f"s{session}", context=context)
        log.typed(f"t{number}-ü", size)
        log.call(f"c{number}", size, arguments="x" * size)
        log.end(f"c{number}", Status.FAILED, size, "it failed")
        index.events.store([log.batch()])
    elif kind == MINE:
        mine_all(index)
    elif kind == REDACT:
        index.removal.redact([("claude-code", f"c{max(number - size % 3, 0)}")])
    elif kind == REMOVE:
        index.removal.remove_sessions([("claude-code", f"s{session}", 0)])
    else:
        index.removal.move_context("one", f"three {number}")


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(0, 3), st.integers(0, 2))
def test_stored_totals_equal_a_full_count(
    done: list[tuple[str, int, str | None, int]], days: int, megabytes: int
) -> None:
    counted = MemoryIndex()
    with tempfile.TemporaryDirectory() as folder:
        stored, _ = open_index(Path(folder) / "index.db", clock=SystemClock())
        for number, step in enumerate(done):
            for index in (counted, stored):
                perform(index, number, step)
            every = {each._replace(number=0) for each in counted.removal.archived_sessions()}
            listed = stored.removal.archived_sessions()
            assert {each._replace(number=0) for each in listed} == every
            total = stored.removal.archive_size()
            assert total == counted.removal.archive_size()
            assert (total.sessions, total.size) == (len(listed), sum(each.size for each in listed))
            policy, now = ArchivePolicy(days=days, megabytes=megabytes), NOON + timedelta(days=4)
            if not may_exceed(total, policy, now):
                assert expired_sessions(every, policy, {}, now) == []
        stored.close()


def test_texts_are_found_by_words_events_and_sessions(tmp_path: Path) -> None:
    index, _ = open_index(tmp_path / "index.db", clock=SystemClock())
    for number, context in enumerate(("one", "two", None)):
        perform(index, number, (READ, number, context, 3))
    mine_all(index)
    every = set(index.removal.indexed_texts())

    def found(search: TextSearch) -> set[tuple[str, str]]:
        texts = set(index.removal.indexed_texts(search))
        assert texts <= every
        return {(each.session, each.text) for each in texts}

    assert found(TextSearch()) == {(each.session, each.text) for each in every}
    assert found(TextSearch(words=())) == set()
    assert {session for session, _ in found(TextSearch(words=(("failed", "it"),)))} == {"s0", "s1", "s2"}
    assert all("xxx" in text for _, text in found(TextSearch(words=(("xxx",),))))
    assert found(TextSearch(words=(("nowhere",),))) == set()
    assert {session for session, _ in found(TextSearch(scope="two"))} == {"s1"}
    assert found(TextSearch(scope="two")) == {(each.session, each.text) for each in every if each.session == "s1"}
    of_event = {(each.session, each.text) for each in every if each.event == "c2"}
    assert found(TextSearch(words=(), events=frozenset({("claude-code", "c2"), ("codex", "c1")}))) == of_event
    of_session = {(each.session, each.text) for each in every if each.session == "s2"}
    assert found(TextSearch(words=(), sessions=frozenset({("claude-code", "s2"), ("codex", "s1")}))) == of_session
    index.close()
