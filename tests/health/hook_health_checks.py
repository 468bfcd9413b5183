"""Contract tests for every hook health check, and a fake one with fixed results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.hook import Caller, HookHealth, Program
from wisen.testing.hooks_contract import CALLER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.agents.hook_ports import HookHealthCheck


class FixedHealthCheck:
    """A health check that reads nothing."""

    def __init__(self, vitals: HookHealth | None = None, faults: Mapping[str, str] | None = None) -> None:
        """`faults`: what is wrong with a caller, by its home."""
        self._vitals, self._faults = vitals or HookHealth(), faults or {}

    def read_health(self) -> HookHealth:
        """Return what the test set."""
        return self._vitals

    def find_fault(self, caller: Caller) -> str:
        """Return what the test set."""
        return self._faults.get(caller.home, "")


class HealthCheckContract:
    """Fixture: `hook_health_check`, of a home where nothing was ever done."""

    def test_where_nothing_was_done_nothing_is_reported(self, hook_health_check: HookHealthCheck) -> None:
        vitals = hook_health_check.read_health()
        assert (vitals.beats, vitals.failure, vitals.waiting, vitals.waiting_since) == ({}, None, 0, None)
        assert vitals.last_heartbeat is None
        assert vitals.problem == ""

    def test_looking_twice_tells_the_same(self, hook_health_check: HookHealthCheck) -> None:
        one, other = hook_health_check.read_health(), hook_health_check.read_health()
        assert (one.beats, one.snapshot, one.problem) == (other.beats, other.snapshot, other.problem)

    def test_what_cannot_be_run_is_a_fault(self, hook_health_check: HookHealthCheck) -> None:
        assert hook_health_check.find_fault(CALLER)
        gone = Program(python="/gone/python3", client="/gone/wisen/surfaces/hook/client.py")
        assert hook_health_check.find_fault(Caller(home=CALLER.home, direct=gone))
