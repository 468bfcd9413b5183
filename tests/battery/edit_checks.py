"""T6: edits by wisen, the user, other tools and git in any order leave what is not ours untouched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.battery.check import Check, Tally
from tests.edits.edit_machines import Edits, SettingsEdits

if TYPE_CHECKING:
    from pathlib import Path

    from hypothesis.stateful import RuleBasedStateMachine

SEQUENCES, STEPS = 50, 50
"""How many sequences a run tries, and how many steps each has at most."""


def edit_instructions(number: int, folder: Path) -> Tally:
    """Sequences over an instruction file."""
    del folder
    return _run(Edits, number)


def edit_settings(number: int, folder: Path) -> Tally:
    """Sequences over a settings file."""
    del folder
    return _run(SettingsEdits, number)


def _run(machine: type[RuleBasedStateMachine], number: int) -> Tally:
    """Count each sequence that was run to its end; the first one that fails ends the run."""
    tally, ended = Tally(), list[object]()

    class Counted(machine):  # type: ignore[misc, valid-type]
        def teardown(self) -> None:
            super().teardown()
            ended.append(None)

    how = settings(
        max_examples=SEQUENCES,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=[*HealthCheck],
        derandomize=False,
    )
    problem = ""
    try:
        run_state_machine_as_test(seed(number)(Counted), settings=how)
    except Exception as error:  # noqa: BLE001 - whatever it is, the sequence failed
        problem = f"{error!r} {'; '.join(getattr(error, '__notes__', ()))}"[-3000:]
    # Hypothesis also ends some that it could not begin: no more are counted than were asked for.
    for _ in range(min(len(ended), SEQUENCES) - bool(problem)):
        tally.expect(True, "")
    if problem:
        tally.expect(False, problem)
    return tally


CHECKS = (
    Check(
        "T6", "instructions", "an instruction file loses what is not ours, or keeps what is", edit_instructions, 2, 100
    ),
    Check("T6", "settings", "a settings file loses what is not ours, or keeps what is", edit_settings, 2, 100),
)
