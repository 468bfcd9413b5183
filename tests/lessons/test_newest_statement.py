"""The user's newest explicit statement wins over what was repeated more often, approved before, or read later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.commands import run
from tests.stated_lessons import TeachingUser
from wisen import app
from wisen.model.entry import Actor, Answer, EntryOrigin, MoveKind
from wisen.model.guard import Guard, GuardSource, Mode, guard_id, guard_states
from wisen.testing.entries_contract import an_entry, an_occurrence

if TYPE_CHECKING:
    from pathlib import Path

BUN = "from now on use bun, not pnpm"
NEWEST = "use bun, not pnpm"
"""The part that is delivered, however it begins."""


@pytest.fixture
def shop(home: Path) -> TeachingUser:
    """A home with a project."""
    return TeachingUser(home)


def is_delivered(lines: list[str], words: str) -> bool:
    return any(words in line for line in lines)


def say_pnpm_three_times(shop: TeachingUser, project: str = "shop") -> None:
    for day in (3, 2, 1):
        shop.say("no, always use pnpm, not npm", minutes=-1440 * day, project=project)
    shop.cycle()


@pytest.mark.requirement("S9", "N5")
def test_what_was_said_three_times_gives_way_to_what_was_said_last_and_back(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    assert is_delivered(shop.advice(), "always use pnpm, not npm")
    shop.say(BUN, minutes=-60)
    shop.cycle()
    (line,) = shop.advice()
    assert NEWEST in line
    (proposal,) = shop.proposals()
    assert NEWEST in proposal.text
    old, new = shop.entry("lways use pnpm"), shop.entry(NEWEST)
    assert (old.superseded_by, new.superseded_by) == (new.entry.id, "")
    assert any(new.entry.name in move.why for move in shop.decisions(old)), "the history tells by what"
    assert new.entry.name in run("entries", "show", old.entry.name).stdout
    assert "supersede" in run("review").stdout
    shop.say("go back: always use pnpm, not npm", minutes=-30)
    shop.cycle()
    (line,) = shop.advice()
    assert "lways use pnpm, not npm" in line
    assert shop.entry(NEWEST).superseded_by


@pytest.mark.requirement("N5")
def test_a_conflict_and_what_came_of_it_is_a_line_of_the_corrections(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    shop.say(BUN, minutes=-60)
    shop.cycle()
    (page,) = (shop.home / "wisen" / "contexts").glob("*/corrections.md")
    (line,) = [each for each in page.read_text().splitlines() if "<!-- wisen:C-" in each]
    assert "pnpm, not npm" in line
    assert "the latter was stated later and is in force" in line
    before = page.read_bytes()
    shop.cycle()
    assert page.read_bytes() == before, "it is no edit of the user's, and is written once"
    assert not [each for each in shop.proposals() if each.words]


def test_other_words_for_the_way_back_are_the_newest_word_too(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    shop.say(BUN, minutes=-60)
    shop.say("from now on use pnpm again, not bun", minutes=-30)
    shop.cycle()
    (line,) = shop.advice()
    assert "pnpm again, not bun" in line


def test_a_log_that_is_read_later_does_not_make_an_older_word_win(shop: TeachingUser) -> None:
    shop.say(BUN, minutes=-60)
    shop.cycle()
    say_pnpm_three_times(shop)
    (line,) = shop.advice()
    assert NEWEST in line
    assert shop.entry("lways use pnpm, not npm").superseded_by


def test_what_is_asked_for_only_this_time_takes_the_place_of_nothing(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    shop.approve("pnpm")
    shop.say("use npm, not pnpm, just this once", minutes=5)
    shop.say("for now use npm, not pnpm", minutes=6)
    shop.cycle()
    assert not shop.entry("lways use pnpm, not npm").superseded_by


@pytest.mark.requirement("S6", "S9")
def test_where_the_old_word_is_in_a_file_the_change_is_proposed_and_the_newest_delivered_until_then(
    shop: TeachingUser,
) -> None:
    claude = shop.project() / "CLAUDE.md"
    claude.write_text("# Shop\n\nMine.\n")
    say_pnpm_three_times(shop)
    assert shop.approve("pnpm") == claude
    mine = claude.read_text()
    assert "- Always use pnpm, not npm <!-- wisen:R-" in mine
    shop.say(BUN, minutes=5)
    shop.cycle()
    (line,) = shop.advice()
    assert NEWEST in line
    assert claude.read_text() == mine, "nothing is written without a yes"
    (proposal,) = shop.proposals()
    assert proposal.path == str(claude)
    assert NEWEST in proposal.text
    assert "Always use pnpm, not npm" in proposal.why
    shown = run("proposals", "show", "1").stdout
    assert "-- Always use pnpm, not npm <!-- wisen:R-" in shown
    assert f"{NEWEST} <!-- wisen:R-" in shown
    shop.cycle()
    assert len(shop.proposals()) == 1, "it is asked once"
    shop.answer(proposal)
    assert claude.read_text().count("wisen:R-") == 1
    assert f"{NEWEST} <!-- wisen:R-" in claude.read_text()
    assert claude.read_text().startswith("# Shop\n\nMine.\n")
    rules = run("rules", "--all").stdout
    assert "superseded" in rules
    assert NEWEST in rules
    shop.cycle()
    assert shop.proposals() == []
    assert not is_delivered(shop.advice(), "pnpm, not npm")
    run("undo", "--yes")
    assert claude.read_text() == mine


def test_who_refuses_the_change_of_the_file_keeps_the_old_word(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    claude = shop.approve("pnpm")
    shop.say(BUN, minutes=5)
    shop.cycle()
    (proposal,) = shop.proposals()
    shop.answer(proposal, Answer.REJECTED)
    shop.cycle()
    assert "Always use pnpm, not npm" in claude.read_text()
    assert not shop.entry("lways use pnpm, not npm").is_over
    assert shop.proposals() == []
    assert not is_delivered(shop.advice(), "bun")


def test_back_and_forth_with_a_file_ends_with_the_last_word(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    claude = shop.approve("pnpm")
    shop.say(BUN, minutes=5)
    shop.cycle()
    shop.approve("bun")
    shop.say("no, always use pnpm, not npm, and not bun", minutes=600)
    shop.cycle()
    (proposal,) = shop.proposals()
    assert "pnpm" in proposal.text
    assert is_delivered(shop.advice(), "lways use pnpm")
    assert not is_delivered(shop.advice(), NEWEST)
    shop.answer(proposal)
    assert claude.read_text().count("wisen:R-") == 1
    assert "lways use pnpm" in claude.read_text()


def test_a_newer_word_of_a_project_wins_there_over_what_holds_everywhere(shop: TeachingUser) -> None:
    shop.project("shop"), shop.project("bakery")
    shop.say("hello", minutes=-90, project="bakery")
    shop.say("hello", minutes=-90)
    shop.cycle()
    run("rules", "add", "Use pnpm, not npm.", "--global")
    shop.say(BUN, minutes=5)
    shop.cycle()
    assert is_delivered(shop.advice("bakery"), "Use pnpm, not npm.")
    assert is_delivered(shop.advice(), NEWEST)
    assert not is_delivered(shop.advice(), "Use pnpm, not npm.")
    assert not [each for each in shop.proposals() if each.words], "nobody is asked"
    shop.say("no, use pnpm, not npm", minutes=10)
    shop.cycle()
    assert is_delivered(shop.advice(), "Use pnpm, not npm."), "it was said here, later"
    assert not is_delivered(shop.advice(), "bun")


@pytest.mark.requirement("N5")
def test_a_newer_word_for_all_projects_is_asked_about_once_where_a_project_has_a_rule(shop: TeachingUser) -> None:
    shop.say("hello", minutes=-90, project="bakery")
    say_pnpm_three_times(shop)
    claude = shop.approve("pnpm")
    run("rules", "add", "Use bun, not pnpm.", "--global")
    shop.cycle()
    assert is_delivered(shop.advice("bakery"), "Use bun, not pnpm.")
    assert not is_delivered(shop.advice(), "bun"), "meanwhile the file delivers the project's rule"
    (question,) = [each for each in shop.proposals() if each.words]
    assert "Use bun, not pnpm." in question.text
    assert "lways use pnpm, not npm" in question.text
    run("proposals", "reject", question.id)
    shop.cycle()
    assert not [each for each in shop.proposals() if each.words], "once"
    assert not shop.entry("lways use pnpm, not npm").superseded_by
    run(*question.words)
    shop.cycle()
    assert is_delivered(shop.advice(), "Use bun, not pnpm.")
    shop.approve("bun")
    assert "Use bun, not pnpm." in claude.read_text()
    assert "pnpm, not npm" not in claude.read_text()


def test_two_projects_do_not_hear_of_each_others_words(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    shop.say(BUN, minutes=5, project="bakery")
    shop.cycle()
    assert is_delivered(shop.advice(), "pnpm, not npm")
    assert is_delivered(shop.advice("bakery"), "bun")
    assert not shop.entry("lways use pnpm, not npm").superseded_by


@pytest.mark.requirement("X3")
def test_a_guard_of_a_superseded_rule_only_looks_on_until_its_rule_stands_again(shop: TeachingUser) -> None:
    say_pnpm_three_times(shop)
    rule = shop.entry("lways use pnpm").entry
    watch = "shell: npm"
    with app.wire().learner(reads=False) as learner:
        ledger, factory = learner.home.ledger, learner.home.row_factory
        guard = Guard(
            id=guard_id(rule.context, watch),
            version="1",
            machine=factory.machine,
            at=factory.clock.now(),
            context=rule.context,
            watch=watch,
            better="pnpm",
            reason="said so",
            source=GuardSource.RULE,
            of=rule.id,
        )
        ledger.entries.record([guard, factory.build_move(guard.id, MoveKind.GUARD, Mode.DENY, by=Actor.USER)])

    def mode() -> tuple[Mode, str]:
        with app.wire().learner(reads=False) as learner:
            (state,) = guard_states(learner.home.ledger.guards.all(), learner.home.ledger.moves.all())
            return state.mode, state.why

    shop.say(BUN, minutes=-60)
    shop.cycle()
    assert mode()[0] is Mode.SHADOW
    assert shop.entry(NEWEST).entry.name in mode()[1]
    shop.say("no, always use pnpm, not npm", minutes=-30)
    shop.cycle()
    assert mode()[0] is Mode.DENY


@pytest.mark.requirement("N5", "S9")
def test_of_two_opposites_that_nobody_stated_and_that_weigh_the_same_one_question_is_asked(shop: TeachingUser) -> None:
    shop.project()
    with app.wire().learner() as learner:
        ledger, at = learner.home.ledger, learner.home.clock.now()
        for id_, name, text in (("01A", "LRN-A", "Use pnpm, not npm."), ("01B", "LRN-B", "Use npm, not pnpm.")):
            entry = structs.replace(an_entry(durable=0.1), id=id_, name=name, summary=text, origin=EntryOrigin.LOGGED)
            seen = structs.replace(an_occurrence(f"o{id_}", id_), at=at)
            ledger.entries.record([entry, seen])
        ledger.entries.record([learner.home.row_factory.build_move("01B", MoveKind.CONFLICT, "01A")])
    shop.cycle()
    shop.cycle()
    (question,) = shop.proposals()
    assert question.words == ("entries", "supersede", "LRN-A", "LRN-B")
    assert "neither is proposed" in question.why
    assert not is_delivered(shop.advice(), "pnpm"), "neither is delivered until it is answered"
    shop.answer(question, Answer.REJECTED)
    shop.cycle()
    assert shop.proposals() == [], "it is asked once"
    run("entries", "supersede", "LRN-A", "LRN-B")
    shop.cycle()
    assert shop.entry("Use pnpm, not npm").superseded_by == "01B"
