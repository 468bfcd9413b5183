"""When a lesson becomes global: by the user's statement or after approval in two projects, never automatically."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from tests.edits.fake_files import MemoryFiles
from wisen.edits.permission import PromotePolicy
from wisen.edits.targets import Target, global_target
from wisen.lessons.global_scope import is_for_all_projects, source_sentence
from wisen.model.entry import Actor, Answer, Entry, EntryStatus, Move, MoveKind, Proposal
from wisen.model.entry_state import EntryState, ProposalState, fold_entry_states
from wisen.proposals.global_candidates import find_global_candidates
from wisen.proposals.propose import find_expired, make_proposals
from wisen.rules.rule_answers import GivenAnswer, answer_rows, rule_entry
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import a_proposal, an_entry
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON

ROW_FACTORY = RowFactory(FixedClock(NOON), CountingIds(), "desk")


def entry_states(*rows: Entry | Move) -> tuple[EntryState, ...]:
    entries = [row for row in rows if isinstance(row, Entry)]
    return fold_entry_states(entries, (), [row for row in rows if isinstance(row, Move)])


def promotion_of(id_: str) -> Move:
    return ROW_FACTORY.build_move(id_, MoveKind.STATUS, EntryStatus.PROMOTED)


def proposal_for(context: str) -> Proposal:
    return structs.replace(a_proposal("01P", "01A"), context=context)


SHOP = an_entry("01A", context="shop", summary="Use pnpm, not npm.", details="the shop's own words", standing=True)
MILL = an_entry("01B", context="mill", summary="Always use pnpm and not npm.")


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    "sentence",
    [
        "Use pnpm in all my projects, not npm.",
        "Please use pnpm everywhere, not npm.",
        "In every repo, write commit messages in English.",
        "Globally, prefer ruff over flake8.",
        "Never commit to main, in any of my projects.",
        "always use tabs everywhere",
        "Across our repositories the branch is called trunk.",
    ],
)
def test_a_sentence_says_that_it_holds_in_all_projects(sentence: str) -> None:
    assert is_for_all_projects(sentence)


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    "sentence",
    [
        "Use pnpm, not npm.",
        "no, rename it everywhere",
        "never install packages globally",
        "I use yarn in all my other projects, but use pnpm here",
        "In all projects except this one use tabs.",
        "Use tabs everywhere in this project.",
        "There are hooks everywhere in the code.",
        "Not in every repo.",
    ],
)
def test_a_sentence_that_speaks_of_one_project_or_of_a_piece_of_work_does_not(sentence: str) -> None:
    assert not is_for_all_projects(sentence)


def test_only_the_sentence_that_teaches_is_asked() -> None:
    text = "In all my projects the CI is slow. Use pnpm, not npm."
    assert source_sentence(text, "Use pnpm, not npm; In all my projects the CI is slow.") == "Use pnpm, not npm."
    assert not is_for_all_projects(source_sentence(text, "Use pnpm, not npm."))


@pytest.mark.requirement("S5")
def test_one_rule_of_one_project_holds_nowhere_else() -> None:
    assert find_global_candidates(entry_states(SHOP, MILL)) == {}
    assert find_global_candidates(entry_states(SHOP, MILL, promotion_of("01A"))) == {}
    again = an_entry("01C", context="shop", summary="Always use pnpm and not npm.")
    assert find_global_candidates(entry_states(SHOP, again, promotion_of("01A"), promotion_of("01C"))) == {}
    outside = an_entry("01D", context="-")
    assert find_global_candidates(entry_states(SHOP, outside, promotion_of("01A"), promotion_of("01D"))) == {}


@pytest.mark.requirement("S5")
def test_the_same_rule_of_two_projects_may_hold_everywhere_and_only_one_of_them_is_asked_about() -> None:
    rows = (SHOP, MILL, promotion_of("01A"), ROW_FACTORY.build_move("01B", MoveKind.CONFIRM))
    assert find_global_candidates(entry_states(*rows)) == {"01A": 2}
    third = an_entry("01C", context="farm", summary="Use npm, not pnpm.")
    assert find_global_candidates(entry_states(*rows, third)) == {}
    there = an_entry("01D", context="")
    assert find_global_candidates(entry_states(*rows, there)) == {}
    assert (
        find_global_candidates(
            entry_states(*rows, there, ROW_FACTORY.build_move("01D", MoveKind.STATUS, EntryStatus.WONT_FIX))
        )
        == {}
    )


def offer(*rows: Entry | Move, before: tuple[ProposalState, ...] = ()) -> list[tuple[str, str, str]]:
    target = lambda _, __, scope: Target(f"/{scope or 'home'}/CLAUDE.md", "Rules")  # noqa: E731 - one line
    made = make_proposals(entry_states(*rows), lambda _: (), before, target, PromotePolicy(), ROW_FACTORY)
    return [(each.entry, each.context, each.path) for each in made]


@pytest.mark.requirement("S5", "S6")
def test_what_may_hold_everywhere_is_proposed_for_the_users_own_file() -> None:
    move = ROW_FACTORY.build_move("01A", MoveKind.EVERYWHERE)
    assert offer(SHOP) == [("01A", "shop", "/shop/CLAUDE.md")]
    assert offer(SHOP, move) == [("01A", "", "/home/CLAUDE.md")]
    rows = (SHOP, MILL, promotion_of("01A"), promotion_of("01B"))
    assert offer(*rows) == [("01A", "", "/home/CLAUDE.md")]
    local = ProposalState(proposal_for("shop"), Answer.APPROVED, NOON)
    assert offer(*rows, before=(local,)) == [("01A", "", "/home/CLAUDE.md")]
    refused = ProposalState(proposal_for(""), Answer.REJECTED, NOON)
    assert offer(*rows, before=(refused,)) == []
    waiting = ProposalState(proposal_for(""), None, NOON)
    assert offer(*rows, before=(waiting,)) == []
    assert find_expired((waiting,), entry_states(*rows), NOON, PromotePolicy()) == []


@pytest.mark.requirement("S6")
def test_an_approved_rule_of_a_project_gets_an_entry_of_its_own_for_everywhere_without_what_else_was_said() -> None:
    (state, _) = entry_states(SHOP, MILL, promotion_of("01A"), promotion_of("01B"))
    wide = proposal_for("")
    rule = rule_entry(wide, state, lambda _: "LRN-1", ROW_FACTORY)
    assert (rule.context, rule.details, rule.summary, rule.id == "01A") == ("", "", "Use pnpm, not npm.", False)
    rows = answer_rows(wide, state, rule, GivenAnswer(Answer.APPROVED, wide.text, Actor.USER), ROW_FACTORY)
    after = {each.entry.id: each for each in entry_states(SHOP, promotion_of("01A"), *rows)}
    assert (after["01A"].context, after["01A"].status) == ("shop", EntryStatus.PROMOTED)
    assert (after[rule.id].context, after[rule.id].status) == ("", EntryStatus.PROMOTED)
    (only,) = answer_rows(wide, state, rule, GivenAnswer(Answer.REJECTED, wide.text, Actor.USER), ROW_FACTORY)
    assert isinstance(only, Move)
    assert only.subject == wide.id


@pytest.mark.requirement("S6")
def test_what_is_no_rule_yet_moves_to_everywhere_when_that_is_approved() -> None:
    (state,) = entry_states(SHOP, ROW_FACTORY.build_move("01A", MoveKind.EVERYWHERE))
    wide = proposal_for("")
    rule = rule_entry(wide, state, lambda _: "LRN-1", ROW_FACTORY)
    rows = answer_rows(wide, state, rule, GivenAnswer(Answer.APPROVED, wide.text, Actor.USER), ROW_FACTORY)
    (after,) = entry_states(SHOP, *rows)
    assert (after.entry.id, after.context, after.status) == ("01A", "", EntryStatus.PROMOTED)


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    ("agent", "name"), [("claude-code", "CLAUDE.md"), ("codex", "AGENTS.md"), ("openclaw", "MEMORY.md")]
)
def test_each_agent_has_a_file_of_the_user(agent: str, name: str, tmp_path: Path) -> None:
    assert global_target(SHOP, agent, str(tmp_path), MemoryFiles()).path == str(tmp_path / name)
