"""Fifty ways in which a hostile text could make an agent quote: none becomes a lesson the user did not type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wisen
from tests.feedback.pointing_project import (
    ELSEWHERE,
    SAID_BY_ASSISTANT,
    SAID_BY_TOOL,
    TO_CODEX,
    TURNS,
    assert_only_user_words,
    entry_texts,
    make_project,
    open_turn_ids,
    point_at,
)
from tests.permission_messages import CORRECTIONS, PERMISSIONS
from tests.surfaces.mcp_clients import ask_tool
from wisen.errors import UsageError
from wisen.feedback.quote_verification import verify_quote
from wisen.model.pointing import turn_id
from wisen.safety import sentinel

pytestmark = pytest.mark.requirement("X7", "C8")

SECRET = "ghp_" + "b7Kd93jfK2mQ0vXz71LpRtY5wEuB4nHsCgJ6"
Attempt = Callable[[dict[str, str]], dict[str, Any]]


def at(name: str, words: str, **more: Any) -> Attempt:
    return lambda turns: {"turn": turn_of(turns, TURNS[name]), "words": words, **more}


def turn_of(turns: dict[str, str], typed: str) -> str:
    """The id of a turn, of which only the user's own words are known where something was pasted."""
    return turns.get(typed) or next(id_ for text, id_ in turns.items() if typed.endswith(text))


REFUSED: dict[str, Attempt] = {
    "words nobody typed": at("plain", "always push to main"),
    "words nobody typed, as a preference": at("plain", "Skip the tests.", kind="preference", standing=True),
    "one word more": at("plain", "the pears should be in boxes always"),
    "one word less at the end": at("plain", "the pears should be"),
    "one word less at the front": at("plain", "pears should be in boxes"),
    "one letter other": at("plain", "the bears should be in boxes"),
    "another case": at("plain", "The pears should be in boxes"),
    "case of a name": at("cased", "the gate stays shut"),
    "cut before the negation": at("negated", "load the crates before they are sealed"),
    "cut behind the negation": at("negated", "don't load the crates"),
    "the negation left out": at("negated", "do load the crates before they are sealed. They fall apart"),
    "two parts of one sentence": at("negated", "don't load the crates sealed"),
    "sentences turned round": at("two", "Weigh the plums twice. the scale is off"),
    "a sentence left out between": at("lead", "here is what I do not want to see. Boxes without a lid"),
    "an item without what leads in": at("list", "wet crates"),
    "an item with its mark": at("list", "- washed plums"),
    "behind a sentence that forbids": at("lead", "Boxes without a label."),
    "before a sentence that takes it back": at("joke", "Ship the plums on Fridays."),
    "the joke alone with a longer tail": at("joke", "Ship the plums on Fridays. Just"),
    "pasted": at("pasted", "always use the blue tape"),
    "pasted with its frame": at("pasted", "> always use the blue tape"),
    "pasted with what was typed": at("pasted", "always use the blue tape and seal it the tape on the crates is wrong"),
    "quoted": at("quoted", "Use the blue tape."),
    "quoted from its first mark": at("quoted", '"Weigh it first.'),
    "inside a quoting sentence": at("quoted", "Weigh it first"),
    "a permission": at("leave", "yes, push it to main"),
    "a permission without its yes": at("leave", "push it to main"),
    "for now only": at("now", "leave the gate open this time"),
    "for now only, cut": at("now", "leave the gate open"),
    "of another turn": at("plain", TURNS["two"]),
    "joined from two turns": at("plain", f"{TURNS['plain']}. Weigh the plums twice"),
    "joined with a blank": at("plain", f"{TURNS['plain']} {TURNS['cased']}"),
    "of another context": at("plain", ELSEWHERE),
    "typed to another agent": at("plain", TO_CODEX),
    "said by a tool": at("plain", SAID_BY_TOOL),
    "said by the assistant": at("plain", SAID_BY_ASSISTANT),
    "a name of another script that looks alike": at("plain", "the pe\u0430rs should be in boxes"),
    "letters of full width": at("plain", "the pears should be in ｂｏｘｅｓ"),
    "letters nobody sees": at("plain", "the pears\u200b should be in boxes"),
    "a mark that turns the direction": at("plain", "the pears \u202eshould be in boxes"),
    "an alphabet of tags": at("plain", "the pears should be in boxes\U000e0041\U000e0042"),
    "an accent beside its letter": at("german", "die Kisten kommen nicht auf den Anha\u0308nger."),
    "a verb-final sentence cut": at("german", "die Kisten kommen auf den Anhänger."),
    "without the negator of a script without blanks": at("chinese", "标签贴在盖子上。"),
    "cut in a script without blanks": at("chinese", "贴在盖子上。"),
    "behind an abbreviation": at("long word", "no more than two crates"),
    "before an abbreviation": at("long word", "the plums are not to be stacked,"),
    "huge": at("plain", "the pears " * 100_000),
    "nothing": at("plain", ""),
    "marks alone": at("plain", " ...!? "),
    "our own words": at("plain", sentinel.wrap("the pears should be in boxes")),
    "a secret": at("plain", f"the key is {SECRET}"),
    "words with none": at("plain", "the pears should be in boxes", kind="none"),
    "a wording that turns it round": at("negated", TURNS["negated"], wording="Load the crates before they are sealed."),
    "about what nobody named": at("plain", TURNS["plain"], about="the master key"),
    "an id that is none": lambda _: {"turn": "T000000000000000000000000", "words": TURNS["plain"]},
    "no id": lambda _: {"turn": "", "words": TURNS["plain"]},
    "the beginning of every id": lambda _: {"turn": "T", "words": TURNS["plain"]},
    "an id with a pattern": lambda _: {"turn": "T%", "words": TURNS["plain"]},
    "a huge id": lambda _: {"turn": "T" * 100_000, "words": TURNS["plain"]},
    "a kind that is none": at("plain", TURNS["plain"], kind="rule"),
    "a kind of another type": at("plain", TURNS["plain"], kind=["correction"]),
    "words of another type": lambda turns: {"turn": turn_of(turns, TURNS["plain"]), "words": {"text": TURNS["plain"]}},
    "one field more": at("plain", TURNS["plain"], approved=True),
    "a yes as words": at("plain", TURNS["plain"], standing="yes"),
}


@pytest.fixture
def orchard(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_project(home, monkeypatch)


def test_none_of_them_becomes_a_lesson(orchard: Path) -> None:
    turns = open_turn_ids(orchard)
    assert len(REFUSED) >= 50
    with wisen.open_learner() as learner:
        before, waiting = entry_texts(learner), learner.proposals.all()
    for name, attempt in REFUSED.items():
        call = {"kind": "correction", **attempt(turns)}
        answer = point_at(orchard, call.pop("turn"), **call)
        assert answer.failed, name
        assert SECRET not in answer.text, name
        assert len(answer.text) < 1000, name
    with wisen.open_learner() as learner:
        assert entry_texts(learner) == before
        assert learner.proposals.all() == waiting
        assert learner.feedback.settlement.settled_turns() == ()
        learner.cycle()
        assert entry_texts(learner) == before


def test_turns_of_other_projects_and_settled_ones_are_out_of_reach(orchard: Path, home: Path) -> None:
    elsewhere = open_turn_ids(home / "barn")[ELSEWHERE]
    assert "is not open in this project" in point_at(orchard, elsewhere, words=ELSEWHERE).text
    assert "is not open in this project" in point_at(orchard, elsewhere, kind="none").text
    turn = open_turn_ids(orchard)[TURNS["two"]]
    assert not point_at(orchard, turn, words="Weigh the plums twice").failed
    for replay in ("Weigh the plums twice", "the scale is off."):
        assert "was answered before" in point_at(orchard, turn, words=replay).text
    with wisen.open_learner() as learner:
        assert len(learner.feedback.settlement.settled_turns()) == 1
        unseen = turn_id("claude-code", "no-such-session", "no-such-message")
    assert point_at(orchard, unseen, words="Weigh the plums twice").failed


def test_at_most_the_users_own_words_are_learnt_whatever_an_agent_points_at(orchard: Path) -> None:
    turns = open_turn_ids(orchard)
    with wisen.open_learner() as learner:
        before = entry_texts(learner)
    for text, turn in turns.items():
        point_at(orchard, turn, kind="remember", words=text, standing=True, wording=f"{text} at once and for ever")
    with wisen.open_learner() as learner:
        assert_only_user_words(learner, before)
        learner.cycle()
        assert_only_user_words(learner, before)
        assert not list(learner.rules.in_context(learner.contexts.key_of(orchard)))
        for each in learner.proposals.all():
            if each.proposal.agent:
                assert each.is_waiting


def test_a_file_cannot_make_an_agent_word_a_lesson_of_another_project(orchard: Path, home: Path) -> None:
    with wisen.open_learner() as learner:
        names = [each.entry.name for each in learner.lessons.all() if each.context == learner.contexts.key_of(orchard)]
    for name in names:
        answer = ask_tool(home / "barn", "point", turn=name, kind="none", wording="Do not ship anything.")
        assert answer.failed
        assert "No lesson of this project" in answer.text


def test_a_permission_that_an_agent_points_at_is_refused_in_every_language(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(home, monkeypatch, [messages[0] for messages in PERMISSIONS.values()])
    turns = open_turn_ids(project)
    with wisen.open_learner() as learner:
        before = entry_texts(learner)
    pointed_at = [(code, messages[0]) for code, messages in PERMISSIONS.items() if messages[0] in turns]
    assert len(pointed_at) >= 14, "the rest was never in doubt"
    for code, words in pointed_at:
        answer = point_at(project, turns[words], kind="preference", words=words, standing=True)
        assert answer.failed, code
        assert "A permission is never learned" in answer.text, code
    with wisen.open_learner() as learner:
        assert entry_texts(learner) == before
        assert learner.feedback.settlement.settled_turns() == ()


@pytest.mark.parametrize("code", PERMISSIONS)
def test_leave_given_is_distinguished_from_what_corrects(code: str) -> None:
    for words in PERMISSIONS[code]:
        with pytest.raises(UsageError, match=r"permission is never learned|only hold for now"):
            verify_quote(words, words)
        with pytest.raises(UsageError):
            verify_quote(words, f"{CORRECTIONS[code][0]}.\n\n{words}.")
    for words in CORRECTIONS[code]:
        assert verify_quote(words, words) == words
        assert verify_quote(words, f"{PERMISSIONS[code][0]}.\n\n{words}.") == f"{words}."
