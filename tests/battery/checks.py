"""Every check of the battery, in the order of its tests. A feature that writes or delivers adds its own here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.battery import (
    concurrency_checks,
    hook_kill_checks,
    kill_checks,
    loss_checks,
    secret_checks,
    version_checks,
)

if TYPE_CHECKING:
    from tests.battery.check import Check

CHECKS: tuple[Check, ...] = (
    *kill_checks.CHECKS,
    *hook_kill_checks.CHECKS,
    *concurrency_checks.CHECKS,
    *version_checks.CHECKS,
    *loss_checks.CHECKS,
    *secret_checks.CHECKS,
)
