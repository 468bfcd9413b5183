"""`wisen doctor --recompute`: everything is worked out again, and what was kept wrong shows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import wisen
from tests.commands import run
from wisen.health.recompute import recompute
from wisen.mining.settings import MinePolicy
from wisen.report.stored_report import report_mark
from wisen.store.folds import Fold
from wisen.surfaces.cli.program import BAD
from wisen.testing.tombstones_contract import WORDS, a_tombstone
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.report import Report

pytestmark = pytest.mark.requirement("X6")


@pytest.fixture
def learned(home: Path) -> Path:
    for number in (1, 2):
        log = ClaudeTranscript(number, cwd=str(home / "shop"))
        log.prompt("deploy the shop")
        log.bash("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", exit_code=2)
        log.bash("shopctl deploy", "done")
        log.prompt("from now on always use pnpm, not npm")
        log.write(home / ".claude" / "projects" / "shop")
    run("learn")
    run("learn")  # this one finds the pages as they were written: from now on nothing is new
    return home


@pytest.mark.usefixtures("learned")
def test_what_was_kept_is_what_comes_out_again() -> None:
    shown = run("doctor", "--recompute").stdout
    assert "worked out again from 2 sessions" in shown
    assert "Nothing differs" in shown
    told = json.loads(run("doctor", "--recompute", "--json").stdout)
    assert told == {"sessions": 2, "differences": [], "recorded": False, "decided": False, "forgotten": False}


@pytest.mark.usefixtures("learned")
def test_a_total_that_was_kept_wrong_is_named_and_put_right() -> None:
    with wisen.open_learner() as learner:
        folds = learner.home.index.folds
        version = report_mark(learner.home, MinePolicy())
        stored = folds.load("report", version)
        assert stored is not None
        wrong = json.loads(stored.value)
        wrong["signals"] = {"praise": 17}
        folds.save("report", version, Fold(stored.revision, json.dumps(wrong)), holds_text=True)
        assert learner.learn().signals == {"praise": 17}
    assert "Different now: signals" in run("doctor", "--recompute", expect=BAD).stdout
    assert "Nothing differs" in run("doctor", "--recompute").stdout


@pytest.mark.usefixtures("learned")
def test_a_decision_that_is_made_meanwhile_is_no_bug() -> None:
    with wisen.open_learner() as learner:
        runs = 0

        def learn_and_decide() -> Report:
            nonlocal runs
            runs += 1
            if runs == 2:
                learner.rules.add("rinse plums before use")
                learner.home.index.folds.clear()
            return learner.learn()

        result = recompute(learner.home, learn_and_decide)
    assert result.decided
    assert result.differences == ()


@pytest.mark.usefixtures("learned")
def test_what_another_process_forgot_meanwhile_is_no_bug() -> None:
    with wisen.open_learner() as learner:
        runs = 0

        def learn_and_forget() -> Report:
            nonlocal runs
            runs += 1
            if runs == 2:
                learner.home.ledger.tombstones.add(a_tombstone(), [WORDS])
            return learner.learn()

        result = recompute(learner.home, learn_and_forget)
    assert result.forgotten
    assert result.differences == ()


@pytest.mark.usefixtures("learned")
def test_a_dry_run_counts_only() -> None:
    assert "2 sessions would be mined again" in run("doctor", "--recompute", "--dry-run").stdout
