"""The headings of delivered blocks are known to the code that removes truncated blocks: both change together."""

from __future__ import annotations

import pytest

from wisen.delivery import block
from wisen.safety import sentinel

HEADINGS = [
    block.HEAD,
    block.STATED_HEADING,
    block.HINTS_HEADING,
    block.NEWS_HEADING,
    block.WAITING_HEADING,
    block.DUE_HEADING,
]


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_heading_of_a_block_is_known_when_the_rest_of_it_is_cut_off(heading: str) -> None:
    assert sentinel.BLOCK_HEADINGS.match(heading)
