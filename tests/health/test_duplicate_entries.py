"""Entries that two concurrent runs recorded are found by the doctor and merged by its repair; no decision is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from wisen import app
from wisen.health import doctor
from wisen.learner import Learner
from wisen.model.entry import Actor, Answer, Entry, EntryStatus, MoveKind, Proposal, ProposalType
from wisen.model.state import Health
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("S19")


@pytest.fixture
def project(home: Path) -> Path:
    """A project with a file of rules, and sessions in which the user says what holds there."""
    folder = home / "orchard"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text("# Orchard\n")
    for number in range(4):
        log = ClaudeTranscript(number + 1, cwd=str(folder))
        log.bash("npm test", "npm: command not found", exit_code=127)
        log.bash("pnpm test", "ok")
        log.prompt(f"From now on always run check{number} before you commit.")
        log.write(home / ".claude" / "projects" / "-orchard")
    return folder


@pytest.fixture
def learner(project: Path) -> Iterator[Learner]:
    """A learner of a home in which everything was recorded twice, as two runs of an older version did."""
    with app.open_learner() as opened:
        opened.learn(jobs=1)
        ledger = opened.home.ledger
        rows: list[Entry | Proposal] = []
        for entry in ledger.entries.all():
            rows.append(structs.replace(entry, id=f"Z{entry.id}", name=f"{entry.name}Z"))
        for each in ledger.proposals.all():
            if each.type is not ProposalType.GUARD:
                rows.append(structs.replace(each, id=f"Z{each.id}", entry=f"Z{each.entry}", follows=None))
            else:
                rows.append(structs.replace(each, id=f"Z{each.id}", follows=None))
        ledger.entries.record(rows)
        yield opened


def unmerged_texts(learner: Learner) -> list[str]:
    """The lessons that stand by themselves."""
    return sorted(each.text for each in learner.lessons.all() if not each.merged_into)


def waiting_texts(learner: Learner) -> list[str]:
    """Return the questions to the user."""
    return sorted(each.proposal.text for each in learner.proposals.all() if each.is_waiting)


def test_the_doctor_finds_what_is_there_twice_and_its_repair_joins_it(learner: Learner) -> None:
    subject = app.wire().doctor_input()
    before, asked = unmerged_texts(learner), waiting_texts(learner)
    assert len(before) == 2 * len({*before})
    (found,) = (each for each in doctor.examine(subject) if each.about == "doubles")
    assert found.health is Health.BAD
    assert "doctor --repair" in found.next_step
    (repaired,) = (each for each in doctor.repair(subject) if each.about == "doubles")
    assert repaired.health is Health.NOTICE
    assert unmerged_texts(learner) == sorted({*before})
    assert waiting_texts(learner) == sorted({*asked})
    assert not [each for each in doctor.examine(subject) if each.about == "doubles"]
    assert all(each.times for each in learner.lessons.all() if not each.merged_into), (
        "what was seen of it stays with it"
    )
    rows = len(learner.home.ledger.entries.all()), len(learner.home.ledger.moves.all())
    assert [each.health for each in doctor.repair(subject) if each.about == "doubles"] == [Health.GOOD]
    assert (len(learner.home.ledger.entries.all()), len(learner.home.ledger.moves.all())) == rows
    assert learner.learn(jobs=1).proposals == len({*asked})


def test_a_line_that_stands_twice_is_removed_once_through_the_editor(learner: Learner, project: Path) -> None:
    rules = project / "CLAUDE.md"
    texts: list[bytes] = []
    for each in learner.proposals.all():
        if "check1" in each.proposal.text:
            learner.proposals.answer(each.proposal.id, Answer.APPROVED)
            texts.append(rules.read_bytes())
    assert rules.read_text().count("check1") == 2
    changes = len(learner.changes.all().changes)
    joined = learner.lessons.merge_duplicates(dry_run=True)
    assert joined.lines == (str(rules),)
    assert rules.read_bytes() == texts[-1]
    assert learner.lessons.merge_duplicates().lines == (str(rules),)
    assert rules.read_text().count("check1") == 1
    assert len(learner.changes.all().changes) == changes + 1, "it is a change like any other, and can be seen"
    (state,) = (each for each in learner.lessons.all() if "check1" in each.text and not each.merged_into)
    assert state.status is EntryStatus.PROMOTED
    learner.cycle()
    assert rules.read_text().count("check1") == 1


def test_whatever_the_user_decided_about_either_counts_for_the_one_that_stays(learner: Learner) -> None:
    pairs = {text: [each for each in learner.lessons.all() if each.text == text] for text in unmerged_texts(learner)}
    decided = {}
    for text, (_, second) in pairs.items():
        if "check2" in text:
            learner.lessons.decide(second.entry.name, MoveKind.STATUS, EntryStatus.WONT_FIX)
            decided[text] = EntryStatus.WONT_FIX
        if "check3" in text:
            learner.lessons.decide(second.entry.name, MoveKind.TEXT, f"{text} Always.")
    learner.lessons.merge_duplicates()
    left = {each.entry.summary: each for each in learner.lessons.all() if not each.merged_into}
    assert len(left) == len(pairs)
    for text, status in decided.items():
        assert left[text].status is status
    assert any(each.text.endswith("Always.") for each in left.values())
    moves = [move for move in learner.home.ledger.moves.all() if move.by is Actor.USER]
    assert {move.kind for move in moves} >= {MoveKind.STATUS, MoveKind.TEXT}


def test_what_a_person_took_apart_is_no_double(learner: Learner) -> None:
    ledger = learner.home.ledger
    sight = next(each for each in ledger.occurrences.all() if "check0" in each.quote)
    ledger.entries.record(
        [learner.home.row_factory.build_move(sight.id, MoveKind.SPLIT, f"Z{sight.entry}", by=Actor.USER)]
    )
    many = len(ledger.entries.all()) // 2
    assert learner.lessons.merge_duplicates().entries == many - 1
    assert len([each for each in learner.lessons.all() if "check0" in each.text and not each.merged_into]) == 2
