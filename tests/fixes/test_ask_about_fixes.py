"""What is recorded and asked about fixes in a run is what looking at every fix and all its evidence gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.test_fix_questions import MISSING, session
from tests.guard_scenarios import open_learner
from wisen.delivery.remedies import is_reliable
from wisen.delivery.rules_in_force import RulesInForce
from wisen.fixes import ask_about_fixes as asking
from wisen.fixes.fix_questions import build_fix_questions
from wisen.learner import Learner
from wisen.mining.error_entries import new_error_rows
from wisen.model.context import NOWHERE
from wisen.model.entry import Occurrence, Proposal, ProposalType
from wisen.model.entry_state import fold_proposal_states
from wisen.model.fix import Danger, Fix
from wisen.model.report import Selection
from wisen.store.known_entries import KnownEntries


def plain_waiting(learner: Learner) -> list[tuple[Fix, str]]:
    """Every reliable fix that needs approval, with each context where it helped and no rule is against it."""
    home, service = learner.home, learner.fixes
    rules = RulesInForce(home, service._rule_files, KnownEntries(home.ledger).states)
    guarded = {each.of for each in home.ledger.guards.all()}
    waiting: list[tuple[Fix, str]] = []
    for fix in home.index.findings.fixes(Selection()):
        if fix.danger is Danger.NONE or fix.id in guarded or not is_reliable(fix, service._deliver):
            continue
        if (fix.danger is Danger.OUTSIDE and fix.sessions == 1) or asking.OMITTED in fix.change.description:
            continue
        evidence = reversed(home.index.findings.evidence(fix.id))
        examples = {each.context: each for each in evidence if each.worked and each.context}
        waiting += [
            (fix, context)
            for context, example in sorted(examples.items())
            if context != NOWHERE and not rules.rule_broken_by_fix(context, fix.change, example.after)
        ]
    return waiting


def plain_rows(learner: Learner) -> tuple[set[str], list[tuple[str, str]]]:
    """The occurrences that a run has to record, and the fixes with contexts that it may ask about first."""
    home, known, waiting = learner.home, KnownEntries(learner.home.ledger), plain_waiting(learner)
    fixes = {fix.id: fix for fix, _ in waiting}
    rows = new_error_rows(
        fixes.values(), home.index.findings.evidence, known.states, home.ledger.occurrences.ids(), home.row_factory
    )
    before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    asked = build_fix_questions(waiting, known.states, before, home.row_factory)
    return {each.id for each in rows if isinstance(each, Occurrence)}, [(each.text, each.context) for each in asked]


def questions(learner: Learner) -> list[Proposal]:
    return [each for each in learner.home.ledger.proposals.all() if each.type is ProposalType.FIX]


def test_a_run_records_and_asks_what_looking_at_every_fix_gives(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    projects = [home / name for name in ("shop", "garden")]
    for each in projects:
        each.mkdir()
    steps: list[tuple[int, str]] = []

    with open_learner(home) as learner:
        propose = type(learner.fixes).propose

        def compare(service: object, known: KnownEntries) -> int:
            occurrences, _ = plain_rows(learner)
            recorded, asked = learner.home.ledger.occurrences.ids(), questions(learner)
            new = propose(learner.fixes, known)
            assert set(learner.home.ledger.occurrences.ids()) - set(recorded) == occurrences
            assert plain_rows(learner) == (set(), []), "nothing is left to record or to ask"
            assert new == len(questions(learner)) - len(asked)
            steps.append((len(occurrences), "asked" if new else ""))
            return new

        monkeypatch.setattr(type(learner.fixes), "propose", compare)
        names = ("DATABASE_URL", "CACHE_URL", "QUEUE_URL", "MAIL_URL", "FILE_URL", "BILL_URL")
        for number in range(1, 13):
            name, project = names[number % 6], projects[number // 7]
            complaint = MISSING.replace("DATABASE_URL", name)
            session(home, project, number, ("npm start", complaint), (f"{name}=local npm start", ""))
            if number == 10:
                (projects[1] / "CLAUDE.md").write_text("Never use npm, use pnpm instead.\n", encoding="utf-8")
            learner.learn()
        (projects[1] / "CLAUDE.md").unlink()
        session(home, projects[1], 13, ("ls", ""))
        learner.learn()
        asked = [each for each in learner.proposals.all() if each.proposal.type is ProposalType.FIX]
        assert len(asked) == 5, "no more are open at once"
    assert sum(recorded for recorded, _ in steps) > 0
    assert "asked" in {what for _, what in steps}
