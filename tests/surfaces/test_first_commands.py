"""What a new user tries first: briefs, groups without a subcommand, one project of many, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

import wisen
from tests.commands import run
from wisen.contexts.project_names import nearest_projects, project_places
from wisen.model.context import Alias, ContextKind, context_of
from wisen.surfaces import cli
from wisen.testing.log_writer import NOON
from wisen.testing.transcripts import ClaudeTranscript
from wisen.text.orders import is_order


def session(home: Path, number: int, project: Path, *messages: str, fails: bool = False) -> None:
    project.mkdir(parents=True, exist_ok=True)
    log = ClaudeTranscript(number, cwd=str(project))
    log.prompt("go on with the work")
    if fails:
        log.bash("rtk bun test", "error: unrecognized subcommand 'bun'\n\nUsage: rtk <COMMAND>", exit_code=2)
        log.bash("bun test", "5 pass")
    for text in messages:
        log.say("I have committed the work.")
        log.prompt(text)
        log.bash("git status", "clean")
    log.write(home / ".claude" / "projects" / project.name)


@pytest.fixture
def shop(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a rule about commits, a failure of every session, and remarks that share words with the task."""
    project = home / "shop"
    for number in range(1, 13):
        messages = (
            ("please don't amend commits - it messes with the workflows, always make a new one",) if number < 4 else ()
        )
        remarks = (
            ("no, this does not work, the open button of the work list is still broken",) if number in (4, 5) else ()
        )
        session(home, number, project, *messages, *remarks, fails=True)
    monkeypatch.chdir(project)
    run("learn")
    return project


@pytest.mark.requirement("F9")
def test_rules_and_fixes_that_match_a_task_come_before_everything_else(shop: Path) -> None:
    text = run("brief", "commit the work and open a PR").stdout
    lines = text.splitlines()
    assert "amend commits" in lines[1], text
    assert any("without rtk" in line for line in lines), text
    places = [lines.index(head) for head in ("Said before:", "Known failures:", "Facts:") if head in lines]
    assert places == sorted(places)
    assert "button" not in "\n".join(lines[: places[-1]]), text


@pytest.mark.requirement("F9")
@pytest.mark.parametrize(
    "task", ["push it", "make a pull request", "git commit -am wip", "ship it", "rebase onto main"]
)
def test_a_task_implies_the_commands_that_rules_are_about(shop: Path, task: str) -> None:
    assert "amend commits" in run("brief", task).stdout


@pytest.mark.requirement("F9")
@pytest.mark.parametrize("task", ["paint the fence", "what is the weather like", "zzz"])
def test_a_brief_for_an_unknown_task_is_empty(shop: Path, task: str) -> None:
    assert run("brief", task).stdout.startswith("Nothing that was learned here")


def groups() -> list[list[str]]:
    """Every group of commands, by its words."""
    found: list[list[str]] = []

    def walk(group: object, words: list[str]) -> None:
        for name, each in getattr(group, "commands", {}).items():
            if getattr(each, "commands", None):
                found.append([*words, name])
                walk(each, [*words, name])

    walk(typer.main.get_command(cli.app), [])
    return found


@pytest.mark.requirement("S19")
def test_every_group_shows_its_list_without_a_subcommand(shop: Path) -> None:
    assert len(groups()) >= 9
    for words in groups():
        shown = run(*words).stdout
        assert shown.strip(), words
        assert not shown.startswith("Usage:"), words
        json.loads(run(*words, "--json").stdout)
    assert run().stdout.startswith("Usage: ")


@pytest.mark.requirement("S11")
def test_memory_tells_what_is_kept_and_in_which_layers(shop: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = run("memory").stdout
    assert "12 sessions" in shown
    assert "lesson" in shown
    for command in ("wisen recall", "wisen memory days", "wisen lessons", "wisen rules"):
        assert command in shown
    result = json.loads(run("memory", "--json").stdout)
    assert result["here"]["sessions"] == result["everywhere"]["sessions"] == 12
    monkeypatch.chdir(home)
    assert "not in a known project" in run("memory").stdout


def test_memory_of_a_home_that_was_never_used_makes_no_files(home: Path) -> None:
    assert "wisen learn" in run("memory").stdout
    assert not (home / "wisen" / "ledger.db").exists()


@pytest.mark.requirement("N3")
def test_a_project_is_chosen_by_name_or_path_and_an_unknown_one_is_reported(home: Path) -> None:
    for number, name in enumerate(("orchard", "orchestra", "bakery"), start=1):
        session(home, number, home / name, fails=True)
    assert json.loads(run("learn", "--project", "orchard", "--json").stdout)["counts"]["sessions"] == 1  # the first run
    assert json.loads(run("learn", "--json").stdout)["counts"]["sessions"] == 3
    for name in ("bakery", "BAKERY", str(home / "bakery"), str(home / "bakery" / "src"), f"{home}/bakery/"):
        report = json.loads(run("learn", "--project", name, "--json").stdout)
        assert report["counts"]["sessions"] == 1, name
    assert json.loads(run("learn", "--project", str(home), "--json").stdout)["counts"]["sessions"] == 3
    error = run("learn", "--project", "orchad", expect=1).stderr
    assert "orchad" in error
    assert "orchard" in error
    assert "wisen contexts" in error
    assert error.index("orchard") < error.index("orchestra") if "orchestra" in error else True
    assert "'nosuch'" in run("learn", "--project", "nosuch", expect=1).stderr
    assert run("status").stdout.count("stopped") == 0  # a wrong name is no failure of learning


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ("cli", ("/home/ada/cli", "/home/ben/cli")),
        ("orchard/cli", ("/home/ada/cli",)),
        ("github.com/orchard/cli", ("/home/ada/cli",)),
        ("/home/ben", ("/home/ben/cli",)),
        ("/home/ben/cli/src/deep", ("/home/ben/cli",)),
        ("cl", ()),
        ("io/cli", ()),
        ("", ()),
    ],
)
def test_names_of_projects(wanted: str, places: tuple[str, ...]) -> None:
    remote = context_of(ContextKind.REMOTE, "github.com/orchard/cli")
    local = context_of(ContextKind.PATH, "/home/ben/cli", machine="m")
    aliases = [
        Alias(context=remote.key, machine="m", path="/home/ada/cli", since=NOON),
        Alias(context=local.key, machine="m", path="/home/ben/cli", since=NOON),
    ]
    path = wanted if wanted.startswith("/") else f"/elsewhere/{wanted}"
    assert project_places(wanted, path, [remote, local], aliases) == places
    assert nearest_projects("clj", [remote, local], aliases) == ("cli (github.com/orchard/cli)",)


@pytest.mark.requirement("X4")
def test_what_only_tells_a_state_is_quoted_and_not_shown_as_a_rule(home: Path) -> None:
    for number in range(1, 5):
        session(home, number, home / "shop", 'no, "mise run test:ci" fails')
    with wisen.open_learner() as learner:
        themes = learner.learn().themes
    states = [theme.lesson for theme in themes if not is_order(theme.lesson)]
    shown = run("learn").stdout
    for state in states:
        assert f": {state}" not in shown
        assert f"- {state}" not in shown
    assert not themes or states
    assert "“" in shown or not themes
    assert "test:ci" not in run("rules").stdout
