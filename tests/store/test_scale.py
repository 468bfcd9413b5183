"""A small update costs the same however large the index is, counted in SQLite steps so that load does not matter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wisen.model.event import Status
from wisen.model.index_batch import IndexBatch
from wisen.model.report import Selection
from wisen.store.sqlite_index import SqliteIndex, open_index
from wisen.system.clock import SystemClock
from wisen.testing.fake_miner import mine_all
from wisen.testing.log_writer import NOON, Log

pytestmark = pytest.mark.requirement("S19")

EACH = 100
"""Events of a session."""
UNIT = 10
"""The number of SQLite steps between progress callbacks."""


def session(number: int) -> IndexBatch:
    """A session of calls, of which every twelfth fails."""
    log = Log(f"/logs/{number // 100}/{number}.jsonl", f"s{number}", context=f"c{number % 50}")
    for call in range(EACH // 2):
        fails = (number + call) % 12 == 0
        log.call(f"{number}-{call}", number + call / EACH, arguments=f'{{"command":"do {call % 7}"}}')
        log.end(
            f"{number}-{call}",
            Status.FAILED if fails else Status.OK,
            number + call / EACH,
            f"no {call % 30}" if fails else None,
        )
    return log.batch()


def steps(index: SqliteIndex, work: Callable[[], object]) -> int:
    """Return the number of SQLite steps that some work takes."""
    spent = 0

    def more() -> int:
        nonlocal spent
        spent += UNIT
        return 0

    index.database.connection.set_progress_handler(more, UNIT)
    work()
    index.database.connection.set_progress_handler(None, 0)
    return spent


def test_an_update_does_not_touch_the_rest_of_the_index(tmp_path: Path) -> None:
    index, _ = open_index(tmp_path / "index.db", clock=SystemClock())
    cost, filled = {}, 0

    def update() -> None:
        assert index.events.store([session(filled)]) == EACH
        assert mine_all(index) == 1

    for events in (10_000, 100_000):
        while filled < events // EACH:
            index.events.store([session(number) for number in range(filled, filled + 100)])
            filled += 100
            mine_all(index, together=100)
        cost[events] = steps(index, update)
        filled += 1
    assert cost[100_000] < 1.2 * cost[10_000], cost
    # Sessions that hold nothing new are counted by their tallies.
    everything = steps(index, lambda: index.events.counts(Selection()))
    walking = steps(index, lambda: index.events.counts(Selection(since=NOON)))
    assert index.events.counts(Selection()) == index.events.counts(Selection(since=NOON))
    assert everything < walking / 5, (everything, walking)
    index.close()
