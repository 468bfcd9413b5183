"""Measures how fast an index of a million events ingests a new session and answers: generated data, the real miner.

An update is one new session of a hundred events, stored and mined.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.mining.session_mining import MINER_VERSION, mine_session
from wisen.model.event import Status
from wisen.model.report import Selection
from wisen.store.sqlite_index import open_index
from wisen.system.clock import SystemClock
from wisen.testing.log_writer import Log

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from wisen.model.index_batch import IndexBatch
    from wisen.store.index import Index

_CALLS = 49
"""Of one session: with their ends and two typed messages a hundred events."""
_SIZES = (100_000, 1_000_000)
_AT_ONCE = 100


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run."""
    return {f"{events:,} events": _at(events, options.repeat) for events in _SIZES}


def _at(events: int, repeat: int) -> dict[str, object]:
    sessions = events // 100
    with tempfile.TemporaryDirectory() as folder:
        index, _ = open_index(Path(folder) / "index.db", clock=SystemClock())
        for first in range(0, sessions, _AT_ONCE):
            index.events.store([_session(number) for number in range(first, min(first + _AT_ONCE, sessions))])
        mining = _seconds(lambda: _mine(index))
        updates = [_update(index, sessions + number) for number in range(repeat)]
        everything = Selection()
        listings = {
            "failures_s": min(_seconds(lambda: index.findings.failures(everything)) for _ in range(repeat)),
            "fixes_s": min(_seconds(lambda: index.findings.fixes(everything)) for _ in range(repeat)),
            "counts_s": min(_seconds(lambda: index.events.counts(everything)) for _ in range(repeat)),
        }
        kinds = index.findings.failures(everything)
        index.close()
    return {
        "update_ms": 1000 * min(updates),
        **listings,
        "first_mining_s": mining,
        "failures": sum(kind.calls for kind in kinds),
    }


def _session(number: int) -> IndexBatch:
    log = Log(f"/logs/{number // 100}/{number}.jsonl", f"s{number}", context=f"ctx{number % 50}")
    log.typed(f"{number}m0", number)
    for call in range(_CALLS):
        fails = (number * _CALLS + call) % 12 == 0  # of the events about 4 in 100
        tool = ("Bash", "Edit", "Read")[call // 17]
        arguments = f'{{"command":"do {(number + call) % 7} --now"}}'
        log.call(f"{number}c{call}", number + call / 50, tool=tool, arguments=arguments)
        error = f"error: no such thing as {(number * 7 + call) % 300:x}x" if fails else None
        ended = number + call / 50 + 0.005
        log.end(f"{number}c{call}", Status.FAILED if fails else Status.OK, ended, error)
    log.typed(f"{number}m1", number + 1)
    return log.batch()


def _mine(index: Index) -> None:
    found = []
    for history in index.findings.take_unmined(MINER_VERSION):
        found.append(mine_session(history))
        if len(found) == _AT_ONCE:
            index.findings.store_findings(found, MINER_VERSION)
            found = []
    index.findings.store_findings(found, MINER_VERSION)


def _update(index: Index, number: int) -> float:
    new = _session(number)

    def update() -> None:
        index.events.store([new])
        _mine(index)

    return _seconds(update)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
