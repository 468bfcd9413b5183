"""Trial rows: assignments and session outcomes, whoever recorded them and in any order."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from wisen.mining.signatures import signature_of
from wisen.model.event import Status
from wisen.model.exposure import Arm, Exposure
from wisen.model.failure import CallChange
from wisen.model.fix import Danger, Fix, fix_id
from wisen.model.history import Step
from wisen.model.trial import TrialOutcome
from wisen.testing.exposures_contract import an_exposure, an_outcome
from wisen.testing.log_writer import NOON
from wisen.trials.outcomes import fix_line_relevance, fix_relevance
from wisen.trials.trial_rows import build_trial_rows
from wisen.trials.verdicts import judge

pytestmark = pytest.mark.requirement("X1")
SAID = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
ROWS = st.lists(st.tuples(st.integers(0, 9), st.booleans(), st.booleans(), st.booleans()), max_size=30)


@given(ROWS, st.randoms(use_true_random=False))
def test_rows_of_several_machines_are_put_together_in_any_order(
    made: list[tuple[int, bool, bool, bool]], luck: random.Random
) -> None:
    coins: list[Exposure] = []
    outcomes: list[TrialOutcome] = []
    for number, (session, given_, relevant, hit) in enumerate(made):
        coin = structs.replace(an_exposure(f"{number:03}", minutes=number), session=f"s{session}", chance=0.5)
        coins.append(structs.replace(coin, arm=Arm.GIVEN if given_ else Arm.WITHHELD))
        outcome = structs.replace(an_outcome(f"s{session}"), session=f"s{session}", relevant=relevant, hit=hit)
        if all(each.session != outcome.session for each in outcomes):
            outcomes.append(outcome)
    plain = build_trial_rows(coins, outcomes)
    luck.shuffle(coins)
    luck.shuffle(outcomes)
    again = build_trial_rows([*coins, *coins], outcomes)
    assert again == plain
    for rows in plain.values():
        assert len({row.session for row in rows}) == len(rows), "a session counts once, for what its first coin said"
        assert judge(rows) == judge(again[rows[0].rule, rows[0].version])


def test_what_no_coin_was_thrown_for_and_what_is_not_over_is_no_row() -> None:
    assert build_trial_rows([an_exposure()], [an_outcome()]) == {}
    assert build_trial_rows([structs.replace(an_exposure(), chance=0.5)], []) == {}


def a_fix() -> Fix:
    arguments = '{"command": "shopctl deploy --wait"}'
    signature = signature_of(tool="Bash", arguments=arguments, text=SAID)
    change = CallChange(tool="Bash", removed=("--wait",))
    return Fix(
        id=fix_id(signature, change), signature=signature, change=change, before=arguments,
        after='{"command": "shopctl deploy"}', said=SAID, sessions=2, calls=2, failed_again=0, by_chance=0.0,
        danger=Danger.NONE, lost_ms=0, lost_tokens=0, first=NOON, last=NOON, last_worked=True,
    )  # fmt: skip


def steps(*calls: tuple[str, str]) -> list[Step]:
    ends = {"ok": (Status.OK, None), "fails": (Status.FAILED, SAID), "else": (Status.FAILED, "Exit code 1\nno disk")}
    return [
        Step(
            call=f"{number}",
            tool="Bash",
            arguments=f'{{"command": "{command}"}}',
            status=ends[end][0],
            text=ends[end][1],
            at=NOON + timedelta(minutes=number),
        )
        for number, (command, end) in enumerate(calls)
    ]


@pytest.mark.parametrize(
    ("calls", "told_after", "in_a_file"),
    [
        ([], (False, False), (False, False)),
        ([("ls", "ok")], (False, False), (False, False)),
        ([("shopctl deploy", "ok")], (False, False), (True, False)),
        ([("shopctl deploy --wait", "fails"), ("shopctl deploy", "ok")], (True, False), (True, True)),
        ([("shopctl deploy --wait", "fails"), ("shopctl deploy --wait", "fails")], (True, True), (True, True)),
        ([("shopctl deploy --wait", "else"), ("shopctl deploy --wait", "else")], (False, False), (True, False)),
        ([("shopctl deploy -w", "fails"), ("shopctl deploy --wait", "fails")], (True, False), (True, True)),
    ],
)
def test_a_fix_is_counted_from_the_moment_it_is_delivered_and_a_line_from_the_first_call(
    calls: list[tuple[str, str]], told_after: tuple[bool, bool], in_a_file: tuple[bool, bool]
) -> None:
    assert fix_relevance(a_fix(), steps(*calls)) == told_after
    assert fix_line_relevance(a_fix(), steps(*calls)) == in_a_file
