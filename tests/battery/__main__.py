"""Runs the battery: `python -m tests.battery [T1 T5-index …] [--full] [--again] [--seed N] [--json] [--list]`."""

from __future__ import annotations

import argparse
import json
import sys

from tests.battery.check import Check
from tests.battery.checks import CHECKS
from tests.battery.runner import run_all, run_one, summarise, table


def main(arguments: list[str] | None = None) -> int:
    """Run the checks that were named, or all; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.battery", description=__doc__)
    parser.add_argument("checks", nargs="*", help="tests (T5) or checks (T5-index); all if none is named")
    parser.add_argument("--full", action="store_true", help="in full size, as `make test-long` does")
    parser.add_argument("--again", action="store_true", help="run also what has been run with this code")
    parser.add_argument("--seed", type=int, help="one run with this seed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--list", action="store_true", help="list the checks")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.checks if not any(_is_named(check, name) for check in CHECKS)]:
        parser.error(f"there is no check {unknown[0]!r}; --list shows them")
    checks = [each for each in CHECKS if not options.checks or any(_is_named(each, name) for name in options.checks)]
    if options.list:
        for check in checks:
            print(f"{check.id:28} {check.quick:5} {check.full:7}  {check.what}")
        return 0
    if options.seed is not None:
        tallies = [run_one(check, options.seed) for check in checks]
        print(*(failure for tally in tallies for failure in tally.failures), sep="\n")
        return int(any(tally.failures for tally in tallies))
    results = run_all(checks, full=options.full, again=options.again)
    print(json.dumps({"tests": summarise(results)}, indent=2) if options.json else table(results))
    return int(any(result.failures for result in results))


def _is_named(check: Check, name: str) -> bool:
    return name in {check.test, check.id}


if __name__ == "__main__":
    sys.exit(main())
