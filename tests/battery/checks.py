"""Every check of the battery. A feature that writes or delivers adds its own here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.battery import (
    breakage_checks,
    canary_checks,
    concurrency_checks,
    echo_checks,
    edit_checks,
    forgetting_checks,
    hook_kill_checks,
    io_fault_checks,
    kill_checks,
    limit_checks,
    loss_checks,
    namespace_checks,
    odd_input_checks,
    poison_checks,
    power_checks,
    secret_checks,
    settings_checks,
    terminal_checks,
    transient_checks,
    version_checks,
)

if TYPE_CHECKING:
    from tests.battery.check import Check

CHECKS: tuple[Check, ...] = (
    *breakage_checks.CHECKS,
    *canary_checks.CHECKS,
    *concurrency_checks.CHECKS,
    *echo_checks.CHECKS,
    *edit_checks.CHECKS,
    *forgetting_checks.CHECKS,
    *hook_kill_checks.CHECKS,
    *io_fault_checks.CHECKS,
    *kill_checks.CHECKS,
    *limit_checks.CHECKS,
    *loss_checks.CHECKS,
    *namespace_checks.CHECKS,
    *odd_input_checks.CHECKS,
    *poison_checks.CHECKS,
    *power_checks.CHECKS,
    *secret_checks.CHECKS,
    *settings_checks.CHECKS,
    *terminal_checks.CHECKS,
    *transient_checks.CHECKS,
    *version_checks.CHECKS,
)
