"""What every gauge promises, as a suite; and a gauge that tells what a test says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.hook import Caller, HookHealth, Program
from wisen.testing.hooks_contract import CALLER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.agents.hook_ports import HookHealthCheck


class FixedHealthCheck:
    """A gauge that reads nothing."""

    def __init__(self, vitals: HookHealth | None = None, faults: Mapping[str, str] | None = None) -> None:
        """`faults`: what is wrong with a caller, by its home."""
        self._vitals, self._faults = vitals or HookHealth(), faults or {}

    def read_health(self) -> HookHealth:
        """What the test says."""
        return self._vitals

    def find_fault(self, caller: Caller) -> str:
        """What the test says."""
        return self._faults.get(caller.home, "")


class HealthCheckContract:
    """Fixture: `gauge`, of a home where nothing was ever done."""

    def test_where_nothing_was_done_nothing_is_told(self, gauge: HookHealthCheck) -> None:
        vitals = gauge.read_health()
        assert (vitals.beats, vitals.failure, vitals.waiting, vitals.waiting_since) == ({}, None, 0, None)
        assert vitals.last_heartbeat is None
        assert vitals.trouble == ""

    def test_looking_twice_tells_the_same(self, gauge: HookHealthCheck) -> None:
        one, other = gauge.read_health(), gauge.read_health()
        assert (one.beats, one.snapshot, one.trouble) == (other.beats, other.snapshot, other.trouble)

    def test_what_cannot_be_run_is_a_fault(self, gauge: HookHealthCheck) -> None:
        assert gauge.find_fault(CALLER)
        gone = Program(python="/gone/python3", client="/gone/wisen/surfaces/hook/client.py")
        assert gauge.find_fault(Caller(home=CALLER.home, direct=gone))
