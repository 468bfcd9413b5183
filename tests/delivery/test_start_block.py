"""The block at a session start: its share of advice, its cost, and that nothing in it is raw or asked twice."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from wisen.delivery.block import BlockContent, DeliveredLine, PendingQuestion, build_block
from wisen.delivery.hook_snapshot import ClientTables, build_snapshots
from wisen.delivery.settings import DeliverPolicy
from wisen.model.entry import ProposalType
from wisen.model.guard import Mode, parse_guard
from wisen.model.guard_text import describe_guard, describe_proposal, describe_watch
from wisen.safety import sentinel
from wisen.surfaces.hook.block_lines import without_repeated
from wisen.testing.entries_contract import a_proposal
from wisen.testing.guards_contract import a_guard

if TYPE_CHECKING:
    from pathlib import Path

LESSONS = (
    "Use pnpm for everything in this repository, never npm.",
    "Never push to main without asking me first.",
    "Run the whole test suite before you say that it is done.",
    "Answer in short sentences and leave out the summary at the end.",
    "Keep commit messages below sixty characters, in the imperative.",
    "Do not touch the generated files under src/api.",
    "Use ruff for formatting, not black.",
    "Write a regression test for every bug before you fix the code.",
)
_LEAST_SHARE, _MOST_TOKENS, _CHARACTERS = 0.6, 250, 4
RAW = re.compile(r"\b(?:warn|deny|ask) (?:shell|edit|read): | -> |\bshell: |\bedit: | # ")


def a_line(number: int) -> DeliveredLine:
    return DeliveredLine(f"R-{number:08x}", LESSONS[number], f"LRN-20260301-00{number}")


def sealed(matter: BlockContent) -> str:
    """A block as a session gets it."""
    return sentinel.add_seal(
        build_block(matter, DeliverPolicy()).text, sentinel.session_seal(b"k" * 32, "claude-code", "s")
    )


@pytest.mark.requirement("F9")
@pytest.mark.parametrize("approved", [0, 4, 8])
def test_of_eight_lessons_most_is_advice_and_they_cost_little(approved: int) -> None:
    assert all(6 <= len(text.split()) <= 14 for text in LESSONS)
    lines = [a_line(number) for number in range(len(LESSONS))]
    text = sealed(BlockContent(lines[:approved], lines[approved:], (), (), ()))
    assert all(lesson in text for lesson in LESSONS)
    assert sum(map(len, LESSONS)) / len(text) >= _LEAST_SHARE
    assert len(text) / _CHARACTERS <= _MOST_TOKENS
    opening, *rest = text.split("\n")
    assert len(opening) < 100
    assert rest[0] == f"- {LESSONS[0]} (R-00000000)", "the advice comes right behind the opening line"


@pytest.mark.requirement("S17")
def test_what_is_asked_is_asked_by_the_first_session_alone_and_comes_again_in_none(tmp_path: Path) -> None:
    waiting = [
        PendingQuestion(1, "01P", "R-1", "Make it a rule: Sort imports."),
        PendingQuestion(2, "01Q", "R-2", "Old?", is_new=False),
    ]
    news = [DeliveredLine("R-00000009", "wisen no longer delivers the hint.", "", "`wisen trials show R-00000009`")]
    matter = BlockContent([a_line(0)], (), (), waiting, (), news=news)
    made = build_snapshots({"": matter}, {}, ClientTables({}, (1, 2, 3), {}), [], DeliverPolicy())
    snapshot = json.loads(made.files[made.everywhere])
    assert '- Make it a rule: Sort imports. "approve 1" or "skip 1"' in snapshot["block"]
    assert "Old?" not in snapshot["block"], "a session was told to ask that before"
    assert [each["text"] for each in snapshot["waiting"]] == ["Make it a rule: Sort imports.", "Old?"]

    assert without_repeated(snapshot, str(tmp_path), "s1", "startup") == (snapshot, None)
    assert without_repeated(snapshot, str(tmp_path), "s1", "again") == (snapshot, None), "the same turn made anew"
    plain = build_block(BlockContent([a_line(0)], (), (), (), ()), DeliverPolicy())
    for session, source in (("s1", "compact"), ("s2", "startup"), ("s2", "again")):
        left, inside = without_repeated(snapshot, str(tmp_path), session, source)
        assert inside is not None
        assert sentinel.wrap("\n".join(inside)) == plain.text, "no title is left without what stood below it"
        assert left["block_ids"] == list(plain.ids)


def test_where_nothing_can_be_noted_nothing_is_asked(tmp_path: Path) -> None:
    matter = BlockContent((), (), (), [PendingQuestion(1, "01P", "R-1", "Make it a rule: Sort imports.")], ())
    snapshot = json.loads(next(iter(_files(matter))))
    (tmp_path / "snapshots").write_text("in the way")
    left, inside = without_repeated(snapshot, str(tmp_path), "s1", "startup")
    assert (left["block_ids"], [*map(str, inside or ())][1:]) == ([], [])


def _files(matter: BlockContent) -> list[bytes]:
    made = build_snapshots({"": matter}, {}, ClientTables({}, (1, 2, 3), {}), [], DeliverPolicy())
    return [made.files[made.everywhere]]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("npm install -> pnpm install # Use pnpm, not npm.",
         "Warn before `npm install`; `pnpm install` instead (Use pnpm, not npm)"),
        ("deny git push --force", "Stop `git push --force`"),
        ("ask edit: migrations/**", "Ask before changes of `migrations/**`"),
        ("deny read: .env", "Stop reading `.env`"),
        ("WebFetch: url=*example.org*", "Warn before WebFetch with `url=*example.org*`"),
    ],
)  # fmt: skip
def test_a_guard_is_described_in_words(form: str, words: str) -> None:
    read = parse_guard(form)
    guard = structs.replace(a_guard(), watch=read.watch, better=read.better, reason=read.reason, action=read.action)
    assert describe_guard(guard) == words
    assert not RAW.search(words)
    proposal = structs.replace(a_proposal("1P"), type=ProposalType.GUARD, text=guard.source_text)
    assert describe_proposal(proposal) == words
    assert describe_proposal(structs.replace(proposal, text="allow all")) == f"Guard {proposal.entry}"
    assert describe_guard(guard, Mode.DENY, with_reason=False).startswith("Stop ")
    assert describe_watch(read.watch) in words
