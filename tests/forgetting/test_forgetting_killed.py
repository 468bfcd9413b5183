"""If forgetting is killed midway, nothing comes back and the next run finishes it."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

import wisen
from tests.forgetting.forget_and_die import forget
from tests.forgetting.test_forgetting import write_three_corrections
from tests.planted_secrets import find_residues
from wisen import app
from wisen.health import doctor
from wisen.model.entry import Answer
from wisen.model.state import Health

pytestmark = pytest.mark.requirement("N8")

WORD = "pnpm"
MOST = 14


def holds_it(home: Path) -> list[str]:
    """The files that hold the word, in any case."""
    files = [path for path in (home / "wisen").rglob("*") if path.is_file()]
    return [path.name for path in files if WORD.encode() in path.read_bytes().lower()]


def test_wherever_it_is_cut_off_the_next_run_finishes_it(home: Path) -> None:
    shop = write_three_corrections(home)
    own = f"# Shop\n\nMine about {WORD}.\n"
    (shop / "CLAUDE.md").write_text(own)
    with wisen.open_learner() as learner:
        learner.cycle()
        (asked,) = learner.proposals.all()
        learner.proposals.answer(asked.proposal.id, Answer.APPROVED)
        learner.records.record_insight("the blue cable is fine")
        learner.cycle()
    assert holds_it(home)
    for name in ("wisen", "shop"):
        shutil.copytree(home / name, home / "before" / name)
    code, steps = forget(WORD, -1)
    assert code == 0
    assert holds_it(home) == []
    needed = {"ledger.add_tombstone", "files.write", "index.redact", "ledger.remove", "index.scrub", "backups.renew"}
    assert needed <= {*steps}
    first = [steps.index(name) for name in dict.fromkeys(steps)]
    for step in sorted(first)[:MOST]:
        for name in ("wisen", "shop"):
            shutil.rmtree(home / name)
            shutil.copytree(home / "before" / name, home / name)
        assert forget(WORD, step) == (-signal.SIGKILL, [])
        with wisen.open_learner() as learner:
            began = len(learner.forgetting.tombstones())
            assert began == (step > steps.index("ledger.add_tombstone"))
            learner.learn()
            findings = [each.about for each in doctor.examine(app.wire().doctor_input()) if each.health is Health.BAD]
            assert findings == ["forgetting"] * began
            assert learner.cycle().problems == ()
            assert all(each.done for each in learner.forgetting.tombstones())
            if not began:
                assert holds_it(home)
                continue
            assert learner.lessons.all() == ()
        assert holds_it(home) == [], f"after it died before {steps[step]}"
        assert (shop / "CLAUDE.md").read_text() == own
        assert find_residues(home / "wisen", ["blue cable"]), "other facts are unharmed"
