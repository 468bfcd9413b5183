"""Counts what the battery of faults and attacks finds, with the rate of failure that still fits. `--full`: full size.

Data: none. `tests` tells the trials, failures and 95% upper bound of each test, `checks` those of its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.battery.check import upper_bound
from tests.battery.checks import CHECKS
from tests.battery.runner import run_all, summarise

if TYPE_CHECKING:
    import argparse


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run; what was run with the same code before is not run again."""
    results = run_all(CHECKS, full=options.full)
    checks = {}
    for check in CHECKS:
        own = [each for each in results if each.check == check.id]
        trials, failures = sum(each.trials for each in own), sum(len(each.failures) for each in own)
        checks[check.id] = {"trials": trials, "failures": failures, "upper95": upper_bound(failures, trials)}
    tests = summarise(results)
    return {"tests": tests, "checks": checks, "ok": not any(each["failures"] for each in tests.values())}
