"""`python -m benchmarks NAME [--data DIR] [--json]`, `--list`. Exit 3 when the data is absent, 1 beyond a gate."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path

from benchmarks.data import DataAbsent

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
)


def main(arguments: list[str] | None = None) -> int:
    """Run one benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=NAMES, help="which one")
    parser.add_argument("--data", type=Path, help="the folder with the data; each benchmark says what it needs")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--list", action="store_true", help="list the benchmarks")
    parser.add_argument("--megabytes", type=int, default=200, help="how much data to make where none is given")
    parser.add_argument("--repeat", type=int, default=3, help="how often to measure; the best counts")
    parser.add_argument("--cross-validate", action="store_true", help="train and test by folds on the data (detect)")
    parser.add_argument("--full", action="store_true", help="every combination, for hours (trials)")
    parser.add_argument("--rules", type=int, default=0, help="made-up rules in each combination (trials)")
    parser.add_argument("--worlds", type=int, default=0, help="how many users to make up (phrases)")
    parser.add_argument("--seed", type=int, default=1, help="which made-up texts to take (poison)")
    options = parser.parse_args(arguments)
    if options.list or options.name is None:
        for name in NAMES:
            doc = importlib.import_module(f"benchmarks.{name}").__doc__ or ""
            print(f"{name:12} {doc.splitlines()[0]}")
        return 0
    try:
        figures = importlib.import_module(f"benchmarks.{options.name}").run(options)
    except DataAbsent as absent:
        print(f"benchmarks {options.name}: {absent}", file=sys.stderr)
        return 3
    except (KeyError, TypeError, ValueError) as other:
        if options.data is None:
            raise
        needs = (importlib.import_module(f"benchmarks.{options.name}").__doc__ or "").partition("Data: ")[2]
        told = f"{options.data} holds records of another shape ({type(other).__name__}: {other})"
        print(f"benchmarks {options.name}: {told}. It needs: {needs or 'what its first lines say.'}", file=sys.stderr)
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
