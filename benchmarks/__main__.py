"""`python -m benchmarks NAME [--data DIR] [--json]`, `--list`. Exit code 3 if data is missing, 1 if a gate fails."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from benchmarks.data import MissingDataError

NAMES = (
    "scan",
    "poison",
    "secrets",
    "sessions",
    "scale",
    "attribution",
    "detect",
    "directives",
    "retrieval",
    "hooks",
    "gates",
    "guards",
    "trials",
    "phrases",
    "echo",
    "sameness",
    "faults",
    "outcomes",
    "workflows",
)


def main(arguments: list[str] | None = None) -> int:
    """Run one benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=NAMES, help="the benchmark to run")
    parser.add_argument("--data", type=Path, help="the folder with the data; each benchmark says what it needs")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    parser.add_argument("--megabytes", type=int, default=200, help="how much data to generate if none is given")
    parser.add_argument("--repeat", type=int, default=3, help="number of measurements; the best counts")
    parser.add_argument("--cross-validate", action="store_true", help="train and test by folds on the data (detect)")
    parser.add_argument("--full", action="store_true", help="every combination (trials), 10^7 events (scale)")
    parser.add_argument("--rules", type=int, default=0, help="simulated rules per combination (trials)")
    parser.add_argument("--worlds", type=int, default=0, help="number of simulated users (phrases)")
    parser.add_argument("--sizes", default="", help="numbers of events, with commas between them (scale)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the generated texts (poison)")
    options = parser.parse_args(arguments)
    if options.list or options.name is None:
        for name in NAMES:
            doc = importlib.import_module(f"benchmarks.{name}").__doc__ or ""
            print(f"{name:12} {doc.splitlines()[0]}")
        return 0
    try:
        figures = importlib.import_module(f"benchmarks.{options.name}").run(options)
    except MissingDataError as absent:
        print(f"benchmarks {options.name}: {absent}", file=sys.stderr)
        return 3
    except (KeyError, TypeError, ValueError) as other:
        if options.data is None:
            raise
        needs = (importlib.import_module(f"benchmarks.{options.name}").__doc__ or "").partition("Data: ")[2]
        problem = f"{options.data} contains records of another shape ({type(other).__name__}: {other})"
        print(
            f"benchmarks {options.name}: {problem}. It needs: {needs or 'see its module docstring.'}", file=sys.stderr
        )
        return 3
    print(json.dumps(figures, indent=2) if options.json else _table(figures))
    return int(figures.get("ok") is False)


def _table(figures: dict[str, object], prefix: str = "") -> str:
    lines = []
    for name, value in figures.items():
        if isinstance(value, dict):
            lines.append(_table(value, f"{prefix}{name}."))
        else:
            shown = f"{value:,.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
            lines.append(f"{prefix + name:44} {shown}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
