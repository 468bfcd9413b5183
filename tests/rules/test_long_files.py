"""Approving a rule whose file is too long or not writable: other places are offered, and the result is reported."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands import run
from tests.hooks import fire
from wisen import app
from wisen.delivery.chat_requests import shipped_table
from wisen.errors import PlaceNeeded, StoreError
from wisen.kernel.request_reading import read_request
from wisen.learner import Learner
from wisen.model.entry import Answer
from wisen.model.place import PLACE_ALIASES
from wisen.testing.transcripts import ClaudeTranscript

RULE = "pnpm instead of npm"
LONG = "".join(f"Line {number} of what the team wrote.\n" for number in range(491))
WHERES = {
    "file": "CLAUDE.md",
    "local": "CLAUDE.local.md",
    "rules": ".claude/rules/wisen.md",
    "own": "../.claude/CLAUDE.md",
}


def write_session(
    home: Path, project: Path, number: int = 1, words: str = f"no, from now on always use {RULE}"
) -> None:
    log = ClaudeTranscript(number, cwd=str(project))
    log.prompt("run the tests")
    log.bash("npm test", "npm error", exit_code=1)
    log.prompt(words)
    log.bash("pnpm test")
    log.write(home / ".claude" / "projects" / "shop")


@pytest.fixture
def project(home: Path) -> Path:
    """A project with a CLAUDE.md of 491 lines, and a rule that waits."""
    folder = home / "shop"
    folder.mkdir()
    (folder / "CLAUDE.md").write_text(LONG)
    write_session(home, folder)
    return folder


@pytest.fixture
def learner(home: Path, project: Path) -> Learner:
    with app.wire(home / "wisen").learner() as learner:
        learner.cycle(quick=True)
        return learner


def proposals(home: Path) -> list[dict[str, object]]:
    with app.wire(home / "wisen").learner(reads=False) as learner:
        return [
            {"id": each.proposal.id, "text": each.proposal.text} for each in learner.proposals.all() if each.is_waiting
        ]


def answer(home: Path, given: Answer = Answer.APPROVED, *, to: str | None = None, at: int = 0) -> None:
    with app.wire(home / "wisen").learner(reads=False) as learner:
        waiting = [each for each in learner.proposals.all() if each.is_waiting]
        learner.proposals.answer(waiting[at].proposal.id, given, to=to)


def review(keys: str) -> str:
    done = run("review", stdin=keys)
    assert done.stderr == ""
    return done.stdout


def type_messages(home: Path, project: Path, *texts: str, number: int = 7) -> list[str]:
    """A session in which the user types something: the hook receives it, and the agent logs it."""
    log = ClaudeTranscript(number, cwd=str(project), start=datetime.now(UTC))
    for text in texts:
        log.prompt(text)
        log.bash("ls")
    log.write(home / ".claude" / "projects" / "shop")
    event = {"session_id": log.session, "cwd": str(project)}
    return [fire(home / "wisen", "prompt", {**event, "prompt": text}) for text in texts]


def cycle(home: Path) -> None:
    with app.wire(home / "wisen").learner() as learner:
        learner.cycle(quick=True)


def start_session(home: Path, project: Path, session: str) -> str:
    return fire(home / "wisen", "session-start", {"session_id": session, "cwd": str(project), "source": "startup"})


@pytest.mark.requirement("S6")
def test_a_review_never_ends_at_a_file_that_is_too_long_and_asks_where_the_rule_may_go(
    home: Path, project: Path
) -> None:
    write_session(home, project, 2, "from now on always run the linter before you commit")
    run("learn")
    assert len(proposals(home)) == 2
    shown = review("y\n9\n\ny\nrules\n")
    assert "has 491 lines" in shown
    assert "'9' is not one of them" in shown
    assert "Nothing was done; it still waits." in shown
    assert "The next rules of this project go there too" in shown
    assert (project / "CLAUDE.md").read_text() == LONG
    assert (project / WHERES["rules"]).read_text().count("<!-- wisen:R-") == 1
    assert len(proposals(home)) == 1
    assert "Written to" in review("y\n"), "where it goes is asked once"
    assert (project / WHERES["rules"]).read_text().count("<!-- wisen:R-") == 2
    chosen = json.loads(run("proposals", "place", "--json").stdout)["places"]
    assert [(each["file"], each["to"]) for each in chosen] == [("CLAUDE.md", "rules")]


@pytest.mark.requirement("S6", "S7")
@pytest.mark.parametrize("to", sorted(WHERES))
def test_each_place_is_written_shown_before_and_can_be_taken_back(
    home: Path, project: Path, learner: Learner, to: str
) -> None:
    (home / ".claude" / "CLAUDE.md").write_text("Mine.\n")
    before = {path: path.read_bytes() for path in (*project.rglob("*.md"), home / ".claude" / "CLAUDE.md")}
    file = (project / WHERES[to]).resolve()
    with app.wire(home / "wisen").learner(reads=False) as learner:
        (waiting,) = [each for each in learner.proposals.all() if each.is_waiting]
        id_ = waiting.proposal.id
        with pytest.raises(PlaceNeeded, match="has 491 lines") as needed:
            learner.proposals.answer(id_, Answer.APPROVED)
        assert [word for word, _ in needed.value.places] == ["file", "local", "rules", "own", "hook"]
        edit = learner.proposals.answer(id_, Answer.APPROVED, to=to, dry_run=True).edit
        assert edit is not None
        assert RULE in (edit.new_content or b"").decode()
        assert learner.proposals.get(id_).is_waiting, "a dry run does nothing"
        assert {path: path.read_bytes() for path in before} == before
        learner.proposals.answer(id_, Answer.APPROVED, to=to)
        assert file.read_text().count(RULE) == 1
        assert sum(path.read_text().count(RULE) for path in (*project.rglob("*.md"), home / ".claude/CLAUDE.md")) == 1
        learner.changes.undo()
        now = {path: path.read_bytes() for path in (*project.rglob("*.md"), home / ".claude" / "CLAUDE.md")}
        assert now == before, "as it was, and a file of ours that is empty is gone"


@pytest.mark.parametrize("to", ["file", "local", "rules", "hook"])
def test_a_choice_is_remembered_for_the_project_and_can_be_changed(
    home: Path, project: Path, learner: Learner, to: str
) -> None:
    answer(home, to=to)
    write_session(home, project, 2, "from now on always run the linter before you commit")
    cycle(home)
    answer(home)
    texts = "".join(path.read_text() for path in project.rglob("*.md"))
    assert (texts.count(RULE), texts.count("linter")) == ((0, 0) if to == "hook" else (1, 1))
    with app.wire(home / "wisen").learner(reads=False) as learner:
        (chosen,) = learner.rules.chosen_places()
        assert chosen.to == to
        learner.rules.choose_place(chosen.context, "CLAUDE.md", "ask")
        assert learner.rules.chosen_places() == ()
    write_session(home, project, 3, "from now on always write the changelog by hand")
    cycle(home)
    with pytest.raises(PlaceNeeded):
        answer(home)


def test_in_the_users_own_file_a_rule_holds_everywhere_and_that_is_said_each_time(
    home: Path, project: Path, learner: Learner
) -> None:
    answer(home, to="own")
    with app.wire(home / "wisen").learner(reads=False) as learner:
        (state,) = learner.lessons.all()
        assert state.context == ""
        assert learner.rules.chosen_places() == ()
    write_session(home, project, 2, "from now on always run the linter before you commit")
    cycle(home)
    with pytest.raises(PlaceNeeded):
        answer(home)


@pytest.mark.requirement("S6", "S17")
def test_approved_in_the_chat_asks_for_a_place_at_once_and_tells_once_what_was_done(
    home: Path, project: Path, learner: Learner
) -> None:
    asked, noted = type_messages(home, project, "approve 1", "approve 1 to .claude/rules")
    assert "Not done, 1 still waits:" in asked
    assert "has 491 lines" in asked
    assert "approve 1 to .claude/rules:" in asked
    assert "approve 1 to local: CLAUDE.local.md" in asked
    assert "Noted" in noted
    assert "Noted" not in asked
    cycle(home)
    assert (project / WHERES["rules"]).read_text().count(RULE) == 1
    session = ClaudeTranscript(7, cwd=str(project)).session
    event = {"session_id": session, "cwd": str(project), "prompt": "go on"}
    delivered = fire(home / "wisen", "prompt", event)
    assert ".claude/rules/wisen.md now says: “" in delivered
    assert RULE in delivered
    assert "now says" not in fire(home / "wisen", "prompt", event), "it is delivered once"
    assert RULE not in start_session(home, project, "later"), "the file tells it now: one rule, one channel"


@pytest.mark.requirement("S6", "S17")
@pytest.mark.parametrize("how", ["read-only", "link outside", "merge conflict", "folder", "project gone"])
def test_what_could_not_be_done_is_reported_where_it_was_asked_and_nothing_is_lost(
    home: Path, project: Path, learner: Learner, how: str
) -> None:
    (project / "CLAUDE.md").write_text("Mine.\n")
    cycle(home)
    (noted,) = type_messages(home, project, "approve 1")
    assert "Noted" in noted
    file = project / "CLAUDE.md"
    file.unlink()
    if how == "read-only":
        file.write_text("Mine.\n")
        file.chmod(0o444)
        if os.access(file, os.W_OK):
            subprocess.run(["chattr", "+i", file], check=False, capture_output=True)
            if os.access(file, os.W_OK):
                pytest.skip("for root nothing is read-only on this file system")
    elif how == "link outside":
        (home / "elsewhere.md").write_text("Somebody's.\n")
        file.symlink_to(home / "elsewhere.md")
    elif how == "merge conflict":
        file.write_text("<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> side\n")
    elif how == "folder":
        file.mkdir()
    else:
        project.rmdir()
    try:
        held = file.read_bytes() if file.is_file() else b""
        cycle(home)
        assert (file.read_bytes() if file.is_file() else b"") == held
        assert len(proposals(home)) == 1, "it still waits"
        delivered = start_session(home, project, "the next session")
        assert "Not done, what you typed as “approve 1”" in delivered
        assert "It still waits." in delivered
        assert f"approve 1 to {'hook' if how == 'project gone' else 'local'}" in delivered
        assert project.exists() == (how != "project gone"), "what is gone is not made again"
        assert "Not done" not in start_session(home, project, "the one after that"), "it is delivered once"
        assert "still waits" not in start_session(home, home / "other", "elsewhere")
        (asked,) = type_messages(home, project, "approve 1", number=8)
        assert how == "read-only" or "Not done, 1 still waits" in asked, "now it is known"
    finally:
        subprocess.run(["chattr", "-i", file], check=False, capture_output=True)


def test_a_place_that_there_is_not_is_said_with_those_that_there_are(home: Path, project: Path) -> None:
    run("cycle", "--quick")
    output = run("proposals", "approve", "1", "--to", "nowhere", expect=1).stderr
    assert "'nowhere' is not a valid place for this rule. Allowed: file, local, rules, own, hook." in output
    output = run("proposals", "approve", "1", expect=1).stderr
    assert "has 491 lines" in output
    assert "--to rules" in output
    shown = run("proposals", "approve", "1", "--dry-run", expect=1).stdout
    assert all(f"--to {word}: " in shown for word in (*WHERES, "hook"))
    assert shown.count(f"{RULE} <!--") == len(WHERES), "the diff of each place"
    assert "'own' cannot be chosen" in run("proposals", "place", "own", "--global", expect=1).stderr
    (asked,) = type_messages(home, project, "approve 1 to the moon")
    assert "no place 'the moon'" in asked
    (silent,) = type_messages(home, project, "approve it to be done with", number=9)
    assert silent == "", "it is meant for the agent"


@pytest.mark.parametrize("name", sorted(PLACE_ALIASES))
def test_every_name_of_a_place_is_recognized(name: str) -> None:
    asked = read_request(f"Approve 2 to {name.upper()}.", shipped_table())
    assert (asked.kind, asked.target) == ("approve", f"2 to {name}")


@pytest.mark.parametrize(
    "text", ["approve the pull request please", "approve 2 and go on", "approve 2 to", "approve this to\nmerge it. ok"]
)
def test_other_prompts_are_not_taken_for_a_wish(text: str) -> None:
    assert read_request(text, shipped_table()).kind == ""


def test_an_answer_that_was_stopped_after_its_line_was_written_can_be_given_again_and_undone(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "CLAUDE.md").write_text("mine\n")
    with app.wire(home / "wisen").learner() as learner:
        learner.cycle(quick=True)
        (each,) = [each for each in learner.proposals.all() if each.is_waiting]
        ledger = learner.home.ledger
        with monkeypatch.context() as full:
            full.setattr(ledger.entries, "record", _fail)
            with pytest.raises(StoreError):
                learner.proposals.answer(each.proposal.id, Answer.APPROVED)
        assert RULE in (project / "CLAUDE.md").read_text()
        learner.proposals.answer(each.proposal.id, Answer.APPROVED)
        assert (project / "CLAUDE.md").read_text().count(RULE) == 1
        decision = learner.changes.decisions()[-1]
        assert decision.did == "approved"
        learner.changes.undo(decision.id)
    assert (project / "CLAUDE.md").read_text() == "mine\n"


def _fail(rows: object) -> None:
    raise StoreError("the disk is full")
