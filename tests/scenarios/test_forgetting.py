"""Forgetting that forgets: no byte of it is left anywhere below the home, and old logs do not bring it back."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tests.commands import run
from tests.planted import Facts, Planter, residues

import wisen
from wisen.domain.report import Selection
from wisen.domain.tombstones import ALL
from wisen.learner import Learner
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N8")

SESSIONS, OTHERS = 50, 22


def planted(home: Path, learner: Learner, facts: Facts, project: str) -> Planter:
    planter = Planter(home, home / project, facts)
    planter.logs(SESSIONS)
    planter.files(OTHERS)
    learner.learn()
    planter.approved(learner, OTHERS)
    planter.told(learner, OTHERS)
    learner.learn(judge=True)
    return planter


def test_a_thousand_facts_are_gone_from_every_place_and_do_not_come_back(home: Path) -> None:
    gone, kept, ours = Facts(1), Facts(2), home / "wisen"
    with wisen.open_learner() as learner:
        planter = planted(home, learner, gone, "shop")
        keeper = Planter(home, home / "blog", kept, first=1000)
        keeper.logs(5)
        learner.cycle()
        keeper.told(learner, 3)
        learner.cycle()
        planter.outputs(ours, OTHERS)
        assert "wisen:R-" in (home / "shop" / "CLAUDE.md").read_text()
        before = residues(ours, [*gone.all(), *kept.all()])
        assert {place for place, words in gone.of.items() if not set(words) <= before.keys()} == set()
        assert len(set(gone.all()) & before.keys()) >= 1_000

        words = [word for word in gone.all() if word in before]
        for one in (gone.of[place][0] for place in ("correction", "failure", "record", "notebook", "snapshot")):
            (done,) = learner.forget(one, scope=ALL)
            assert done.things
            assert one not in residues(ours, [one])
        learner.forget(words, scope=ALL)
        assert residues(ours, gone.all()) == {}
        unharmed = residues(ours, kept.all())
        assert unharmed.keys() == before.keys() & set(kept.all())
        learner.cycle()
        assert residues(ours, gone.all()) == {}
        assert all(each.done for each in learner.forgotten())

    assert (home / "shop" / "CLAUDE.md").read_text() == planter.own
    for file in ours.glob("index.db*"):
        file.unlink()
    with wisen.open_learner() as learner:
        learner.learn(judge=True)
        learner.cycle()
    assert residues(ours, gone.all()) == {}
    assert residues(ours, kept.all()).keys() == unharmed.keys()
    assert run("doctor", expect=0).stdout.count("good") >= 3
