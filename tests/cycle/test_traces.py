"""A value passes through few folders of the package, and enters none of them twice."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.cycle.traces import WALKS, run_trace
from tests.cycle.tracing import IN_HANDS, Stop, backwards

MOST = 9


@pytest.mark.parametrize("name", WALKS)
def test_a_value_passes_few_folders_and_none_of_them_twice(name: str) -> None:
    walk = run_trace(name)
    assert walk.stations, "it was followed"
    assert len({*walk.stations}) <= MOST, walk.stations
    assert {station for station, times in Counter(walk.stations).items() if times > 1} == set(), walk.stations


def stop(station: str, reads: str, writes: str, stay: int = 0) -> Stop:
    return Stop(station, f"{station}/service.py: run", "cycle.py: run", stay, set(reads.split()), set(writes.split()))


def test_the_way_is_what_the_end_goes_back_to() -> None:
    stops = [
        stop("logs", "log", "texts", 1),
        stop("feedback", "texts", "", 2),
        stop("memory", "texts", "memories", 3),
        stop("feedback", "", "signals", 2),
        stop(IN_HANDS, "signals", "Said@1", 0),
        stop("praise", "Said@1", "reinforcements", 4),
        stop("lessons", "Said@1", "entries", 5),
        stop("report", "Said@1 entries", "Report@2", 6),
        stop("delivery", "entries", "snapshot", 7),
        stop("hook", "snapshot", "", 8),
    ]
    way = [each.station for each in backwards(stops, ())]
    assert way == ["logs", "feedback", "feedback", IN_HANDS, "lessons", "delivery", "hook"]
    assert [each.station for each in backwards(stops[:8], {"memories"})] == ["logs", "memory"]
