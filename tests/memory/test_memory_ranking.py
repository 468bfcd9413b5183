"""Memories: search words, ranking, replacement, collection, and the briefing for a task."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from benchmarks.secret_formats import draw_value
from hypothesis import given
from hypothesis import strategies as st

from wisen.kernel.unspaced_scripts import letter_pairs
from wisen.memory.briefing import MAX_WORKFLOWS, build_briefing
from wisen.memory.build_memories import memories_of_notebooks, memories_of_session, split_markdown
from wisen.memory.ranking import group, rank
from wisen.memory.replaced_memories import demote_replaced
from wisen.memory.search_words import day_words, index_text, query_words, words_of
from wisen.model.event import Status
from wisen.model.external_memory import ExternalMemoryFile
from wisen.model.failure import Ending, Goal
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.memory import DEFAULT_WEIGHTS, Memory, MemoryHit, MemoryKind, MemoryQuery, RankedMemory
from wisen.testing.fake_memories import PlainMemories
from wisen.testing.log_writer import NOON
from wisen.text.tokens import estimate_tokens

pytestmark = pytest.mark.requirement("S15")

DAY = timedelta(days=1)


def memory(id_: str, text: str = "text", **more: object) -> Memory:
    return Memory(id=id_, kind=MemoryKind.TURN, text=text, origin="o")._replace(**more)  # type: ignore[arg-type]


def hit(id_: str, score: float, text: str = "text", **more: object) -> MemoryHit:
    return MemoryHit(memory(id_, text, **more), score)


# Words


def test_words_that_say_nothing_are_not_looked_for_unless_there_are_no_others() -> None:
    assert query_words("What did we decide about the database?") == ("decide", "database")
    assert query_words("who are you") == ("who", "are", "you")
    assert query_words("?!") == ()


def test_a_quoted_phrase_is_looked_for_as_it_stands() -> None:
    assert query_words('where is "blue green" deploy') == ("blue green", "blue", "green", "deploy")


def test_scripts_without_spaces_are_looked_for_by_pairs() -> None:
    assert query_words("数据库迁移") == ("数据", "据库", "库迁", "迁移")
    assert query_words("库") == ("库",)
    assert set(letter_pairs("数据库")) >= set(query_words("数据库"))
    assert "デー" in index_text("テストデータ").split()


def test_names_of_code_are_found_by_their_parts() -> None:
    assert "Session" in index_text("see getSessionLog in the code").split()
    assert set(query_words("getSessionLog")) >= {"getsessionlog", "session", "log"}


def test_a_day_is_found_in_the_words_people_use() -> None:
    assert {"2026-01-15", "january", "2026"} <= set(day_words(NOON.replace(year=2026, month=1, day=15)).split())


@given(st.text(max_size=200))
def test_any_text_can_be_indexed_and_asked_for(text: str) -> None:
    index_text(text)
    store = PlainMemories()
    one = memory("m", text)
    store.replace({"o": [(one, words_of(one))]})
    store.find(MemoryQuery(query_words(text)), DEFAULT_WEIGHTS)


# Ranking


def test_a_session_that_answers_as_a_whole_lifts_its_memories() -> None:
    alone = [hit("a", 2.0, agent="x", session="1")]
    together = [hit(name, 1.9, agent="x", session="2") for name in "bcd"]
    assert [each.memory.id for each in rank(alone + together, now=NOON)][:3] == ["b", "c", "d"]
    assert [each.key for each in group(rank(alone + together, now=NOON))] == ["x:2", "x:1"]


def test_of_two_that_match_alike_the_newer_the_more_used_and_the_nearer_come_first() -> None:
    old, new = hit("old", 1.0, at=NOON - 300 * DAY), hit("new", 1.0, at=NOON)
    assert rank([old, new], now=NOON)[0].memory.id == "new"
    rare, often = hit("rare", 1.0, uses=1), hit("often", 1.0, uses=8)
    assert rank([rare, often], now=NOON)[0].memory.id == "often"
    there, here = hit("there", 1.0, context="b"), hit("here", 1.0, context="a")
    assert rank([there, here], now=NOON, here="a")[0].memory.id == "here"


def test_a_rule_comes_before_a_turn_and_what_others_noted_behind_it() -> None:
    kinds = [hit(kind.value, 1.0, kind=kind) for kind in (MemoryKind.IMPORTED, MemoryKind.TURN, MemoryKind.RULE)]
    assert [each.memory.id for each in rank(kinds, now=NOON)] == ["rule", "turn", "imported"]


def test_nothing_found_is_nothing_ranked() -> None:
    assert rank([], now=NOON) == []
    assert demote_replaced(group([])) == []


# What was replaced


def in_order(*texts: tuple[str, float], gap: int = 30) -> list[str]:
    """Return the ids of the texts, oldest first, as shown; a replaced one has a dash."""
    hits = [
        hit(str(number), score, text, agent="x", session=str(number), at=NOON + gap * number * DAY)
        for number, (text, score) in enumerate(texts)
    ]
    shown = demote_replaced(group(rank(hits, now=NOON)))
    return [f"{each.best.id}{'-' if each.replaced_by else ''}" for each in shown]


def test_a_decision_that_was_amended_comes_behind_the_amendment() -> None:
    assert in_order(
        ("Invoices are rounded half up, per line, before tax is added.", 5.0),
        ("Amendment to the rounding of invoices: round once, on the total after tax.", 3.0),
    ) == ["1", "0-"]


def test_the_opposite_said_later_replaces_what_was_said() -> None:
    assert in_order(("Use npm, not pnpm.", 3.0), ("Use pnpm, not npm.", 2.9)) == ["1", "0-"]


def test_an_amendment_of_something_else_replaces_nothing() -> None:
    assert in_order(
        ("Invoices are rounded half up, per line, before tax is added.", 5.0),
        ("Amendment to the holiday calendar: offices close on Friday.", 3.0),
    ) == ["0", "1"]


def test_to_amend_a_commit_amends_no_decision() -> None:
    assert in_order(
        ("Write the changelog of the release before the commits are pushed.", 5.0),
        ("Please do not amend the pushed commits of the release.", 3.0),
    ) == ["0", "1"]


def test_what_is_older_never_replaces_what_is_newer() -> None:
    assert in_order(
        ("Amendment to the rounding of invoices: round once, on the total after tax.", 3.0),
        ("Invoices are rounded half up, per line, before tax is added.", 5.0),
    ) == ["1", "0"]


def test_an_amendment_can_be_amended() -> None:
    assert in_order(
        ("Retries stop after seven attempts in the payment client.", 5.0),
        ("Amendment: retries of the payment client stop after five attempts.", 4.0),
        ("Amendment again: retries of the payment client stop after three attempts.", 3.0),
    ) == ["2", "1-", "0-"]


# What is gathered


def session(*texts: str) -> History:
    turns = tuple(
        Turn(
            id=f"u{n}", action=UserAction.SAID, at=NOON + n * timedelta(minutes=1), text=text, before=0, context="shop"
        )
        for n, text in enumerate(texts)
    )
    return History(session=3, agent="codex", native="s3", turns=turns, steps=())


def test_each_typed_turn_is_a_memory_with_its_neighbors_and_where_it_stands() -> None:
    ((origin, found),) = memories_of_session(session("first", "second", "third"), ()).items()
    assert origin == "session:3"
    second = found[1][0]
    assert (second.text, second.beside) == ("second", "first\nthird")
    assert (second.agent, second.session, second.turn, second.context) == ("codex", "s3", 2, "shop")


def test_acts_without_words_are_no_memories() -> None:
    stopped = Turn(id="u9", action=UserAction.INTERRUPTED, at=NOON, text=None, before=0)
    withheld = Turn(id="u8", action=UserAction.SAID, at=NOON, text=None, before=0)
    history = History(session=1, agent="codex", native="s", turns=(stopped, withheld), steps=())
    assert memories_of_session(history, ()) == {"session:1": []}


def test_a_request_that_was_carried_out_is_a_workflow_with_the_steps_that_worked() -> None:
    def step(number: int, command: str, status: Status = Status.OK) -> Step:
        return Step(
            call=f"c{number}", tool="Bash", arguments=f'{{"command": "{command}"}}', status=status, text=None, at=NOON
        )

    history = History(
        session=1,
        agent="codex",
        native="s",
        turns=(Turn(id="u1", action=UserAction.SAID, at=NOON, text="release it", before=0),),
        steps=(
            step(1, "ls"),
            step(2, "npm run build", Status.FAILED),
            step(3, "pnpm build"),
            step(4, "pnpm build"),
            step(5, "pnpm test"),
        ),
    )
    goal = Goal(
        request="u1", at=NOON, ended=NOON, calls=("c1", "c2", "c3", "c4", "c5"), failed=1, ending=Ending.CHECKED
    )
    found = [each for each, _ in memories_of_session(history, [goal])["session:1"] if each.kind is MemoryKind.WORKFLOW]
    assert [each.text for each in found] == ["release it: `pnpm build`; then `pnpm test`"]


def test_a_notebook_is_found_by_its_pieces_without_secrets_and_without_our_own_lines() -> None:
    key = draw_value("ghp_{a36}", random.Random(1))
    text = (
        f"# Deploy\n\nAlways on Tuesdays.\nNever on Fridays.\n\n- use blue\n- key {key}\n"
        "- ours <!-- wisen:R-ab12 -->\n§\nlast"
    )
    assert [(heading, piece) for _, heading, piece in split_markdown(text)] == [
        ("Deploy", "Always on Tuesdays.\nNever on Fridays."),
        ("Deploy", "use blue"),
        ("Deploy", "last"),
    ]
    (found,) = memories_of_notebooks([ExternalMemoryFile("hermes", "/m/MEMORY.md", text, NOON)]).values()
    assert {each.kind for each, _ in found} == {MemoryKind.IMPORTED}
    assert found[0][0].place == "/m/MEMORY.md:3"


@given(st.text(alphabet=st.sampled_from("ab#-* \n§1.`"), max_size=80))
def test_any_text_has_pieces_whose_lines_are_where_they_say(text: str) -> None:
    lines = text.splitlines()
    for number, _, piece in split_markdown(text):
        assert piece.splitlines()[0].strip() in lines[number - 1]


# What a task is told


def rank_in_order(*memories: Memory) -> list[RankedMemory]:
    return [RankedMemory(each, 10.0 - place) for place, each in enumerate(memories)]


@pytest.mark.requirement("F9")
def test_a_briefing_cites_and_says_nothing_twice() -> None:
    made = build_briefing(
        rank_in_order(
            memory("1", "Use pnpm, not npm.", kind=MemoryKind.RULE, place="LRN-1"),
            memory("2", "use pnpm not npm", kind=MemoryKind.ENTRY, place="LRN-2"),
            memory("3", "npm: command not found; what helped: pnpm", kind=MemoryKind.FIX, place="ERR-1"),
            memory("4", "I like pnpm"),
            memory("5", "pnpm is from elsewhere", kind=MemoryKind.IMPORTED),
        )
    )
    assert [each.id for each in made.memories] == ["1", "3"]
    assert made.text == (
        "Rules:\n- Use pnpm, not npm. (LRN-1)\nKnown failures:\n- npm: command not found; what helped: pnpm (ERR-1)"
    )


@pytest.mark.requirement("F9")
def test_a_briefing_has_no_more_workflows_than_three() -> None:
    words = ["build the shop", "water plants", "paint fences", "sort letters", "count sheep"]
    many = [memory(str(n), f"{text}: `run`", kind=MemoryKind.WORKFLOW) for n, text in enumerate(words)]
    assert len(build_briefing(rank_in_order(*many)).memories) == MAX_WORKFLOWS


@pytest.mark.requirement("X6")
@given(st.lists(st.text(min_size=1, max_size=300), max_size=12), st.integers(1, 300))
def test_a_briefing_never_costs_more_than_its_budget(texts: list[str], budget: int) -> None:
    made = build_briefing(
        rank_in_order(*(memory(str(n), t, kind=MemoryKind.RULE) for n, t in enumerate(texts))), budget=budget
    )
    assert made.tokens == estimate_tokens(made.text) <= budget
    assert len(set(made.memories)) == len(made.memories)


def test_what_is_far_off_is_left_out() -> None:
    near, far = memory("near", "Use pnpm.", kind=MemoryKind.RULE), memory("far", "Paint it blue.", kind=MemoryKind.RULE)
    assert [each.id for each in build_briefing([RankedMemory(near, 9.0), RankedMemory(far, 1.0)]).memories] == ["near"]


def test_tokens_are_rather_counted_too_many() -> None:
    assert estimate_tokens("word " * 30) >= 30
    assert estimate_tokens("数据库迁移") == 5
