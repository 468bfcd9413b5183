"""How users state the rules of a project ("here", "this repo"), and repeat something more strongly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from wisen import app
from wisen.model.entry import Entry, EntryOrigin, EntrySource, EntryStatus, EntryType, MoveKind
from wisen.model.entry_state import EntryState
from wisen.model.error_boundaries import ErrorBoundaries
from wisen.store.known_entries import KnownEntries
from wisen.testing.transcripts import ClaudeTranscript
from wisen.text.standing_alone import stands_alone


class Learnt(NamedTuple):
    block: str
    """The block that is delivered at the start of a session in the project."""
    elsewhere: str
    """The same in another project."""
    proposed: list[str]
    states: tuple[EntryState, ...]


def a_session(number: int, project: Path, home: Path, words: str) -> None:
    start = datetime.now(UTC) - timedelta(days=2) + timedelta(minutes=10 * number)
    s = ClaudeTranscript(number, cwd=str(project), start=start)
    s.prompt("add the login page and run what is needed")
    s.bash("npm test", "ok")
    s.prompt(words)
    s.bash("ls", "ok")
    s.write(home / ".claude" / "projects" / project.name)


def learn(home: Path, *sessions: str) -> Learnt:
    """Each text is typed in a session of its own, one turn of the loop after the other."""
    shop, other = home / "shop", home / "other"
    shop.mkdir()
    other.mkdir()
    a_session(99, other, home, "add a footer")
    with app.wire(home / "wisen", {"HOME": str(home)}).learner() as learner:
        for number, words in enumerate(sessions, 1):
            a_session(number, shop, home, words)
            learner.learn()
        ledger = learner.home.ledger
        made, of = learner._build_snapshot(ErrorBoundaries()), dict(learner.projects.places_with_contexts())
        proposals = [each.text for each in ledger.proposals.all()]
        return Learnt(made.block(of[str(shop)]), made.block(of[str(other)]), proposals, KnownEntries(ledger).states)


@pytest.mark.requirement("N1", "N4")
@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("no, use pnpm, not npm. always.", "Use pnpm, not npm. always."),
        ("we use tabs in this repo, never spaces", "We use tabs in this repo, never spaces"),
        ("never commit directly to main here", "Never commit directly to main here"),
        ("in this project we never squash commits", "In this project we never squash commits"),
        ("we always squash, never merge commits in this team", "We always squash, never merge commits in this team"),
        ("in diesem Repo verwenden wir nur Tabs", "In diesem Repo verwenden wir nur Tabs"),
        ("aquí usamos pnpm, nunca npm", "Aquí usamos pnpm, nunca npm"),
        ("dans ce dépôt on n'utilise jamais npm", "Dans ce dépôt on n'utilise jamais npm"),
        ("このプロジェクトでは必ずpnpmを使ってください", "このプロジェクトでは必ずpnpmを使ってください"),
        ("i det här repot använder vi alltid pnpm, aldrig npm", "I det här repot använder vi alltid pnpm, aldrig npm"),
    ],
)  # fmt: skip
def test_the_rule_of_a_project_is_delivered_and_proposed_there_when_it_was_said_once(
    message: str, line: str, home: Path
) -> None:
    found = learn(home, message)
    assert message in found.block
    assert found.proposed == [line]
    assert message not in found.elsewhere


@pytest.mark.requirement("N4")
@pytest.mark.parametrize(
    "message",
    [
        "no need to run the tests after each change",
        "You added docstrings again. Please don't do that.",
        "I never said to use docker",
        "no, use npm for now",
        "can you fix this like the one above?",
    ],
)
def test_a_waiver_a_remark_and_what_is_for_now_are_not_delivered_unapproved(message: str, home: Path) -> None:
    assert "said by the user" not in learn(home, message).block.casefold()


@pytest.mark.requirement("S4", "S5")
@pytest.mark.parametrize(
    "again",
    [
        "from now on always use pnpm, not npm",
        "I told you to use pnpm, not npm",
        "use pnpm, not npm. never npm again.",
    ],
)
def test_a_lesson_that_is_said_again_more_strongly_is_proposed(again: str, home: Path) -> None:
    found = learn(home, "no, use pnpm, not npm", again)
    (state,) = found.states
    assert not state.entry.standing
    assert state.lasting
    assert found.proposed == ["Use pnpm, not npm"]


@pytest.mark.parametrize("again", ["no, use pnpm, not npm", "please use pnpm, not npm"])
def test_a_lesson_that_is_said_again_without_saying_that_it_lasts_is_proposed_and_not_yet_lasting(
    again: str, home: Path
) -> None:
    found = learn(home, "no, use pnpm, not npm", again)
    assert [state.lasting for state in found.states] == [False]
    assert "pnpm" not in found.block, "delivered when a call triggers it"
    assert found.proposed == ["Use pnpm, not npm"], "it was corrected in two sessions"


def test_an_entry_that_lost_a_negation_gets_the_words_of_the_user(home: Path) -> None:
    message = "stop using any types"
    shop = home / "shop"
    shop.mkdir()
    a_session(1, shop, home, message)
    with app.wire(home / "wisen", {"HOME": str(home)}).learner() as learner:
        learner.learn()
        ledger = learner.home.ledger
        (state,) = KnownEntries(ledger).states
        ledger.entries.record([an_old_entry(state.entry)])
        ledger.entries.record([learner.home.row_factory.build_move(state.entry.id, MoveKind.MERGE, "01OLD")])
        learner.home.index.folds.clear()  # as another version finds it
        learner.learn()
        old = next(each for each in KnownEntries(ledger).states if each.entry.id == "01OLD")
    assert (old.text, old.status) == ("stop using any types", EntryStatus.PENDING)


def an_old_entry(of: Entry) -> Entry:
    """An entry as an earlier version recorded it."""
    return Entry(
        id="01OLD",
        name="LRN-20260101-OLD",
        machine=of.machine,
        context=of.context,
        at=of.at,
        type=EntryType.LEARNING,
        category=of.category,
        summary="Using any types.",
        details=of.details,
        source=EntrySource.USER_FEEDBACK,
        origin=EntryOrigin.STATED,
        durable=of.durable,
    )


@pytest.mark.parametrize(
    "text",
    [
        "Use pnpm here.",
        "We use tabs in this repo.",
        "This project uses pnpm.",
        "Here we write commit messages in English.",
        "No emojis.",
        "不要在测试里用真实数据库。",
        "このリポジトリではタブを使う。",
        "In diesem Projekt immer Tabs.",
        "I told you to use pnpm, not npm.",
        "You keep adding emojis to commits. Stop it.",
    ],
)
def test_what_names_the_project_stands_alone(text: str) -> None:
    assert stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fix this.",
        "Do it like that.",
        "Use the one above.",
        "Put the button here.",
        "Stop right here.",
        "The header here is too big.",
        "Use this function.",
        "Change that in this file.",
        "Mach das so.",
        "不要这个",
        "Haz eso otra vez.",
    ],
)
def test_what_points_at_the_screen_does_not(text: str) -> None:
    assert not stands_alone(text)
