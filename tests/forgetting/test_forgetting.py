"""Forgetting leaves no byte of the text anywhere below the home, and old logs do not bring it back."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import stat
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from benchmarks.secret_formats import draw_value

import wisen
from tests import hooks
from tests.commands import AS_PERSON, run
from tests.planted_secrets import Facts, Planter, find_residues
from wisen.edits.editor import Editor, LinePlan
from wisen.errors import UsageError
from wisen.learner import Learner
from wisen.logs import event_filter
from wisen.memory import build_memories
from wisen.model.change import content_digest
from wisen.model.entry import Answer
from wisen.model.tombstone import ALL_CONTEXTS
from wisen.records import record_sanitizer
from wisen.rules import context_files
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N8")

SESSIONS, OTHERS, GUARDS = 50, 22, 6


def plant(home: Path, learner: Learner, facts: Facts, project: str) -> Planter:
    planter = Planter(home, home / project, facts)
    planter.write_files(OTHERS)
    planter.write_logs(SESSIONS // 5)
    learner.learn()
    planter.approve_rules(learner, OTHERS)
    planter.write_logs(SESSIONS - SESSIONS // 5)
    planter.record_statements(learner, OTHERS)
    planter.add_guards(learner, GUARDS)
    learner.learn(judge=True)
    return planter


def test_a_thousand_facts_are_gone_from_every_place_and_do_not_come_back(home: Path) -> None:
    gone, kept, ours = Facts(1), Facts(2), home / "wisen"
    with wisen.open_learner() as learner:
        planter = plant(home, learner, gone, "shop")
        keeper = Planter(home, home / "blog", kept, first=1000)
        keeper.write_logs(5)
        learner.cycle()
        keeper.record_statements(learner, 3)
        learner.cycle()
        planter.write_outputs(ours, OTHERS)
        assert "wisen:R-" in (home / "shop" / "CLAUDE.md").read_text()
        before = find_residues(ours, [*gone.all(), *kept.all()])
        assert {place for place, words in gone.of.items() if not set(words) <= before.keys()} == set()
        assert len(set(gone.all()) & before.keys()) >= 1_000

        words = [word for word in gone.all() if word in before]
        for one in (gone.of[place][0] for place in ("correction", "failure", "record", "notebook", "snapshot")):
            (done,) = learner.forgetting.forget(one, scope=ALL_CONTEXTS)
            assert done.things
            assert one not in find_residues(ours, [one])
        learner.forgetting.forget(words, scope=ALL_CONTEXTS)
        assert find_residues(ours, gone.all()) == {}
        unharmed = find_residues(ours, kept.all())
        assert unharmed.keys() == before.keys() & set(kept.all())
        learner.cycle()
        assert find_residues(ours, gone.all()) == {}
        assert all(each.done for each in learner.forgetting.tombstones())

    assert (home / "shop" / "CLAUDE.md").read_text() == planter.own
    for file in ours.glob("index.db*"):
        file.unlink()
    with wisen.open_learner() as learner:
        learner.learn(judge=True)
        learner.cycle()
    assert find_residues(ours, gone.all()) == {}
    assert find_residues(ours, kept.all()).keys() == unharmed.keys()
    assert run("doctor", expect=0).stdout.count("good") >= 3


def write_session(home: Path, *messages: str, project: str = "shop", number: int = 1) -> Path:
    """A session of a project in which the user said something; returns the project."""
    folder = home / project
    folder.mkdir(exist_ok=True)
    log = ClaudeTranscript(number, cwd=str(folder))
    log.prompt("run the tests")
    for text in messages:
        log.bash("make test", "ok")
        log.prompt(text)
    log.write(home / ".claude" / "projects" / project)
    return folder


def names(learner: Learner) -> list[str]:
    return sorted(each.text for each in learner.lessons.all())


def recall_ids(learner: Learner, question: str, place: Path) -> list[str]:
    """The ids of the memories that answer a question."""
    return [each.memory.id for group in learner.memory.recall(question, place).groups for each in group.memories]


def write_three_corrections(home: Path) -> Path:
    """The same correction in three sessions, reworded twice; returns the project."""
    shop = home / "shop"
    shop.mkdir()
    messages = ("no, use pnpm, not npm", "again: please use pnpm here, not npm", "I told you to use pnpm, not npm")
    for number, words in enumerate(messages, 1):
        log = ClaudeTranscript(number, cwd=str(shop), start=datetime(2026, 3, 1, 8 + number, 0, tzinfo=UTC))
        log.prompt("run the tests")
        log.bash("npm test", "npm error use pnpm", exit_code=1)
        log.prompt(words)
        log.write(home / ".claude" / "projects" / "p")
    return shop


def test_it_is_forgotten_in_its_project_and_stays_in_others(home: Path) -> None:
    message = "no, from now on always use quickbeam instead of npm"
    shop, blog = write_session(home, message), write_session(home, message, project="blog", number=2)
    with wisen.open_learner() as learner:
        learner.learn()
        context = learner.contexts.key_of(shop)
        assert len(names(learner)) == 2
        (plan,) = learner.forgetting.forget("Quickbeam", scope=context, dry_run=True)
        assert {thing.kind for thing in plan.things} >= {"entry", "occurrence", "event", "memory", "page"}
        assert plan.tombstone == ""
        assert len(names(learner)) == 2
        assert learner.forgetting.tombstones() == ()
        assert not (home / "wisen" / "salt").exists()
        (done,) = learner.forgetting.forget("Quickbeam", scope=context)
        assert [each.context for each in learner.lessons.all()] == [learner.contexts.key_of(blog)]
        assert recall_ids(learner, "quickbeam", shop) == []
        assert recall_ids(learner, "quickbeam", blog)
        learner.learn(recheck=True)
        learner.cycle()
        assert [each.context for each in learner.lessons.all()] == [learner.contexts.key_of(blog)]
        (tombstone,) = learner.forgetting.tombstones()
        assert (tombstone.id, tombstone.scope, tombstone.many) == (done.tombstone, context, len(done.things))
    assert stat.S_IMODE((home / "wisen" / "salt").stat().st_mode) == 0o600


def test_what_is_stated_again_is_learnt_again_and_the_old_stays_forgotten(home: Path) -> None:
    message = "no, from now on always use quickbeam instead of npm"
    shop = write_session(home, message)
    with wisen.open_learner() as learner:
        learner.learn()
        learner.forgetting.forget("quickbeam", scope=ALL_CONTEXTS)
        learner.learn()
        assert names(learner) == []
        write_session(home, message, number=2)
        learner.learn()
        (entry,) = learner.lessons.all()
        assert entry.sessions == 1
        assert recall_ids(learner, "quickbeam", shop)


def test_a_lesson_goes_by_its_id_and_what_says_something_else_stays(home: Path) -> None:
    shop = write_session(
        home,
        "no, from now on always use quickbeam instead of npm",
        "please remember: quickbeam needs the blue cable",
    )
    with wisen.open_learner() as learner:
        learner.learn()
        goes = next(each for each in learner.lessons.all() if "instead" in each.text)
        before = names(learner)
        learner.forgetting.forget(goes.entry.name)
        assert names(learner) == [each for each in before if each != goes.text]
        learner.learn()
        assert names(learner) == [each for each in before if each != goes.text]
        assert recall_ids(learner, "quickbeam blue cable", shop)
    assert not any(b"instead of npm" in path.read_bytes() for path in (home / "wisen").rglob("*") if path.is_file())


def test_a_turn_goes_by_the_id_of_its_memory_and_a_record_by_its_own(home: Path) -> None:
    shop = write_session(home, "the plumcake is in the oven")
    with wisen.open_learner() as learner:
        learner.learn()
        best = recall_ids(learner, "plumcake", shop)[0]
        assert best.startswith("turn:claude-code:")
        learner.forgetting.forget(best)
        assert recall_ids(learner, "plumcake", shop) == []
        failure = learner.records.record_failure(tool="oven", error="no plumcake")
        learner.records.record_resolution(failure, "buy a plumcake")
        learner.records.record_insight("a teacake is fine")
        learner.forgetting.forget(failure)
    assert find_residues(home / "wisen", ["plumcake"]) == {}
    assert find_residues(home / "wisen", ["teacake"])


def test_a_fix_goes_by_its_id_with_the_calls_that_failed(home: Path) -> None:
    hooks.write_lesson_sessions(home, home / "shop")
    with wisen.open_learner() as learner:
        learner.learn()
        (fix,) = learner.fixes.all()
        learner.forgetting.forget(fix.id)
        for _ in range(2):
            assert learner.fixes.all() == ()
            assert not any("--wait" in each.text for each in learner.lessons.all())
            learner.learn(recheck=True)
    assert not any(b"--wait" in path.read_bytes() for path in (home / "wisen").rglob("*") if path.is_file())


def test_a_rule_is_taken_out_of_the_file_and_what_the_user_wrote_stays(home: Path) -> None:
    shop = write_three_corrections(home)
    (shop / "CLAUDE.md").write_text("# Shop\n\nMine about pnpm.\n")
    with wisen.open_learner() as learner:
        learner.learn()
        (asked,) = learner.proposals.all()
        learner.proposals.answer(asked.proposal.id, Answer.APPROVED)
        assert "wisen:R-" in (shop / "CLAUDE.md").read_text()
        (done,) = learner.forgetting.forget("pnpm", scope=learner.contexts.key_of(shop))
        assert done.left == ()
        assert (shop / "CLAUDE.md").read_text() == "# Shop\n\nMine about pnpm.\n"
        assert learner.changes.all().changes == ()
        learner.learn(judge=True)
        assert learner.lessons.all() == ()


def test_a_line_that_the_user_reworded_belongs_to_the_user(home: Path) -> None:
    shop = write_three_corrections(home)
    (shop / "CLAUDE.md").write_text("# Shop\n")
    with wisen.open_learner() as learner:
        learner.learn()
        (asked,) = learner.proposals.all()
        learner.proposals.answer(asked.proposal.id, Answer.APPROVED)
        text = (shop / "CLAUDE.md").read_text().replace("Use pnpm, not npm", "Use pnpm 9, please.")
        (shop / "CLAUDE.md").write_text(text)
        learner.learn()
        (done,) = learner.forgetting.forget("pnpm", scope=ALL_CONTEXTS)
        assert (shop / "CLAUDE.md").read_text() == text
        assert done.left == (f"{shop / 'CLAUDE.md'} contains it in your own words, which are never edited.",)
    assert not any(b"pnpm" in path.read_bytes() for path in (home / "wisen").rglob("*") if path.is_file())


def test_a_tombstone_is_lifted_by_the_users_word_and_the_logs_teach_again(home: Path) -> None:
    shop = write_session(home, "no, from now on always use quickbeam instead of npm", "and thanks")
    with wisen.open_learner() as learner:
        learner.learn()
        (done,) = learner.forgetting.forget("quickbeam", scope=learner.contexts.key_of(shop))
        learner.learn()
        assert names(learner) == []
        assert learner.forgetting.unforget(done.tombstone, dry_run=True).id == done.tombstone
        assert learner.forgetting.unforget(done.tombstone.lower()[:20]).done
        assert learner.forgetting.tombstones() == ()
        learner.learn()
        assert len(names(learner)) == 1
        assert recall_ids(learner, "quickbeam", shop)
        with pytest.raises(UsageError, match="wisen forget --list"):
            learner.forgetting.unforget(done.tombstone)


@pytest.mark.parametrize("scope", ["context", "all"])
def test_everything_of_a_scope_is_forgotten_and_old_logs_bring_nothing_back(home: Path, scope: str) -> None:
    shop = write_session(home, "no, from now on always use quickbeam instead of npm")
    write_session(home, "no, from now on always use treebeard instead of npm", project="blog", number=2)
    with wisen.open_learner() as learner:
        learner.learn()
        learner.memory.add_note("the quickbeam came", shop)
        learner.cycle()
        learner.forgetting.forget_everything(learner.contexts.key_of(shop) if scope == "context" else ALL_CONTEXTS)
        left = 1 if scope == "context" else 0
        for _ in range(2):
            assert len(names(learner)) == left
            assert learner.status().counts.sessions == left
            learner.learn(recheck=True)
    for file in (home / "wisen").glob("index.db*"):
        file.unlink()
    with wisen.open_learner() as learner:
        learner.cycle()
        assert len(names(learner)) == left
        write_session(home, "please remember: quickbeam needs the blue cable", number=3)
    assert find_residues(home / "wisen", ["quickbeam"]) == {}
    assert bool(find_residues(home / "wisen", ["treebeard"])) == bool(left)


def test_words_need_a_scope_and_ids_do_not(home: Path) -> None:
    with wisen.open_learner() as learner:
        with pytest.raises(UsageError, match="--scope global or all"):
            learner.forgetting.forget("quickbeam")
        with pytest.raises(UsageError, match="nothing to forget"):
            learner.forgetting.forget(" ", scope=ALL_CONTEXTS)
        assert learner.forgetting.forget("quickbeam", scope=ALL_CONTEXTS) == ()
        assert learner.forgetting.tombstones() == ()


@pytest.mark.requirement("N7")
def test_what_an_older_version_let_in_is_purged_by_todays_rules(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = draw_value("ghp_{a36}", random.Random(5))
    shop = write_session(home, f"please remember: the key is {token}", "please remember: the blue cable")
    with monkeypatch.context() as older, wisen.open_learner() as learner:
        for module in (event_filter, record_sanitizer, build_memories, context_files):
            older.setattr(module, "rule_against", lambda _: None)
        learner.learn()
        learner.records.record_insight(f"it is {token}")
        learner.cycle()
    assert any(token.encode() in path.read_bytes() for path in (home / "wisen").rglob("*") if path.is_file())
    shown = run("doctor", "--purge", "--dry-run").stdout
    assert "would be deleted" in shown
    assert token not in shown
    assert token not in run("doctor", "--purge", "--json").stdout
    assert not any(token.encode() in path.read_bytes() for path in (home / "wisen").rglob("*") if path.is_file())
    assert "Nothing is stored" in run("doctor", "--purge").stdout
    with wisen.open_learner() as learner:
        learner.learn(recheck=True)
        assert recall_ids(learner, "blue cable", shop)
    assert not any(token.encode() in path.read_bytes() for path in (home / "wisen").rglob("*") if path.is_file())


def test_the_command_shows_exports_forgets_and_lists(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = write_session(home, "no, from now on always use quickbeam instead of npm")
    run("learn")
    monkeypatch.chdir(shop)
    preview = json.loads(run("forget", "quickbeam", "--dry-run", "--json").stdout)
    assert preview["dry_run"]
    kinds = {thing["kind"] for thing in preview["forgotten"][0]["things"]}
    assert kinds >= {"entry", "event", "memory", "occurrence", "page"}
    file = home / "kept.json"
    shown = run("forget", "quickbeam", "--export", file, "--yes").stdout
    assert "always use quickbeam" in shown
    assert "Forgotten: " in shown
    assert {thing["kind"] for thing in json.loads(file.read_text())["forgotten"]} == kinds
    assert "quickbeam" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "exists already" in run("forget", "quickbeam", "--export", file, expect=1).stderr
    assert "Nothing that is stored here contains that" in run("forget", "quickbeam").stdout
    listed = run("forget", "--list").stdout
    assert "quickbeam" not in listed
    (tombstone,) = json.loads(run("forget", "--list", "--json").stdout)["tombstones"]
    assert "removed" in run("forget", "--undo", tombstone["id"]).stdout
    assert "Nothing was forgotten" in run("forget", "--list").stdout
    run("learn")
    assert "quickbeam" in run("entries").stdout


def test_the_command_asks_for_what_it_cannot_know(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert "--scope global or all" in run("forget", "quickbeam", expect=1).stderr
    assert "no project" in run("forget", "quickbeam", "--scope", "context", expect=1).stderr
    assert "not one of context, global, all" in run("forget", "quickbeam", "--scope", "here", expect=1).stderr
    assert "needs --scope" in run("forget", "--everything", expect=1).stderr
    assert "--yes" in run("forget", "--everything", "--scope", "all", "--json", expect=1).stderr
    assert "Give a text or an id" in run("forget", expect=1).stderr
    assert (
        "Nothing that is stored here contains that" in run("forget", "--everything", "--scope", "all", "--yes").stdout
    )


def test_in_a_terminal_it_asks_for_each_scope(home: Path) -> None:
    message = "no, from now on always use quickbeam instead of npm"
    shop = write_session(home, message)
    write_session(home, message, project="blog", number=2)
    run("learn")
    shown = run_at_terminal(shop, ["forget", "quickbeam"], ["y", "n"])
    assert shown.count("for good? [y/N]") == 2
    assert "(all) for good?" in shown
    with wisen.open_learner() as learner:
        assert len(names(learner)) == 1
    shown = run_at_terminal(shop, ["forget", "--everything"], ["all", "y"])
    assert "Everything in which scope (context, global, all)?" in shown
    with wisen.open_learner() as learner:
        assert names(learner) == []


@pytest.mark.parametrize("typed", ["n\n", "", "maybe\n"])
def test_without_a_yes_nothing_is_forgotten(home: Path, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    shop = write_session(home, "no, from now on always use quickbeam instead of npm")
    run("learn")
    monkeypatch.chdir(shop)
    shown = run("forget", "quickbeam", expect=1, stdin=typed).stdout
    assert re.search(r"Forget \d+ things .* for good\? \[y/N\]", shown), "how many is asked about"
    assert "from now on always use quickbeam instead of npm" in shown, "the first ones are shown"
    assert "Nothing was forgotten." in shown
    assert "Nothing was forgotten." in run("forget", "--everything", "--scope", "all", expect=1, stdin=typed).stdout
    with wisen.open_learner() as learner:
        assert learner.forgetting.tombstones() == ()
        assert len(names(learner)) == 1


def test_a_yes_through_a_pipe_forgets_here_and_what_is_not_answered_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = "no, from now on always use quickbeam instead of npm"
    shop = write_session(home, message)
    write_session(home, message, project="blog", number=2)
    run("learn")
    monkeypatch.chdir(shop)
    assert "Forgotten: " in run("forget", "quickbeam", stdin="y\n").stdout
    with wisen.open_learner() as learner:
        assert len(names(learner)) == 1, "the other project was asked about, and nobody answered"


def test_everything_is_forgotten_and_agents_stay_set_up(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = write_session(home, "no, from now on always use quickbeam instead of npm")
    silent = home / "silent"
    silent.mkdir()
    subprocess.run(["git", "init", "--quiet", silent], check=True)
    run("install", "claude-code", "--yes")
    run("learn")
    settings = home / ".claude" / "settings.json"
    hooked = settings.read_bytes()
    monkeypatch.chdir(silent)
    run("off")
    monkeypatch.chdir(shop)
    shown = run("forget", "--everything", "--scope", "all", "--yes").stdout
    assert "claude-code still calls wisen. To stop that: wisen uninstall claude-code" in " ".join(shown.split())
    assert settings.read_bytes() == hooked
    assert (silent / ".wisen-off").exists(), "a project that was silent stays so"
    with wisen.open_learner() as learner:
        assert learner.forgetting.disabled_by(silent), "and it is known to be the user's own word"
        assert [each.agent for each in learner.install.status() if each.files] == ["claude-code"]
    assert find_residues(home / "wisen", ["quickbeam"]) == {}
    run("uninstall", "claude-code")
    assert not settings.exists() or b"hook" not in settings.read_bytes(), "it can still be taken back exactly"


def run_at_terminal(place: Path, arguments: list[str], answers: list[str]) -> str:
    """Return what a command shows in a terminal to a user who answers."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(place)
        os.execv(AS_PERSON[0], [*AS_PERSON, *arguments])
    shown, waiting = "", iter(answers)
    with suppress(OSError):  # the terminal is gone when the command has ended
        while data := os.read(terminal, 4096):
            shown += data.decode()
            if shown.endswith(("[y/N] ", "all)? ")) and (answer := next(waiting, None)) is not None:
                os.write(terminal, f"{answer}\n".encode())
    assert os.waitpid(process, 0)[1] == 0
    os.close(terminal)
    return shown


@pytest.mark.parametrize("order", [("quickbeam", "treebeard"), ("treebeard", "quickbeam")])
def test_the_heading_that_came_with_the_first_line_goes_with_the_last_one(home: Path, order: tuple[str, ...]) -> None:
    file = write_session(home, "hello") / "CLAUDE.md"
    file.write_bytes(b"# Shop\n\n- mine.\n")
    with wisen.open_learner() as learner:
        learner.learn()
        for number, word in enumerate(("quickbeam", "treebeard")):
            saw = content_digest(file.read_bytes())
            Editor(learner._deps.edit_ports).add_line(
                LinePlan(str(file), "Tools", f"Use {word}.", f"R-000{number}", "said", saw)
            )
        assert b"## Tools" in file.read_bytes()
        for word in order:
            learner.forgetting.forget(word, scope=ALL_CONTEXTS)
    assert file.read_bytes() == b"# Shop\n\n- mine.\n"
