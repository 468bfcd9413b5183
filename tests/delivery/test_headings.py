"""What our blocks begin with is known to what takes cut-off blocks out again: both places change together."""

from __future__ import annotations

import pytest

from wisen.delivery import block
from wisen.safety import sentinel

HEADINGS = [block._HEAD, block._SAID, block._HINTS, block._NEWS, block._WAITING, block._DUE]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_of_a_block_is_known_when_the_rest_of_it_is_cut_off(heading: str) -> None:
    assert sentinel._HEADS.match(heading)
