"""Every check of the battery, in the order of its tests. A feature that writes or delivers adds its own here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.battery import breakage_checks, limit_checks, odd_input_checks, secret_checks

if TYPE_CHECKING:
    from tests.battery.check import Check

CHECKS: tuple[Check, ...] = (
    *breakage_checks.CHECKS,
    *limit_checks.CHECKS,
    *secret_checks.CHECKS,
    *odd_input_checks.CHECKS,
)
