"""Measures whether trials of rules are reliable: false verdicts, power, many rules at once, and other methods.

Simulated worlds need no data. With `--data DIR`, Reflexion's paired runs (DIR/reflexion) and real sessions with random
assignment and no rule (DIR/transcripts) are evaluated too. `--full` runs every combination with 20,000 rules each,
which takes hours; `--rules N` sets the number of rules per combination.
"""

from __future__ import annotations

import itertools
import math
import os
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import trial_peers, trial_real, trial_sets
from benchmarks.data import MissingDataError, transcripts
from benchmarks.trial_verdicts import judge, rank_places
from benchmarks.trial_worlds import CHANCES, LAWS, SCENARIOS, SESSIONS, Cell, make_world
from wisen.model.trial import Verdict
from wisen.trials.verdicts import VerdictPolicy

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from pathlib import Path

    from benchmarks.trial_verdicts import Floats

RATIOS = (0.05, 0.2, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
CONFIRM_BAR, WORSE_BAR = 0.025, 0.05
_NULL_RULES, _RULES, _FULL_RULES = 7_000, 1_000, 20_000
_CHUNK, _GUARDED = 500, 2_000
_EVALUES = ("good", "harm", "rails")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the rules of one cell ended."""

    cell: Cell
    rules: int
    shares: dict[Verdict, float]
    median: float | None
    """Sessions until a rule was confirmed."""
    suffered: float | None
    """Failures in sessions without the rule until it was confirmed, at the median."""
    sums: dict[str, tuple[float, float]]
    """Of the evidence at the end and of its square."""
    peers: dict[str, float]


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError: the given folder has neither kind of data."""
    if options.data is not None and not (options.data / "reflexion").is_dir():
        transcripts(options.data)
    cells = list(_full() if options.full else _reduced())
    rules = {cell: options.rules or (_FULL_RULES if options.full else _size(cell)) for cell in cells}
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        real = pool.submit(on_real_data, options.data)
        outcomes = list(pool.map(measure_cell, cells, [rules[cell] for cell in cells], chunksize=4))
        sets = trial_sets.figures(pool, min(options.rules or trial_sets.WORLDS, trial_sets.WORLDS))
    nulls = [each for each in outcomes if each.cell.ratio == 1]
    confirm = _worst([each for each in outcomes if each.cell.ratio >= 1], Verdict.CONFIRMED, CONFIRM_BAR)
    worse = _worst([each for each in outcomes if each.cell.ratio <= 1], Verdict.WORSE, WORSE_BAR)
    evalues = {name: _mean(nulls, name) for name in _EVALUES}
    evalues["futile"] = _mean([each for each in outcomes if each.cell.ratio == 0.7], "futile")
    dropped = {each.cell.scenario: each.peers for each in nulls if each.peers}
    return {
        "false_confirm_max": confirm["share"],
        "false_worse_max": worse["share"],
        "false_confirm": confirm,
        "false_worse": worse,
        **sets,
        "power": _power(outcomes),
        "sessions_until_confirmed": _medians(outcomes, "median"),
        "failures_without_until_confirmed": _medians(outcomes, "suffered"),
        "seed_rule_false_confirm": dropped["stationary"]["rate_dropped"],
        "peers": dropped,
        "evalue_null_mean": evalues["good"]["mean"],
        "evalues": evalues,
        "cells": len(cells),
        "rules": sum(rules.values()),
        **real.result(),
    }


def on_real_data(data: Path | None) -> dict[str, object]:
    """The figures on real data, as far as it is there."""
    if data is None:
        return {"reflexion": None, "no_rule": None}
    paired = trial_real.reflexion(data / "reflexion")
    try:
        return {"reflexion": paired, "no_rule": trial_real.no_rule(transcripts(data))}
    except MissingDataError:
        return {"reflexion": paired, "no_rule": None}


def _reduced() -> Iterable[Cell]:
    """Every scenario with rules that do nothing; every scenario and ratio for power; the other ways once each."""
    for scenario, law in itertools.product(SCENARIOS, ("mix", ".1", ".2", ".4")):
        yield Cell(scenario=scenario, law=law)
    for law, chances in itertools.product((".1", ".2", ".4"), (".5", ".8")):
        yield Cell(law=law, chances=chances)
    for scenario, daily in itertools.product(("bursty", "weekday"), (1, 12)):
        yield Cell(scenario=scenario, daily=daily, law=".2")
    for scenario, ratio in itertools.product(SCENARIOS, RATIOS):
        if ratio != 1:
            yield Cell(scenario=scenario, ratio=ratio)
    for law, ratio in itertools.product((".05", ".1", ".2"), RATIOS):
        if ratio != 1:
            yield Cell(law=law, ratio=ratio)


def _full() -> Iterable[Cell]:
    for scenario, law, daily, chances, ratio in itertools.product(SCENARIOS, LAWS, (1, 4, 12), CHANCES, RATIOS):
        yield Cell(scenario=scenario, law=law, daily=daily, chances=chances, ratio=ratio)


def _size(cell: Cell) -> int:
    return _NULL_RULES if cell.ratio == 1 else _RULES


def measure_cell(cell: Cell, rules: int) -> Outcome:
    """How so many rules of a cell end. Each has four rails that it does nothing to."""
    peers = cell.ratio == 1 and cell.law == "mix" and cell.daily == 4 and cell.chances == "schedule"
    chance = np.random.default_rng([*cell.name.encode()])
    parts = [_part(cell, min(_CHUNK, rules - done), chance, peers=peers) for done in range(0, rules, _CHUNK)]
    sizes = [part.rules for part in parts]

    def mean(values: Iterable[float]) -> float:
        return float(np.average(list(values), weights=sizes))

    medians = [part.median for part in parts if part.median is not None]
    suffered = [part.suffered for part in parts if part.suffered is not None]
    return Outcome(
        cell=cell,
        rules=rules,
        shares={verdict: mean(part.shares[verdict] for part in parts) for verdict in Verdict},
        median=float(np.mean(medians)) if medians else None,
        suffered=float(np.mean(suffered)) if suffered else None,
        sums={name: _added(part.sums[name] for part in parts) for name in parts[0].sums},
        peers={name: mean(part.peers[name] for part in parts) for name in parts[0].peers},
    )


def _added(pairs: Iterable[tuple[float, float]]) -> tuple[float, float]:
    first, second = zip(*pairs, strict=True)
    return sum(first), sum(second)


def _part(cell: Cell, rules: int, chance: np.random.Generator, *, peers: bool) -> Outcome:
    world = make_world(cell, rules, chance, peers=peers)
    drawn = chance.permutation(_GUARDED)[:rules]
    ended = judge(world.chance, world.given, world.hit, [each[drawn] for each in rails()], VerdictPolicy())
    won = ended.verdict == 1
    lost = np.cumsum(world.hit & ~world.given, axis=1)[np.arange(rules), ended.session]
    evidence = {name: getattr(ended, name) for name in (*_EVALUES, "futile")}
    return Outcome(
        cell=cell,
        rules=rules,
        shares={verdict: ended.share(verdict) for verdict in Verdict},
        median=float(np.median(ended.session[won] + 1)) if won.any() else None,
        suffered=float(np.median(lost[won])) if won.any() else None,
        sums={name: (float(values.sum()), float((values**2).sum())) for name, values in evidence.items()},
        peers={"rate_dropped": trial_peers.rate_dropped(world), "daily_look": trial_peers.daily_look(world)}
        if peers
        else {},
    )


@lru_cache(maxsize=1)
def rails() -> tuple[Floats, ...]:
    """What must not get worse, for a pool of rules that do nothing to it: corrections, failures, interrupts, tokens."""
    chance = np.random.default_rng(29)
    shape = (_GUARDED, SESSIONS)
    counts = [chance.poisson(mean * chance.gamma(1.0, 1.0, shape)).astype(float) for mean in (0.35, 4.0, 0.1)]
    return tuple(rank_places(each) for each in (*counts, np.exp(chance.normal(10.0, 1.0, shape))))


def _worst(outcomes: list[Outcome], verdict: Verdict, bar: float) -> dict[str, object]:
    """The cell with the greatest share of a false verdict, and how many are above the bar by two standard errors."""
    top = max(outcomes, key=lambda each: each.shares[verdict])
    return {
        "share": top.shares[verdict],
        "error": _error(top.shares[verdict], top.rules),
        "cell": top.cell.name,
        "cells": len(outcomes),
        "above_bar": sum(each.shares[verdict] > bar for each in outcomes),
        "above_bar_by_two_errors": [
            each.cell.name for each in outcomes if each.shares[verdict] > bar + 2 * _error(bar, each.rules)
        ],
    }


def _error(share: float, rules: int) -> float:
    return math.sqrt(share * (1 - share) / rules)


def _mean(outcomes: list[Outcome], name: str) -> dict[str, float]:
    """The mean of the evidence at the end of trials in which it should stay 1."""
    total, squares = _added(each.sums[name] for each in outcomes)
    count = sum(each.rules for each in outcomes)
    mean = total / count
    return {"mean": mean, "error": math.sqrt(max(squares / count - mean**2, 0.0) / count)}


def _power(outcomes: list[Outcome]) -> dict[str, dict[str, dict[str, float]]]:
    """How trials end, by scenario (or rate) and by what the rule does; at four sessions a day, under the schedule."""
    figures: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for each in outcomes:
        cell = each.cell
        if (cell.daily, cell.chances) != (4, "schedule") or (cell.law != "mix" and cell.scenario != "stationary"):
            continue
        name = cell.scenario if cell.law == "mix" else f"q {cell.law}"
        figures[name][f"{cell.ratio:g}"] = {
            verdict.value: share for verdict, share in each.shares.items() if verdict is not Verdict.RUNNING
        } | {"reverted": each.shares[Verdict.WORSE] + each.shares[Verdict.INEFFECTIVE]}
    return dict(figures)


def _medians(outcomes: list[Outcome], which: str) -> dict[str, float | None]:
    return {
        f"q {each.cell.law}, ratio {each.cell.ratio:g}": getattr(each, which)
        for each in outcomes
        if each.cell.ratio < 1 and each.cell == Cell(law=each.cell.law, ratio=each.cell.ratio)
    }
