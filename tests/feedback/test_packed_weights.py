"""Numbers packed into one integer: adding two of them adds every lane, whatever the signs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.feedback.packed_weights import GRADED, WeightRows, lane_marks, pack, threshold_offsets, unpack_lane

numbers = st.floats(-50, 50, allow_nan=False)
rows = st.lists(st.lists(numbers, min_size=4, max_size=4), min_size=1, max_size=20)


@given(rows)
def test_adding_adds_every_lane(rows: list[list[float]]) -> None:
    total = sum(map(pack, rows))
    for place in range(4):
        assert unpack_lane(total, place) == pytest.approx(sum(row[place] for row in rows), abs=1e-12)


@given(rows, st.lists(st.floats(-90, 90), min_size=3, max_size=3))
def test_a_lane_has_its_mark_when_it_is_not_below_its_least(rows: list[list[float]], least: list[float]) -> None:
    total = sum(map(pack, rows))
    marked = total + threshold_offsets(least)
    for place, mark in enumerate(lane_marks(3)):
        above = sum(row[place] for row in rows) - least[place]
        if abs(above) > 1e-9:
            assert bool(marked & mark) is (above > 0)


def test_a_number_that_is_its_least_has_its_mark() -> None:
    assert (pack([1.5, -2.0]) + threshold_offsets([1.5, -2.0])) & sum(lane_marks(2)) == sum(lane_marks(2))


@given(st.dictionaries(st.sampled_from(["a", "b", *GRADED]), st.tuples(numbers, numbers)), st.floats(0, 3))
def test_features_add_their_weights_by_their_values(weights: dict[str, tuple[float, float]], value: float) -> None:
    known = WeightRows(
        [{name: pair[0] for name, pair in weights.items()}, {name: pair[1] for name, pair in weights.items()}]
    )
    values = {"a": 1.0, "unknown": 1.0, **dict.fromkeys(GRADED, value)}
    total = known.weigh(values)
    for place in range(2):
        expected = sum(weights[name][place] * value for name, value in values.items() if name in weights)
        assert unpack_lane(total, place) == pytest.approx(expected, abs=1e-9)
