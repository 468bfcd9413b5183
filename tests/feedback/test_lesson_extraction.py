"""Lesson extraction: what a correction asks for, in the user's own words, and what it is about."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.feedback.detector import detect
from wisen.feedback.lesson_extraction import count_groups, count_orders, lesson_text, split_sentences, topic_of
from wisen.model.signal import LessonTopic, Polarity, SignalKind, TypedTurn


@pytest.mark.parametrize(
    ("message", "learnt"),
    [
        ("No, that's wrong. Use port 8080 instead of 3000 please", "Use port 8080 instead of 3000."),
        ("no, use pnpm, not npm. always.", "Use pnpm, not npm. always."),
        (
            "I told you to use pnpm, not npm, for this repository",
            "I told you to use pnpm, not npm, for this repository.",
        ),
        ("Please make the layout more compact, that was wrong", "Please make the layout more compact, that was wrong."),
        ("oh, please don't amend commits", "Please don't amend commits."),
        ("can we not commit the docs?", "Can we not commit the docs?"),
        ("couldn't we simply diff against the base?", "couldn't we simply diff against the base?"),
        ("let's not add a dependency for this", "Let's not add a dependency for this."),
        ("I didn't ask you to push anything", "I didn't ask you to push anything."),
        ("why not use the helper in text.py?", "Why not use the helper in text.py?"),
        ("don't forget to run the linter", "Don't forget to run the linter."),
        ("we should never log tokens", "We should never log tokens."),
        ("hmm, what is this? use the Edit tool", "Use the Edit tool."),
        ("wait, let's discuss", "wait, let's discuss."),
        ("remove this too; we have no such trailer anymore", "Remove this too; we have no such trailer anymore."),
        ("isn't it only a message?", "Isn't it only a message?"),
    ],
)
def test_a_lesson_says_what_to_do_in_the_users_words(message: str, learnt: str) -> None:
    assert lesson_text(message) == learnt


@pytest.mark.parametrize("tail", [" please", ", Thanks!", " :)", " —", " , thank you."])
@pytest.mark.parametrize("name", ["table", "täble"])
def test_thanks_at_the_end_of_a_sentence_are_left_out(name: str, tail: str) -> None:
    assert lesson_text(f"use the other {name}{tail}") == f"Use the other {name}."


@pytest.mark.parametrize("tail", ["for now.", "again!", "this is wrong.", "NOW!", "I think."])
def test_what_limits_or_stresses_a_lesson_stays(tail: str) -> None:
    assert lesson_text(f"use the other table, {tail}") == f"Use the other table, {tail}"


@pytest.mark.parametrize("message", ["👎", "that was wrong", "you misunderstood", "no no no", "stop", "", "  \n"])
def test_where_only_something_is_wrong_there_is_no_lesson(message: str) -> None:
    assert lesson_text(message) == ""


def test_pasted_output_is_not_the_lesson() -> None:
    message = "```\nuse this\n```\nerror.go:12: please use that\nsort the list by name, not by date"
    assert lesson_text(message) == "Sort the list by name, not by date."


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("Do not amend commits.", LessonTopic.COMMAND),
        ("Run it as `acme deploy --dry`.", LessonTopic.COMMAND),
        ("Use British spelling.", LessonTopic.STYLE),
        ("Do this in a subagent.", LessonTopic.TOOL),
        ("Never edit migrations/0001.sql by hand.", LessonTopic.FILE),
        ("The id is only known to the server.", LessonTopic.FACT),
    ],
)
def test_a_lesson_is_about_something(text: str, of: LessonTopic) -> None:
    assert topic_of(text, count_groups(text)) is of


def test_corrections_and_preferences_carry_a_lesson_and_every_signal_a_polarity() -> None:
    (correction,) = detect(TypedTurn(text="No, that's wrong. Use port 8080 instead of 3000 please"))
    assert correction.lesson is not None
    assert correction.lesson.text == "Use port 8080 instead of 3000"
    assert correction.polarity is Polarity.AGAINST
    (praise,) = detect(TypedTurn(text="👍"))
    assert (praise.lesson, praise.polarity) == (None, Polarity.FOR)
    never = {each.kind: each for each in detect(TypedTurn(text="from now on, never push to main without asking me"))}
    assert never[SignalKind.PREFERENCE].polarity is Polarity.AGAINST


def test_only_what_says_so_itself_stands() -> None:
    def stands(text: str) -> list[bool]:
        return [each.lesson.standing for each in detect(TypedTurn(text=text)) if each.lesson]

    assert stands("no, never commit without asking me first") == [True]
    assert stands("no, use fixtures instead of mocks") == [False]
    assert stands("no, that commit was wrong") == []
    assert stands("no, the button is still missing on line 12") == []


@given(st.text(max_size=400))
def test_any_text_gives_a_lesson_of_one_line_or_none(text: str) -> None:
    drawn = lesson_text(text)
    assert drawn == "" or ("\n" not in drawn and drawn.strip())
    assert drawn == lesson_text(text)
    topic_of(drawn, count_groups(drawn))


ordering = st.lists(
    st.sampled_from([*"use do not can we ; . ? ! - 1. (x) don't please, \n \n\n ) ' İ \0".split(" "), "the table"]),
    max_size=14,
).map(" ".join)


@given(st.lists(ordering, min_size=1, max_size=5))
def test_sentences_that_are_looked_through_in_one_go_show_what_each_shows_by_itself(parts: list[str]) -> None:
    assert count_orders(parts) == [count_orders([part])[0] for part in parts]


@given(ordering.map(lambda text: f"{text}. \n{text}; x"))
def test_a_text_is_parted_behind_sentences_and_at_lines_and_semicolons(text: str) -> None:
    marked = re.sub(r"(?<=[\w)\]\"'`][.!?])\s+(?=\S)|;\s+|\n+", "\n", text)
    assert [part.text for part in split_sentences(text) if part.text[-1:].isalnum()] == [
        part
        for line in marked.split("\n")
        if (part := re.sub(r"^\s*(?:[-*•>+]|\d{1,2}[.)]|[a-zA-Z]\))\s+", "", line).strip()) and part[-1:].isalnum()
    ]


def test_the_cost_of_a_long_text_is_bounded() -> None:
    long = "can we please use the other one, not this; " * 50_000
    assert lesson_text(long) == lesson_text(long[:1_000])
