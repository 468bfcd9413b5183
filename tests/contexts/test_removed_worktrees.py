"""Sessions in removed worktrees belong to their repository, and to no other project."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.hooks import fire
from wisen import app
from wisen.logs.context_resolver import ContextResolver
from wisen.model.context import Alias, ContextKind, context_of
from wisen.model.entry_state import EntryState
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N2")

RULE = "no, from now on always use {} instead of npm"
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@orchard.test")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def a_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def write_correction(home: Path, place: Path | str, number: int, tool: str = "pnpm") -> None:
    log = ClaudeTranscript(number, cwd=str(place), start=datetime(2026, 3, number, 9, 0, tzinfo=UTC))
    log.prompt("look around")
    log.bash("ls")
    log.prompt(RULE.format(tool))
    log.bash(f"{tool} test")
    log.write(home / ".claude" / "projects" / f"p{number}")


def learnt(home: Path) -> tuple[list[str], list[EntryState]]:
    """Learn; return the files that proposals would go to, and what was learned."""
    with app.wire(home / "wisen").learner() as learner:
        learner.learn()
        paths = [each.proposal.path for each in learner.proposals.all() if each.is_waiting]
        return paths, [each for each in learner.lessons.all() if not each.is_over and each.entry.type == "learning"]


def resolver(home: Path, **more: object) -> ContextResolver:
    return ContextResolver(**{"home": home, "machine": "m", "contexts": (), "aliases": (), **more})  # type: ignore[arg-type]


@pytest.mark.needs("git")
@pytest.mark.parametrize(
    "where", [".claude/worktrees/figs", ".worktrees/ada/figs", "../shop-worktrees/figs", "src/figs"]
)
def test_what_was_said_in_a_worktree_that_is_gone_is_proposed_to_the_repository(home: Path, where: str) -> None:
    shop = a_repository(home / "shop")
    gone = (shop / where).resolve()
    gone.parent.mkdir(parents=True, exist_ok=True)
    if where != "src/figs":
        git(shop, "worktree", "add", "-q", str(gone))
        subprocess.run(["rm", "-r", gone], check=True)
    write_correction(home, shop, 1, "yarn")
    write_correction(home, gone, 2)
    write_correction(home, gone / "deep", 3)
    paths, entries = learnt(home)
    assert {*paths} == {str(shop / "CLAUDE.md")}
    assert len({each.context for each in entries}) == 1
    assert learnt(home)[0] == paths, "and stays so"
    with app.wire(home / "wisen").learner(reads=False) as learner:
        learner.cycle(quick=True)
    delivered = fire(home / "wisen", "session-start", {"session_id": "s", "cwd": str(shop), "source": "startup"})
    assert "pnpm instead of npm" in delivered


@pytest.mark.needs("git")
def test_a_neighbor_and_a_name_alone_are_no_proof(home: Path) -> None:
    shop = a_repository(home / "shop")
    write_correction(home, shop, 1)
    for number, place in enumerate((home / "shop-worktrees" / "a", home / "shop2", home / ".worktrees" / "b"), 2):
        write_correction(home, place, number, f"tool{number}")
    paths, entries = learnt(home)
    assert len({each.context for each in entries}) == 4
    assert sum(path == str(shop / "CLAUDE.md") for path in paths) == 1


@pytest.mark.needs("git")
def test_a_repository_of_its_own_inside_another_keeps_what_was_said_in_it_when_it_is_deleted(home: Path) -> None:
    shop = a_repository(home / "shop")
    inner = a_repository(shop / "vendor" / "figs")
    other = a_repository(shop / ".worktrees" / "lent")
    git(other, "remote", "add", "origin", "https://example.test/their/lent.git")
    write_correction(home, shop, 1, "yarn")
    write_correction(home, inner, 2)
    write_correction(home, other, 3, "bun")
    _, before = learnt(home)
    contexts = {each.text: each.context for each in before}
    assert len({*contexts.values()}) == 3
    subprocess.run(["rm", "-r", inner, other], check=True)
    write_correction(home, inner, 4, "make")
    write_correction(home, other, 5, "just")
    _, after = learnt(home)
    now = {each.text: each.context for each in after}
    assert {text: now[text] for text in contexts} == contexts
    assert len({*now.values()}) == 3


def test_what_an_older_version_kept_of_a_gone_worktree_is_moved_and_merged(home: Path) -> None:
    shop = a_repository(home / "shop")
    gone = shop / ".claude" / "worktrees" / "figs"
    write_correction(home, shop, 1)
    write_correction(home, gone, 2)
    write_correction(home, gone, 3, "make")
    with app.wire(home / "wisen").learner() as learner:
        scope_ = learner._deps.projects.resolver
        scope_._main_of_removed = lambda here, by_path: None  # type: ignore[method-assign]  # as it was
        learner.learn()
        states = [each for each in learner.lessons.all() if each.entry.type == "learning"]
        assert len({each.context for each in states}) == 2
        assert len([each for each in learner.proposals.all() if each.is_waiting]) == 3
    paths, entries = learnt(home)
    assert {*paths} == {str(shop / "CLAUDE.md")}
    (context,) = {each.context for each in entries}
    assert sorted(("pnpm" in each.text, each.sessions) for each in entries) == [(False, 1), (True, 2)]
    assert context.startswith("shop") or "shop" in context
    assert [each.entry.id for each in learnt(home)[1]] == [each.entry.id for each in entries], "once"


def test_worktrees_belong_to_a_repository_that_is_gone_too_where_sessions_worked_in_it(home: Path) -> None:
    gone = home / "far" / "shop"
    write_correction(home, gone / ".worktrees" / "ada" / "figs", 1)
    write_correction(home, gone / ".claude" / "worktrees" / "pears", 2)
    write_correction(home, gone, 3)
    write_correction(home, home / "away" / ".worktrees" / "figs", 4)
    _, entries = learnt(home)
    assert sorted(each.sessions for each in entries) == [1, 3]
    assert len({each.context for each in entries}) == 2


def test_the_home_is_no_repository_of_worktrees(home: Path) -> None:
    a_repository(home / "x")
    git(home, "init", "-q")
    place = home / ".claude" / "worktrees" / "figs"
    found = resolver(home).context(str(place), str(place))
    assert found is not None
    assert found.name == str(place)


def test_the_user_can_say_that_a_gone_folder_is_a_project_of_its_own(home: Path) -> None:
    shop = a_repository(home / "shop")
    gone = shop / "lent"
    write_correction(home, gone, 1)
    write_correction(home, shop, 2, "yarn")
    with app.wire(home / "wisen").learner() as learner:
        learner.contexts.separate(gone)
    _, entries = learnt(home)
    assert len({each.context for each in entries}) == 2


@pytest.mark.needs("git")
def test_a_clone_cannot_claim_a_gone_project_that_is_known(home: Path) -> None:
    victim, thief = home / "private" / "ledger", a_repository(home / "thief")
    known = context_of(ContextKind.PATH, str(victim), machine="m")
    notes = thief / ".git" / "worktrees" / "x"
    notes.mkdir(parents=True)
    (notes / "gitdir").write_text(f"{victim}/.git\n")
    aliases = [
        Alias(context=known.key, machine="m", path=str(victim), since=NOW),
        Alias(
            context=context_of(ContextKind.PATH, str(thief), machine="m").key,
            machine="m",
            path=str(thief),
            since=NOW + timedelta(days=1),
        ),
    ]
    mine = resolver(home, contexts=(known, context_of(ContextKind.PATH, str(thief), machine="m")), aliases=aliases)
    assert mine.context(str(victim), str(victim)) == known
