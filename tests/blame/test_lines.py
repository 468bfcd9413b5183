"""Lines of an instruction file are tracked through moves and rewordings, and parsed for what they ask."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.blame.line_history import trace_lines
from wisen.blame.line_parsing import forbidden_words, is_instruction, named_words, tokens_of
from wisen.model.instruction import InstructionLine, Version

pytestmark = pytest.mark.requirement("X4")
DAY = datetime(2026, 2, 1, tzinfo=UTC)


def lives(*texts: str) -> dict[str, InstructionLine]:
    versions = [Version(at=DAY + timedelta(days=n), text=text, origin="x") for n, text in enumerate(texts)]
    return {line.text: line for line in trace_lines(versions)}


def test_a_line_is_born_with_the_version_that_brings_it_and_goes_with_the_one_that_lacks_it() -> None:
    found = lives("# A\nuse tabs everywhere", "# A\nuse tabs everywhere\nrun the tests", "# A\nrun the tests")
    assert (found["# A"].since_known, found["# A"].gone, found["# A"].number) == (True, None, 1)
    assert (found["run the tests"].born, found["run the tests"].since_known) == (DAY + timedelta(days=1), False)
    assert (found["use tabs everywhere"].gone, found["use tabs everywhere"].number) == (DAY + timedelta(days=2), 0)


def test_a_line_that_moves_stays_the_same() -> None:
    found = lives("a a a\nb b b\nc c c", "c c c\na a a\nb b b\nnew one here")
    assert all(found[text].since_known for text in ("a a a", "b b b", "c c c"))
    assert [line.number for line in found.values()] == [1, 2, 3, 4]


def test_a_line_that_is_reworded_stays_the_same_and_another_one_does_not() -> None:
    found = lives(
        "always run the whole test suite", "always run the whole test suite first", "never push on fridays at all"
    )
    assert found["always run the whole test suite first"].since_known
    assert found["always run the whole test suite first"].gone == DAY + timedelta(days=2)
    assert not found["never push on fridays at all"].since_known


def test_a_line_knows_its_heading() -> None:
    found = lives("# Tests\nrun them all\n## Style\nuse tabs")
    assert (found["run them all"].heading, found["use tabs"].heading) == ("Tests", "Style")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("- Always prefix commands with `rtk`.", True),
        ("**MANDATORY**: Run tests after each change", True),
        ("Use pnpm, not npm.", True),
        ("1. Never edit migrations/", True),
        ("The tests must pass.", True),
        ("This file provides guidance.", False),
        ("# Always a heading", False),
        ("", False),
        ("```bash", False),
        ("| run | table |", False),
    ],
)
def test_a_rule_asks_for_something(text: str, rule: bool) -> None:
    assert is_instruction(text) is rule


@pytest.mark.parametrize(
    ("text", "names", "against"),
    [
        ("Always prefix commands with `rtk`", ("rtk",), ()),
        ("Use `pnpm`, not `npm`.", ("pnpm", "npm"), ("npm",)),
        ("Run `bun run test` instead of `npm test`", ("bun run test", "npm test"), ("npm test",)),
        ("Never use `git push --force`", ("git push --force",), ("git push --force",)),
        ("bun run lint:fix", ("bun run lint:fix",), ()),
        ("Keep docs/architecture.md up to date", ("docs/architecture.md",), ()),
        ("Be kind.", (), ()),
    ],
)
def test_a_line_names_what_calls_would_have(text: str, names: tuple[str, ...], against: tuple[str, ...]) -> None:
    assert named_words(text) == names
    assert forbidden_words(text) == against


def test_an_empty_line_costs_nothing() -> None:
    assert (tokens_of(""), tokens_of("   "), tokens_of("four")) == (0, 0, 2)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_history_can_be_followed(texts: list[str]) -> None:
    versions = [Version(at=DAY + timedelta(days=n), text=text, origin="x") for n, text in enumerate(texts)]
    found = trace_lines(versions)
    standing = [line for line in found if line.gone is None]
    assert [line.text for line in standing] == (texts[-1].splitlines() if texts else [])
    assert [line.number for line in standing] == list(range(1, len(standing) + 1))
