"""A fix that needs approval is asked about once, and none that contradicts a rule is delivered."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run
from tests.hooks import failed_call, fire
from wisen.testing.transcripts import ClaudeTranscript

MISSING = "Error: DATABASE_URL is not set"
NO_RULE = "make: *** No rule to make target 'lint'.  Stop."
VALUE = "-".join(("local", "orchard", "base"))


@pytest.fixture
def project(home: Path) -> Path:
    folder = home / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def wisen(home: Path) -> Path:
    return home / "wisen"


def session(home: Path, project: Path, number: int, *calls: tuple[str, str], prompt: str = "go on") -> None:
    """A session in which each call is a command and what it complains of, or nothing."""
    log = ClaudeTranscript(number, cwd=str(project))
    log.prompt(prompt)
    for command, complaint in calls:
        log.bash(command, complaint or "done", exit_code=1 if complaint else 0)
    log.write(home / ".claude" / "projects" / "shop")


def json_answer(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


def questions() -> list[dict[str, Any]]:
    return [each for each in json_answer("proposals")["proposals"] if each["type"] == "fix"]


def start(wisen: Path, project: Path, name: str) -> str:
    return fire(wisen, "session-start", {"session_id": name, "cwd": str(project), "source": "startup"})


@pytest.mark.requirement("F4")
def test_what_replaces_a_missing_script_is_delivered_after_one_session(home: Path, wisen: Path, project: Path) -> None:
    session(home, project, 1, ("make lint", NO_RULE), ("cat Makefile", ""), ("make check", ""))
    run("cycle", "--quick")
    answer = fire(wisen, "failure", failed_call("make lint", f"Exit code 2\n{NO_RULE}", cwd=project))
    assert "`make lint` → `make check`" in answer
    assert questions() == [], "what is harmless needs no yes"


@pytest.mark.requirement("F4")
@pytest.mark.parametrize(
    ("complaint", "asked_before"),
    [
        ("shopctl: error: 503 Service Unavailable", False),
        ("bash: line 1: shopctl: command not found", False),
        ("bash: line 1: shopctl: command not found", True),
    ],
)
def test_nobody_is_asked_about_a_way_around_a_tool_that_works_again(
    home: Path, project: Path, complaint: str, *, asked_before: bool
) -> None:
    for number in (1, 2, 3):
        session(home, project, number, ("shopctl deploy", complaint), ("npx shopctl deploy", ""))
    if asked_before:
        run("cycle", "--quick")
        assert len(questions()) == 1
    session(home, project, 4, ("shopctl deploy", ""))
    run("cycle", "--quick")
    assert questions() == []


@pytest.mark.requirement("F4")
@pytest.mark.requirement("S6")
@pytest.mark.parametrize("way", ["approve in the chat", "approve", "reject"])
def test_a_fix_with_a_danger_is_asked_about_once_and_a_yes_has_it_told(
    home: Path, wisen: Path, project: Path, way: str
) -> None:
    session(home, project, 1, ("npm start", MISSING), (f"DATABASE_URL={VALUE} npm start", ""))
    run("cycle", "--quick")
    assert questions() == [], "what helped once may have been chance"
    session(home, project, 3, ("npm start", MISSING), (f"DATABASE_URL={VALUE} npm start", ""))
    run("cycle", "--quick")
    (question,) = questions()
    assert "DATABASE_URL=<value>" in question["text"]
    assert question["leave"] == "ask"
    failure = failed_call("npm start", f"Exit code 1\n{MISSING}", cwd=project)
    assert fire(wisen, "failure", failure) == ""
    began = start(wisen, project, "a")
    assert "May agents be given what helped in 2 sessions against “DATABASE_URL: missing variable”" in began
    assert '"approve 1"' in began
    assert "DATABASE_URL=" not in began, "what helped is not told before the user said yes"
    if way == "approve in the chat":
        log = ClaudeTranscript(7, cwd=str(project), start=datetime.now(UTC))
        log.prompt("approve 1")
        log.bash("ls")
        log.write(home / ".claude" / "projects" / "shop")
        fire(wisen, "prompt", {"session_id": log.session, "cwd": str(project), "prompt": "approve 1"})
    else:
        run("proposals", way, question["id"])
    run("cycle", "--quick")
    assert questions() == []
    told_now = fire(wisen, "failure", {**failure, "session_id": "later"})
    assert ("with DATABASE_URL=<value>" in told_now) is (way != "reject")
    assert VALUE not in began + told_now + json.dumps(json_answer("proposals", "--all")), "a value may be a secret"
    session(home, project, 2, ("npm start", MISSING), (f"DATABASE_URL={VALUE} npm start", ""))
    run("cycle", "--quick")
    assert questions() == []
    assert json_answer("proposals")["proposals"] == [], "it is no rule, and nothing else is asked of it"


@pytest.mark.requirement("S17")
def test_a_question_about_a_fix_stands_at_the_start_of_one_session_and_then_waits_in_review(
    home: Path, wisen: Path, project: Path
) -> None:
    session(home, project, 1, ("npm start", MISSING), (f"DATABASE_URL={VALUE} npm start", ""))
    session(home, project, 2, ("npm start", MISSING), (f"DATABASE_URL={VALUE} npm start", ""))
    run("cycle", "--quick")
    assert "May agents be given" in start(wisen, project, "a")
    run("cycle", "--quick")
    assert "May agents be given" not in start(wisen, project, "b")
    assert len(questions()) == 1
    assert "may agents be given what helped" in run("proposals").stdout


RULES = {
    "said": "from now on use pnpm, not npm. always.",
    "in a file": "- Use pnpm, not npm.\n",
    "without the other": "- Always use pnpm.\n",
}


@pytest.mark.requirement("F4")
@pytest.mark.parametrize("where", RULES)
def test_a_fix_or_guard_that_speaks_against_a_rule_is_held_back_and_shown_with_why(
    home: Path, wisen: Path, project: Path, where: str
) -> None:
    unknown = 'npm error Missing script: "typs"'
    calls = (("npm run typs", unknown), ("npm run types", ""))
    for number in (1, 2, 3):
        session(home, project, number, *calls)
    run("cycle", "--quick")
    failure = failed_call("npm run typs", f"Exit code 1\n{unknown}", cwd=project)
    assert "npm run types" in fire(wisen, "failure", failure), "without a rule it is told"
    assert [each["type"] for each in json_answer("proposals")["proposals"]] == ["guard"]
    if where == "said":
        session(home, project, 4, ("ls", ""), prompt=RULES[where])
    else:
        (project / "CLAUDE.md").write_text(RULES[where], encoding="utf-8")
        session(home, project, 4, ("ls", ""))
    run("cycle", "--quick")
    assert fire(wisen, "failure", {**failure, "session_id": "later"}) == ""
    (held,) = json_answer("proposals", "--all")["held_back"]
    assert "pnpm" in held["rule"]
    line = f"Withheld: fix {held['fix']} contradicts your rule"
    assert line in run("proposals", "--all").stdout
    assert json_answer("proposals")["proposals"]
    assert line not in run("review", stdin="q\n").stdout, "who quits does not wait for it"
    assert line in run("review", stdin="s\n" * 9).stdout.rpartition("[y,n,")[2], "it comes after the last question"
    assert line in run("review").stdout, "and where there is no question"
    assert "Agents are not given it: it contradicts your rule" in run("explain", held["fix"]).stdout


@pytest.mark.requirement("X4")
def test_tests_that_fail_until_the_code_is_right_are_work_and_no_failure_to_be_cured(home: Path, project: Path) -> None:
    fails = "--- FAIL: TestA (0.00s)\nFAIL\tshop/cart\t0.01s\nFAIL"
    for number in (1, 2, 3):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("make the test pass")
        log.bash("go test ./cart", fails, exit_code=1)
        log.ok(log.call("Edit", file_path=str(project / "a.go"), old_string="1", new_string="2"))
        log.bash("go test ./cart", "ok")
        log.bash("gh pr diff 1 --stat", "unknown flag: --stat", exit_code=1)
        log.write(home / ".claude" / "projects" / "shop")
    report = json_answer("learn")
    assert [each["signature"]["key"] for each in report["failures"]] == ["shell.unknown-option"]
    assert report["fixes"] == []
    assert "tests fail" not in run("learn").stdout


@pytest.mark.requirement("F4")
def test_nobody_is_asked_about_a_fix_of_which_a_part_was_left_out(home: Path, wisen: Path, project: Path) -> None:
    long = "/srv/" + "deep/" * 12 + "cache"
    complaint = f"error: stale cache in {long}: remove it first"
    for number in (1, 2, 3):
        session(home, project, number, ("orchard build", complaint), (f"rm -rf {long}", ""), ("orchard build", ""))
    run("cycle", "--quick")
    fixes = [each["change"] for each in json_answer("fixes")["fixes"] if "…" in str(each["change"])]
    assert fixes, "it is learned, and shown by `wisen fixes`"
    assert questions() == []


@pytest.mark.requirement("F4")
def test_nobody_is_asked_about_a_place_outside_the_project_that_was_met_once(home: Path, project: Path) -> None:
    wrong, right = "/srv/plot/rows.txt", "/srv/field/rows.txt"
    calls = (f"cat {wrong}", f"cat: {wrong}: No such file or directory"), (f"cat {right}", "")
    session(home, project, 1, *calls)
    run("cycle", "--quick")
    assert questions() == []
    session(home, project, 2, *calls)
    run("cycle", "--quick")
    assert [each["text"] for each in questions() if "rows.txt" in each["text"]]


@pytest.mark.requirement("F6")
def test_a_question_about_a_guard_is_closed_when_the_calls_that_it_would_stop_work_again(
    home: Path, project: Path
) -> None:
    complaint = "shopctl: error: resource temporarily unavailable"
    for number in range(1, 5):
        session(home, project, number, ("shopctl deploy", complaint), ("othershop deploy", ""))
    run("cycle", "--quick")
    assert [each["type"] for each in json_answer("proposals")["proposals"]] == ["guard"]
    for number in range(5, 8):
        session(home, project, number, ("shopctl deploy", ""))
    run("cycle", "--quick")
    assert json_answer("proposals")["proposals"] == []
