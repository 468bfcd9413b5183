"""Where a rule can go when its file cannot take it: by agent, and as users name the place."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from wisen.edits.budget import describe_size
from wisen.edits.managed_lines import has_merge_conflict
from wisen.edits.targets import Target
from wisen.model.entry import Move, MoveKind
from wisen.model.place import PlaceName, parse_place
from wisen.rules.place_choices import PlaceCandidates, chosen_places, list_places
from wisen.testing.entries_contract import a_move, a_proposal

BOOK = Target("/home/ada/wisen/contexts/shop/rules.md", "Tool")
OWN = Target("/home/ada/.claude/CLAUDE.md", "Preferences")


def place_paths(path: str, agent: str, *, own: Target | None = None, hooks: bool = True) -> dict[str, str]:
    proposal = structs.replace(a_proposal("p1"), path=path, heading="How to work")
    return {each.word.value: each.path for each in list_places(proposal, PlaceCandidates(agent, own, BOOK, hooks))}


def test_claude_code_reads_three_files_of_a_project_and_the_users_own() -> None:
    assert place_paths("/srv/shop/CLAUDE.md", "claude-code", own=OWN) == {
        "file": "/srv/shop/CLAUDE.md",
        "local": "/srv/shop/CLAUDE.local.md",
        "rules": "/srv/shop/.claude/rules/wisen.md",
        "own": OWN.path,
        "hook": BOOK.path,
    }
    everywhere = place_paths(OWN.path, "claude-code", own=OWN)
    assert everywhere == {"file": OWN.path, "rules": "/home/ada/.claude/rules/wisen.md", "hook": BOOK.path}


def test_other_agents_are_offered_what_they_read() -> None:
    own = Target("/home/ada/.codex/AGENTS.md", "Preferences")
    assert [*place_paths("/srv/shop/AGENTS.md", "codex", own=own)] == ["file", "own", "hook"]
    assert [*place_paths("/srv/shop/AGENTS.md", "aider", hooks=False)] == ["file"]
    workspace = place_paths("/home/ada/claw/TOOLS.md", "openclaw")
    assert [*workspace] == ["file", "agents", "soul", "user", "memory", "hook"]
    assert workspace["memory"] == "/home/ada/claw/MEMORY.md"
    assert place_paths("/home/ada/claw/memory/preferences.json", "openclaw")["soul"] == "/home/ada/claw/SOUL.md"
    assert [*place_paths(BOOK.path, "claude-code", own=OWN)] == ["hook"]


@pytest.mark.parametrize("word", list(PlaceName))
def test_each_place_is_known_by_its_word(word: PlaceName) -> None:
    assert parse_place(f" {word.value.upper()} ") == word
    assert parse_place(f"{word.value}s of mine") == ""


def test_the_newest_choice_holds_and_can_be_taken_back() -> None:
    def chose(id_: str, value: str, subject: str = "shop") -> Move:
        return a_move(id_, subject, MoveKind.PLACE, value)

    moves = [chose("1", "CLAUDE.md rules"), chose("2", "AGENTS.md hook"), chose("3", "CLAUDE.md local", "other")]
    assert chosen_places(moves, "shop") == {"CLAUDE.md": "rules", "AGENTS.md": "hook"}
    moves += [chose("4", "CLAUDE.md local"), chose("5", "AGENTS.md ask"), chose("6", "CLAUDE.md file", "everywhere")]
    assert chosen_places(moves, "shop") == {"CLAUDE.md": "local"}
    assert chosen_places(moves, "") == {"CLAUDE.md": "file"}


@pytest.mark.parametrize(
    ("content", "is_one"),
    [
        (b"a\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> side\n", True),
        (b"```\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> side\n```\n", False),
        (b"Title\n=======\n", False),
        (b"say <<<<<<< HEAD and >>>>>>> side\n", False),
        (b"", False),
    ],
)
def test_a_merge_that_is_not_resolved_is_seen(content: bytes, is_one: bool) -> None:
    assert has_merge_conflict(content) is is_one


def test_what_is_too_much_is_reported_in_lines_or_in_size() -> None:
    assert "has 201 lines" in describe_size(Path("/srv/CLAUDE.md"), b"x\n" * 201)
    assert "has 30 kB" in describe_size(Path("/srv/CLAUDE.md"), b"x" * 30_000)
