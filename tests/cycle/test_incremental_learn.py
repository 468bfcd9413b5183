"""Learning session by session gives what learning all at once gives, and working everything out again adds nothing."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import wisen
from tests.sizes import size
from wisen.model.entry import Actor, EntryType, MoveKind
from wisen.store.known_entries import entry_states
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.learner import Learner
    from wisen.model.report import Report

pytestmark = pytest.mark.requirement("X6")

TODAY = datetime.now(UTC).replace(microsecond=0)
SAID = (
    "from now on always use pnpm, not npm",
    "from now on always use npm, not pnpm",
    "no, use pnpm, not npm",
    "never edit the generated files by hand",
    "don't touch the lockfile",
    "in all my projects, always sort the imports",
    "great, that works",
    "stop using any types. and never commit directly to main.",
    "remember that the API key is in the vault",
)
CALLS = (
    ("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", "shopctl deploy"),
    ("npm test", "npm error Missing script: test", "npm run check"),
    ("python build.py", "python: command not found", "python3 build.py"),
)


def write_session(number: int, home: Path, chance: random.Random, more: int = 0) -> None:
    """Write a session of one of three projects; `more`: how many requests it has got since."""
    project = home / "src" / chance.choice(("shop", "bank", "farm"))
    project.mkdir(parents=True, exist_ok=True)
    start = TODAY - timedelta(days=20) + timedelta(hours=7 * number)
    log = ClaudeTranscript(number, cwd=str(project), start=start)
    for _ in range(chance.randint(1, 3) + more):
        log.prompt(f"release part {chance.randrange(3)} now")
        failing, error, working = chance.choice(CALLS)
        if chance.random() < 0.6:
            log.bash(failing, error, exit_code=2)
        log.bash(working, "done")
        log.prompt(chance.choice(SAID))
        log.say("I will.")
    log.write(home / ".claude" / "projects" / project.name)


def learned(learner: Learner) -> list[tuple[Any, ...]]:
    """Return what the ledger knows, without what depends on when it was recorded."""
    names = {each.key: each.name for each in learner.home.ledger.contexts.all()}
    return sorted(
        (
            names.get(each.context, each.context),
            each.text,
            each.times,
            each.sessions,
            each.status.value,
            each.last,
            bool(each.superseded_by),
            each.everywhere,
            each.trigger is None,
        )
        for each in entry_states(learner.home.ledger)
        if each.entry.type is not EntryType.ERROR  # one is recorded as soon as its fix is reliable, and stays
    )


def shown(report: Report) -> tuple[Any, ...]:
    themes = [(each.lesson, each.sessions, each.times, each.last) for each in report.themes]
    return report.counts, report.failures, report.fixes, report.signals, themes


@pytest.mark.sized
@pytest.mark.parametrize("seed", range(size(3, 40)))
def test_session_by_session_equals_all_at_once(seed: int, tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    with wisen.open_learner(tmp_path / "one by one", environment=environment) as learner:
        for number in range(1, 7):
            write_session(number, tmp_path, random.Random(f"{seed} {number}"))
            if number % 3 == 0:  # an earlier session goes on
                write_session(number - 1, tmp_path, random.Random(f"{seed} {number - 1}"), more=1)
            learner.learn()
        report = learner.learn()
        mark, before = learner.home.ledger.mark(), learned(learner)
        learner.home.index.folds.clear()
        again = learner.learn()
        assert learner.home.ledger.mark() == mark, "working everything out again recorded something new"
        assert learned(learner) == before
        assert shown(again) == shown(report)
        assert again.proposals == report.proposals
    with wisen.open_learner(tmp_path / "at once", environment=environment) as learner:
        once = learner.learn()
        assert shown(once) == shown(report)
        assert [each[:2] for each in learned(learner)] == [each[:2] for each in before]


def test_a_run_with_nothing_new_reports_the_same_without_reading_entries(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        write_session(number, tmp_path, random.Random(number))
    with wisen.open_learner(tmp_path / "wisen", environment={"HOME": str(tmp_path)}) as learner:
        first = learner.learn()
        second = learner.learn()
        assert first.new_events
        assert not second.new_events
        assert shown(second) == shown(first)
        assert (second.undecided, second.proposals) == (first.undecided, first.proposals)
        assert len(learner.home.ledger.runs.newest(9)) == 2


def test_a_deleted_page_is_written_again_although_nothing_is_new(tmp_path: Path) -> None:
    home = tmp_path / "wisen"
    write_session(1, tmp_path, random.Random(5))
    with wisen.open_learner(home, environment={"HOME": str(tmp_path)}) as learner:
        learner.learn()
        learner.learn()
        (page,) = (home / "contexts").glob("*/meta.md")  # lines that are deleted from the others stay deleted
        text = page.read_bytes()
        page.unlink()
        learner.learn()
        assert page.read_bytes() == text


def test_a_ledger_that_came_back_from_a_backup_is_filled_from_the_sessions_again(tmp_path: Path) -> None:
    home = tmp_path / "wisen"
    write_session(1, tmp_path, random.Random(5))
    with wisen.open_learner(home, environment={"HOME": str(tmp_path)}) as learner:
        learner.learn()
        before = learned(learner)
    assert before
    for file in home.glob("ledger.db*"):
        file.unlink()
    for file in (home / "backups").iterdir():
        file.unlink()
    with wisen.open_learner(home, environment={"HOME": str(tmp_path)}) as learner:
        learner.learn()
        assert [each[1:4] for each in learned(learner)] == [each[1:4] for each in before]


def test_what_a_person_replaced_by_a_lesson_of_another_project_stays_replaced(tmp_path: Path) -> None:
    def say(number: int, project: str, text: str) -> None:
        folder = tmp_path / "src" / project
        folder.mkdir(parents=True, exist_ok=True)
        log = ClaudeTranscript(number, cwd=str(folder), start=TODAY - timedelta(days=3) + timedelta(hours=number))
        log.prompt(text)
        log.write(tmp_path / ".claude" / "projects" / project)

    say(1, "shop", "never edit the generated files by hand")
    say(2, "bank", "always generate the files with make gen")
    with wisen.open_learner(tmp_path / "wisen", environment={"HOME": str(tmp_path)}) as learner:
        learner.learn()
        old, new = (
            next(each.entry for each in learner.lessons.all() if word in each.text) for word in ("by hand", "make gen")
        )
        decided = learner.home.row_factory.build_move(old.id, MoveKind.SUPERSEDE, new.id, by=Actor.USER)
        learner.home.ledger.entries.record([decided])
        learner.learn()
        say(3, "shop", "always sort the imports")  # only the project of the old lesson changes
        learner.learn()
        states = {each.entry.id: each for each in learner.lessons.all()}
        assert states[old.id].superseded_by == new.id


def test_two_lessons_of_one_message_stay_two_in_every_run(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    log = ClaudeTranscript(1, cwd=str(project), start=datetime.now(UTC) - timedelta(days=1))
    log.prompt("from now on always use pnpm. and never, never ever commit to main without a review.")
    log.write(tmp_path / ".claude" / "projects" / "shop")
    with wisen.open_learner(tmp_path / "wisen", environment={"HOME": str(tmp_path)}) as learner:
        learner.learn()
        first = learned(learner)
        assert len(first) == 2
        learner.home.index.folds.clear()
        learner.learn()
        assert learned(learner) == first
