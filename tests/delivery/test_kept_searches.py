"""What is searched in all sessions and kept between runs: forms of failing calls, and commands that the user typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.store.test_index import open_sound
from wisen.delivery.passing_forms import find_passing
from wisen.delivery.remedies import FailingForm
from wisen.delivery.typed_commands import find_typed
from wisen.mining.session_mining import mine_session
from wisen.model.event import Status
from wisen.model.report import Selection
from wisen.store.folds import Fold
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.log_writer import Log
from wisen.text.command_lines import command_of, fields_of, parse_command

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.store.index import Index

COMMANDS = (
    "npm test", "npm test --page=12", "pnpm test", "git push --force", "git push", "cd x && npm test", "make",
    "n'p'm test", "sudo make", "doas make", "bash -c 'git push --force'", "echo \"it's\" && make lint", "npm 'test'",
    "naïve --page=12",
)  # fmt: skip
FORMS = {
    f"{number}": FailingForm("Bash", parse_command(line).main_part.program, words, whole)
    for number, (line, words, whole) in enumerate(
        [(line, parse_command(line).tokens, True) for line in COMMANDS]
        + [("npm test", ("--page=12",), False), ("git push", ("--force",), False), ("naïve x", ("--page=12",), False)]
        + [("make", (), False), ("npm test", ("test",), False)]
    )
}
STEPS = st.lists(st.tuples(st.sampled_from(COMMANDS), st.booleans()), max_size=4)


def learn(index: Index, native: str, steps: list[tuple[str, bool]], typed: str = "") -> None:
    log = Log(f"/{native}.jsonl", native)
    if typed:
        log.typed(f"{native}-typed")
        log.add(structs.replace(log.events.pop().event, text=typed))
    for number, (line, worked) in enumerate(steps):
        log.call(f"{native}{number}", number, arguments=json.dumps({"command": line}, ensure_ascii=len(line) % 2 == 0))
        log.end(f"{native}{number}", Status.OK if worked else Status.FAILED, number)
    index.events.store([log.batch()])
    for history in index.findings.take_unmined(1):
        index.findings.store_findings([mine_session(history)], 1)


def passing_by_comparing_everything(index: Index, forms: dict[str, FailingForm]) -> set[str]:
    return {
        key
        for history in index.events.histories(Selection())
        for step in history.steps
        if step.status is Status.OK and (line := command_of(fields_of(step.arguments))) is not None
        for key, form in forms.items()
        if form.fits(step.tool, line)
    }


@settings(max_examples=60, deadline=None)
@given(
    runs=st.lists(
        st.tuples(
            st.lists(STEPS, max_size=3),
            st.sets(st.sampled_from(sorted(FORMS)), min_size=1),
            st.lists(st.integers(0, 8), max_size=2),
        ),
        max_size=5,
    )
)
def test_a_kept_search_finds_what_comparing_every_call_finds(
    runs: list[tuple[list[list[tuple[str, bool]]], set[str], list[int]]],
) -> None:
    index, names = MemoryIndex(), list[str]()
    for sessions, keys, removed in runs:
        for steps in sessions:
            names.append(f"s{len(names)}")
            learn(index, names[-1], steps)
        index.removal.remove_sessions({("claude-code", names[each], 0) for each in removed if each < len(names)})
        forms = {key: FORMS[key] for key in keys}
        assert find_passing(index, forms, "1") == passing_by_comparing_everything(index, forms)


def test_a_form_is_found_by_the_database_as_by_comparing(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    for number, line in enumerate(COMMANDS):
        learn(index, f"s{number}", [(line, number % 2 == 0), (line, number % 3 == 0)])
    for key, form in FORMS.items():  # one at a time: the database looks for its words
        assert find_passing(index, {key: form}, key) == passing_by_comparing_everything(index, {key: form})
    assert find_passing(index, FORMS, "1") == passing_by_comparing_everything(index, FORMS)
    index.close()


@pytest.mark.parametrize("value", ["", "[]", '{"a": 3}', '{"a": ["b"]}', "{"])
def test_a_kept_search_that_cannot_be_read_is_made_again(value: str) -> None:
    index = MemoryIndex()
    learn(index, "one", [("npm test", True)], "run make")
    for name in ("passing-forms", "typed-commands"):
        index.folds.save(name, "1 1", Fold(index.folds.revision(), value))
    assert find_passing(index, {"0": FORMS["0"]}, "1") == {"0"}
    asked = (("claude-code", "one"), "make")
    assert find_typed(index, [asked], "1") == {asked}


def test_commands_typed_later_or_forgotten_are_noticed() -> None:
    index = MemoryIndex()
    asked = [(("claude-code", name), line) for name in ("one", "two") for line in ("make", "npm test")]
    learn(index, "one", [], "run make")
    assert find_typed(index, asked, "1") == {asked[0]}
    learn(index, "two", [], "never run make\n`npm test`")
    assert find_typed(index, asked, "1") == {asked[0], asked[3]}
    index.removal.remove_sessions({("claude-code", "one", 0)})
    learn(index, "one", [], "npm test")
    assert find_typed(index, asked[1:], "1") == {asked[1], asked[3]}


def test_one_pass_over_all_messages_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_sound(tmp_path / "index.db")
    texts = ("run make", "run make lint", "please use npm test", "ma\u200bke", "npm\n\n test", "make it so")
    for number, text in enumerate(texts):
        learn(index, f"s{number}", [], text)
    asked = [(("claude-code", f"s{number}"), line) for number in range(6) for line in ("make", "npm test", "make lint")]
    few = find_typed(index, asked, "1")
    monkeypatch.setattr("wisen.delivery.typed_commands._MANY", 0)
    assert find_typed(index, asked, "2") == few
    assert few
    index.close()


def test_an_index_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    learn(index, "one", [("npm test", True)], "run make")
    index.database.run("PRAGMA query_only = 1")
    assert find_passing(index, {"0": FORMS["0"]}, "1") == {"0"}
    asked = (("claude-code", "one"), "make")
    assert find_typed(index, [asked], "1") == {asked}
    assert index.folds.load("passing-forms", "1 1") is None
    index.close()


def test_nothing_is_kept_of_what_is_no_longer_searched() -> None:
    index = MemoryIndex()
    learn(index, "one", [("npm test", True)], "run make")
    assert not find_passing(index, {}, "1")
    assert not find_typed(index, [], "1")
    assert index.folds.load("passing-forms", "1 1") is None
    find_passing(index, {"0": FORMS["0"]}, "1")
    find_typed(index, [(("claude-code", "one"), "make")], "1")
    assert not find_passing(index, {}, "1")
    assert not find_typed(index, [], "1")
    for name in ("passing-forms", "typed-commands"):
        kept = index.folds.load(name, "1 1")
        assert kept is not None
        assert kept.value == "{}"
