"""A lesson that an assistant cites by id counts as used: only the id is kept, and fading restarts from then."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from tests.commands import run
from tests.hooks import fire, write_lesson_sessions
from wisen import app
from wisen.lessons.fading import STALE, fade_entries
from wisen.lessons.lesson_citations import record_citations
from wisen.model.citation import CitedId
from wisen.model.entry import Actor, Entry, Move, MoveKind, Priority, rule_id
from wisen.model.entry_state import fold_entry_states
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import a_move, an_entry
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON
from wisen.testing.transcripts import ClaudeTranscript

ROW_FACTORY = RowFactory(FixedClock(NOON + timedelta(days=100)), CountingIds(), "desk")


def entry(**other: object) -> Entry:
    return structs.replace(an_entry(), context="shop", **other)


def cited_id(name: str, *contexts: str, days: float = 1) -> CitedId:
    return CitedId(name, "codex", "s1", frozenset(contexts), NOON + timedelta(days=days))


def uses(cited: list[CitedId], entries: list[Entry], *moves: Move) -> list[tuple[str, float]]:
    """The entries that count as used, and how many days after noon."""
    found = record_citations(cited, fold_entry_states(entries, (), moves), moves, ROW_FACTORY)
    assert all((each.kind, each.by, each.value) == (MoveKind.CITE, Actor.WISEN, "") for each in found)
    return [(each.subject, (each.at - NOON) / timedelta(days=1)) for each in found]


@pytest.mark.requirement("N9", "S10")
def test_the_id_of_a_rule_and_the_name_of_an_entry_count_where_it_holds() -> None:
    one = entry()
    for name in (rule_id(one.id), one.name):
        assert uses([cited_id(name, "", "shop")], [one]) == [(one.id, 1)]
        assert uses([cited_id(name, "", "other")], [one]) == [], "the session worked elsewhere"
        assert uses([cited_id(name, "other")], [structs.replace(one, context="")]) == [(one.id, 1)]


def test_ids_that_nothing_has_are_passed_over() -> None:
    assert uses([cited_id("R-00000000", "shop"), cited_id("LRN-20260301-FFF", "shop")], [entry()]) == []


def test_only_the_newest_use_is_kept_and_only_once() -> None:
    one = entry()
    cited = [cited_id(one.name, "shop", days=2), cited_id(rule_id(one.id), "shop", days=3), cited_id(one.name, "shop")]
    assert uses(cited, [one]) == [(one.id, 3)]
    known = structs.replace(a_move("1", kind=MoveKind.CITE), subject=one.id, at=NOON + timedelta(days=3))
    assert uses(cited, [one], known) == []
    assert uses([*cited, cited_id(one.name, "shop", days=4)], [one], known) == [(one.id, 4)]


def test_what_was_merged_is_used_as_what_it_is_now() -> None:
    one, other = entry(), entry(id="other", name="LRN-20260301-OTH")
    merged = structs.replace(a_move("1", kind=MoveKind.MERGE, value=one.id), subject="other")
    assert uses([cited_id("LRN-20260301-OTH", "shop")], [one, other], merged) == [(one.id, 1)]


@pytest.mark.requirement("S10")
def test_a_lesson_that_is_named_does_not_fade() -> None:
    one = entry(standing=False, durable=0.0, priority=Priority.MEDIUM)
    late = NOON + STALE + timedelta(days=1)

    def fades(*moves: Move) -> bool:
        return bool(fade_entries(fold_entry_states([one], (), moves), moves, late, ROW_FACTORY))

    assert fades()
    cited = record_citations(
        [cited_id(one.name, "shop", days=STALE.days - 10)], fold_entry_states([one], (), ()), (), ROW_FACTORY
    )
    assert not fades(*cited)


@pytest.mark.requirement("N9", "C3")
def test_an_id_that_the_assistant_names_is_a_use_and_one_that_others_write_is_none(home: Path) -> None:
    project = home / "shop"
    write_lesson_sessions(home, project)
    run("cycle", "--quick")
    delivered = fire(home / "wisen", "session-start", {"session_id": "s", "cwd": str(project), "source": "startup"})
    found = re.search(r"R-[0-9a-f]{8}", delivered)
    assert found
    rule = found[0]

    def last_use() -> datetime | None:
        run("cycle", "--quick")
        with app.wire().open_for_queries() as learner:
            (state,) = [each for each in learner.lessons.all() if rule_id(each.entry.id) == rule]
        return state.used

    assert last_use() is None
    log = ClaudeTranscript(7, cwd=str(project))
    log.prompt(f"what is {rule} about?")
    log.bash("cat notes.md", f"{rule} and R-ffffffff")
    log.say("It is a note about the shop, as R-ffffffff says.")
    log.write(home / ".claude" / "projects" / "shop")
    assert last_use() is None, "the user and a tool wrote it, and the assistant named another one"
    log.say(f"I ran the tests with pnpm SECRETLY ({rule}).")
    log.write(home / ".claude" / "projects" / "shop")
    at = last_use()
    assert at is not None
    assert abs(at - log.at) < timedelta(seconds=1)
    shown = run("learned", cwd=project).stdout
    assert f"Last used on {at:%Y-%m-%d}." in shown
    assert "cite (named by claude-code in " in " ".join(run("entries", "show", rule).stdout.split())
    index = (home / "wisen" / "index.db").read_bytes()
    assert b"SECRETLY" not in index, "no word around the id is kept"
