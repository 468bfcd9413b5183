"""The battery in its small size. In full size: `make test-long`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

from tests.battery.check import Check, upper_bound
from tests.battery.checks import CHECKS
from tests.battery.runner import Result, run_one, summarise, table
from tests.battery.writing_commands import ATTEMPTS, NOT_TRIED
from wisen.surfaces.cli import app
from wisen.surfaces.cli.command_table import COMMANDS, OLD_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = [
    pytest.param(check, seed, id=f"{check.id}-{seed}", marks=[pytest.mark.needs(*check.needs)] if check.needs else ())
    for check in CHECKS
    for seed in range(check.quick)
]
pytestmark = pytest.mark.requirement("X7")


@pytest.mark.parametrize(("check", "seed"), RUNS)
def test_nothing_fails(check: Check, seed: int) -> None:
    tally = run_one(check, seed)
    assert tally.trials > 0
    assert not tally.failures, "\n".join(tally.failures)


def test_the_bound_is_the_rate_at_which_so_few_failures_would_be_seen_once_in_twenty() -> None:
    assert upper_bound(0, 3000) == pytest.approx(1 - 0.05 ** (1 / 3000))
    assert upper_bound(0, 0) == 1
    assert upper_bound(5, 5) == 1
    bounds = [upper_bound(failures, 100) for failures in range(5)]
    assert all(less < more for less, more in pairwise(bounds))
    assert bounds[1] == pytest.approx(0.0466, abs=1e-4)


def test_results_are_summed_up_by_test_and_shown_by_check() -> None:
    check = CHECKS[0]
    results = [Result(check.id, 0, 90, (), 1, ""), Result(check.id, 1, 10, ("it was lost",), 1, "")]
    assert summarise(results)[check.test] | {"upper95": 0} == {"trials": 100, "failures": 1, "upper95": 0}
    assert f"| {check.name} | {check.what} | 100 | 1 | 4.66% |" in table(results)


def test_what_belongs_to_no_line_of_the_battery_comes_last() -> None:
    results = [Result(name, 0, 1, (), 1, "") for name in ("X-times", "T11-formats", "T2-cut")]
    assert list(summarise(results)) == ["T2", "T11", "X"]


def test_every_command_that_writes_is_killed_or_has_a_reason() -> None:
    writing = set(_writing_commands(get_command(app)))
    assert writing == ATTEMPTS.keys() | NOT_TRIED.keys()
    assert not ATTEMPTS.keys() & NOT_TRIED.keys()


def _writing_commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[str]:
    """What can say beforehand what it would do writes; and so does a review, which asks before each step."""
    for name, each in getattr(command, "commands", {}).items():
        if words or not any(top.name == name and (top.full or top.panel == OLD_NAME) for top in COMMANDS):
            yield from _writing_commands(each, (*words, name))
    path = " ".join(words)
    if path == "proposals review" or any("--dry-run" in option.opts for option in command.params):
        yield path


def test_each_check_has_a_name_of_its_own() -> None:
    names = [check.id for check in CHECKS]
    assert len(names) == len(set(names))
