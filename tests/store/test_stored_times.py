"""Times come back from a store as whole milliseconds, whatever the year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.store.escapes import from_milliseconds, milliseconds

pytestmark = pytest.mark.requirement("S19")


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_loses_nothing_but_its_microseconds(moment: datetime) -> None:
    assert from_milliseconds(milliseconds(moment)) == moment - timedelta(microseconds=moment.microsecond % 1000)
