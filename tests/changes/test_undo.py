"""Undo reverses a whole decision: its files, its status and its guard's mode; the proposal is open again."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import wisen
from tests.commands import run
from tests.guard_scenarios import record_fixed_failures
from tests.hooks import hook_answer, write_lesson_sessions
from wisen import app
from wisen.errors import PersonNeeded, StoreError, UsageError
from wisen.learner import Learner
from wisen.model.change import ChangeFate
from wisen.model.entry import Actor, Answer, EntryStatus, MoveKind, Proposal, ProposalType
from wisen.model.guard import Mode
from wisen.model.presence import NotAPerson
from wisen.model.short_ids import short_id
from wisen.testing.fakes import FixedPresence

OWN = "# Shop\n\nMine.\n"


@pytest.fixture
def shop(home: Path) -> Path:
    project = home / "shop"
    write_lesson_sessions(home, project)
    (project / "CLAUDE.md").write_text(OWN)
    with wisen.open_learner() as learner:
        learner.learn()
        learner.cycle()
    return project


def rule(learner: Learner) -> Proposal:
    return next(each.proposal for each in learner.proposals.all() if each.proposal.type is ProposalType.PROMOTION)


def status(learner: Learner, entry: str) -> EntryStatus:
    return next(each.status for each in learner.lessons.all() if each.entry.id == entry)


@pytest.mark.requirement("S6", "S7")
def test_an_approved_rule_leaves_the_file_and_its_proposal_waits_again(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        before = {each.entry.id: (each.status, each.confirmed, each.text) for each in learner.lessons.all()}
        learner.proposals.answer(proposal.id, Answer.APPROVED, text="Use pnpm, never npm.")
        assert status(learner, proposal.entry) is EntryStatus.PROMOTED
        planned = learner.changes.undo(dry_run=True)
        assert planned.words == f"approved “{proposal.text}” into CLAUDE.md"
        assert "pnpm" in (shop / "CLAUDE.md").read_text(), "a dry run does nothing"
        learner.changes.undo()
        assert (shop / "CLAUDE.md").read_text() == OWN
        assert {each.entry.id: (each.status, each.confirmed, each.text) for each in learner.lessons.all()} == before
        assert learner.proposals.get(proposal.id).is_waiting, "it may be approved again"
        learner.cycle()
        assert status(learner, proposal.entry) is not EntryStatus.WONT_FIX, "to undo is not to refuse"
        assert [each.proposal.id for each in learner.proposals.all() if each.is_waiting].count(proposal.id) == 1
        learner.proposals.answer(proposal.id, Answer.APPROVED)
        assert "pnpm" in (shop / "CLAUDE.md").read_text()


@pytest.mark.requirement("S6", "S7", "S19")
def test_an_answer_that_failed_after_the_file_was_written_is_completed_by_giving_it_again(
    home: Path, shop: Path
) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        with closing(sqlite3.connect(home / "wisen" / "ledger.db")) as database:
            database.execute(
                "CREATE TRIGGER full BEFORE INSERT ON moves WHEN new.kind = 'answer' "
                "BEGIN SELECT raise(ABORT, 'full'); END"
            )
            with pytest.raises(StoreError):
                learner.proposals.answer(proposal.id, Answer.APPROVED)
            database.execute("DROP TRIGGER full")
        written = (shop / "CLAUDE.md").read_text()
        assert "pnpm" in written
        assert learner.proposals.get(proposal.id).is_waiting
        learner.proposals.answer(proposal.id, Answer.APPROVED)
        assert (shop / "CLAUDE.md").read_text() == written, "it is not written twice"
        assert status(learner, proposal.entry) is EntryStatus.PROMOTED
        learner.changes.undo()
        assert (shop / "CLAUDE.md").read_text() == OWN
        assert learner.proposals.get(proposal.id).is_waiting
        assert all(each.is_undone for each in learner.changes.decisions()), "nothing is left of the failed one either"


@pytest.mark.requirement("S7")
def test_the_users_own_later_edits_stay(shop: Path) -> None:
    with wisen.open_learner() as learner:
        learner.proposals.answer(rule(learner).id, Answer.APPROVED)
        file = shop / "CLAUDE.md"
        file.write_text(f"{file.read_text()}\nWritten since.\n")
        learner.changes.undo()
        assert "Mine." in file.read_text()
        assert "Written since." in file.read_text()
        assert "pnpm" not in file.read_text()


@pytest.mark.requirement("S6")
@pytest.mark.parametrize("given", [Answer.REJECTED, Answer.SKIPPED, Answer.LATER])
def test_any_answer_can_be_undone(shop: Path, given: Answer) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        learner.proposals.answer(proposal.id, given)
        learner.changes.undo()
        found = learner.proposals.get(proposal.id)
        assert (found.is_waiting, found.answer) == (True, None)
        assert status(learner, proposal.entry) is EntryStatus.PENDING


@pytest.mark.requirement("S6", "F6")
def test_a_guard_goes_back_to_the_mode_it_had_and_hooks_follow(shop: Path, home: Path) -> None:
    call = {"session_id": "s", "cwd": str(shop), "tool_name": "Bash", "tool_input": {"command": "git push --force"}}
    with wisen.open_learner() as learner:
        guard = learner.guards.add("warn shell: git push --force # it is not allowed", None)
        learner.guards.set_mode(guard.guard.id, Mode.DENY)
        assert hook_answer(home / "wisen", "before-call", call)["permissionDecision"] == "deny"
        learner.changes.undo()
        assert learner.guards.get(guard.guard.id).mode is Mode.WARN
        learner.changes.undo()
        assert [each.guard.id for each in learner.guards.all() if each.guard.id == guard.guard.id] == []
        assert hook_answer(home / "wisen", "before-call", {**call, "session_id": "t"}) == {}
        again = learner.guards.add("warn shell: git push --force # it is not allowed", None)
        assert learner.guards.get(again.guard.id).mode is Mode.WARN, "it can be made again"


@pytest.mark.requirement("S6")
def test_a_proposed_guard_that_was_accepted_is_in_shadow_again(home: Path) -> None:
    record_fixed_failures(home, home / "shop", (1, 2, 3))
    with wisen.open_learner() as learner:
        learner.cycle()
        (proposal,) = (each.proposal for each in learner.proposals.all() if each.proposal.type is ProposalType.GUARD)
        learner.proposals.answer(proposal.id, Answer.APPROVED)
        assert learner.guards.get(proposal.entry).mode is Mode.WARN
        learner.changes.undo()
        assert learner.guards.get(proposal.entry).mode is Mode.SHADOW
        assert learner.proposals.get(proposal.id).is_waiting


@pytest.mark.requirement("S6")
def test_an_install_is_one_decision_and_undone_whole(home: Path, shop: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"model": "opus"}\n')
    with wisen.open_learner() as learner:
        learner.proposals.answer(rule(learner).id, Answer.APPROVED)
        learner.install.add("claude-code")
        made = [each.id for each in learner.changes.all().changes if each.why.startswith("hooks of")]
        assert len(made) > 1, "several changes are made by one install"
        assert "installed wisen into claude-code" in learner.changes.undo().words
        assert settings.read_text() == '{"model": "opus"}\n'
        assert {learner.changes.all().fates[each] for each in made} == {ChangeFate.UNDONE}
        assert learner.changes.undo(dry_run=True).words.startswith("approved “"), "the one before is the last now"


@pytest.mark.requirement("S6")
def test_undone_twice_goes_to_the_decision_before_and_then_there_is_nothing(shop: Path) -> None:
    with wisen.open_learner() as learner:
        learner.rules.add("Write commit messages in English.")
        learner.proposals.answer(rule(learner).id, Answer.APPROVED)
        assert learner.changes.undo().words.startswith("approved")
        assert learner.changes.undo().words == "added the rule “Write commit messages in English.”"
        assert not any(each.status is EntryStatus.PROMOTED for each in learner.lessons.all())
        with pytest.raises(UsageError, match="nothing to undo"):
            learner.changes.undo()
        assert [each.is_undone for each in learner.changes.decisions()] == [True, True]


@pytest.mark.requirement("S6")
def test_a_decision_is_found_by_its_short_id_its_change_and_its_proposal(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        learner.proposals.answer(proposal.id, Answer.APPROVED)
        learner.rules.add("Write commit messages in English.")
        wanted = learner.changes.decisions()[0]
        (change,) = wanted.changes
        for name in (short_id(wanted.id), wanted.id, change, change[:20], proposal.id, short_id(proposal.id)):
            assert learner.changes.decision(name) == wanted, name
        learner.changes.undo(short_id(wanted.id))
        assert (shop / "CLAUDE.md").read_text() == OWN
        with pytest.raises(UsageError, match="already undone"):
            learner.changes.undo(wanted.id)
        with pytest.raises(UsageError, match="No decision has the id 'nosuch'"):
            learner.changes.undo("nosuch")


@pytest.mark.requirement("S6")
def test_what_was_decided_before_decisions_were_noted_is_undone_as_one(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        learner.proposals.answer(proposal.id, Answer.APPROVED)
    with closing(app.wire().ledger()) as ledger:
        ledger.removal.remove(
            [each for each in ledger.moves.all(include_undone=True) if each.kind is MoveKind.DECISION]
        )
    with wisen.open_learner() as learner:
        learner.changes.undo()
        assert (shop / "CLAUDE.md").read_text() == OWN
        assert status(learner, proposal.entry) is EntryStatus.PENDING
        assert learner.proposals.get(proposal.id).is_waiting


@pytest.mark.requirement("S6")
def test_what_policy_did_is_named_and_not_done_again_when_it_was_undone(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        learner.proposals.answer(proposal.id, Answer.APPROVED, by=Actor.WISEN)
        assert learner.changes.undo().words == f"by itself: approved “{proposal.text}” into CLAUDE.md"
        assert learner.proposals.get(proposal.id).is_waiting
        learner.proposals.apply_by_policy()
        assert (shop / "CLAUDE.md").read_text() == OWN


@pytest.mark.requirement("S6")
def test_no_agent_undoes_anything(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with wisen.open_learner() as learner:
        learner.proposals.answer(rule(learner).id, Answer.APPROVED)
    nobody = NotAPerson("an agent runs this", "claude-code")
    monkeypatch.setattr(app.Wiring, "presence", lambda _: FixedPresence(nobody))
    with wisen.open_learner() as learner:
        with pytest.raises(PersonNeeded):
            learner.changes.undo()
        assert "pnpm" in (shop / "CLAUDE.md").read_text()


@pytest.mark.requirement("N8")
def test_a_forgotten_rule_leaves_no_decision_that_brings_it_back(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        learner.proposals.answer(proposal.id, Answer.APPROVED)
        learner.changes.undo()
        learner.proposals.answer(proposal.id, Answer.APPROVED)
        learner.forgetting.forget("pnpm", scope="*")
        assert learner.changes.decisions() == ()
        with pytest.raises(UsageError, match="nothing to undo"):
            learner.changes.undo()


@pytest.mark.requirement("S6")
def test_the_command_names_the_decision_and_asks(shop: Path) -> None:
    with wisen.open_learner() as learner:
        proposal = rule(learner)
        learner.proposals.answer(proposal.id, Answer.APPROVED)
    for typed in ("", "n\n"):
        shown = run("undo", expect=1, stdin=typed).stdout
        assert f"Undo: approved “{proposal.text}” into CLAUDE.md, just now? [y/N]" in shown
        assert "Nothing was undone" in shown
    answer = json.loads(run("undo", "--json", expect=1).stdout)
    assert (answer["undone"], answer["did"], answer["words"][:8]) == (False, "approved", "approved")
    assert "pnpm" in (shop / "CLAUDE.md").read_text()
    listed = run("undo", "--list").stdout
    assert f"{answer['short']}  approved “{proposal.text}” into CLAUDE.md" in listed
    assert "Undone: approved" in run("undo", answer["short"], stdin="y\n").stdout
    assert (shop / "CLAUDE.md").read_text() == OWN
