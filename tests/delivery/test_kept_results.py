"""What runs keep to be quicker changes nothing: snapshots and context files are as if all was worked out again."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.commands import run
from tests.stated_lessons import TeachingUser
from wisen import app
from wisen.model.entry import Answer
from wisen.store.known_entries import entry_states
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.learner import Learner

STATEMENTS = (
    "no, always use pnpm, not npm",
    "never push to main",
    "from now on, write tests before the code",
    "please remember: the server is called marigold",
    "always run make lint before you commit",
    "no, never use pnpm",
)


def everything_written(home: Path) -> dict[str, str]:
    """Return what hooks read and what people read, by file; without the time of the run."""
    folder = home / "wisen"
    current = json.loads((folder / "snapshots" / "current.json").read_text())
    del current["made"]
    pages = {str(path): path.read_text() for path in folder.rglob("*.md") if "summaries" not in str(path)}
    named = {path.name: path.read_text() for path in (folder / "snapshots").glob("*.json") if path.stem in str(current)}
    return {"current": json.dumps(current, sort_keys=True), **pages, **named}


def write_again(learner: Learner) -> None:
    learner.rules.write_context_files(lambda: entry_states(learner.home.ledger), learner._boundaries)
    learner.delivery.prepare_snapshots(wrong=learner.health.bad_findings)


class ChangingUser(TeachingUser):
    """A user of two projects to whom anything may happen."""

    def __init__(self, home: Path, seed: int) -> None:
        super().__init__(home)
        self.random = random.Random(seed)

    def act(self) -> None:
        acts: list[Callable[[], object]] = [
            self.speak, self.speak, self.decide, self.edit_page, self.edit_instructions, self.fail_and_fix, self.forget,
        ]  # fmt: skip
        self.random.choice(acts)()

    def somewhere(self) -> str:
        return self.random.choice(("shop", "farm"))

    def speak(self) -> None:
        self.say(self.random.choice(STATEMENTS), minutes=-100 + self.sessions, project=self.somewhere())

    def decide(self) -> None:
        waiting = [each for each in self.proposals() if not each.words and not each.unworded]
        if waiting:
            self.answer(self.random.choice(waiting), self.random.choice((Answer.APPROVED, Answer.REJECTED)))

    def edit_page(self) -> None:
        pages = sorted((self.home / "wisen" / "contexts").glob("*/*s.md"))
        if pages:
            page = self.random.choice(pages)
            page.write_text(f"{page.read_text()}\n- Rule {self.sessions} of mine.\n")

    def edit_instructions(self) -> None:
        file = self.project(self.somewhere()) / self.random.choice(("CLAUDE.md", "AGENTS.md"))
        file.write_text(f"# Ours\n\n- {self.random.choice(STATEMENTS)}\n- {self.sessions}\n")

    def fail_and_fix(self) -> None:
        self.sessions += 1
        folder = self.project(self.somewhere())
        start = self.now + timedelta(minutes=-100 + self.sessions)
        log = ClaudeTranscript(self.sessions, cwd=str(folder), start=start)
        log.prompt("run make lint")
        flag = self.random.choice(("--stat", "--all"))
        log.bash(f"git shortlog {flag}", f"error: unknown option `{flag[2:]}'", exit_code=129)
        log.bash("git shortlog", "fine")
        if self.random.random() < 0.5:
            log.bash(f"git shortlog {flag}", "fine")
        log.write(self.home / ".claude" / "projects" / folder.name)

    def forget(self) -> None:
        if self.sessions > 3:
            run("forget", "--text", self.random.choice(("marigold", "lint")), "--yes")


@pytest.mark.parametrize("seed", [3, 5])
def test_a_run_after_any_change_writes_what_a_run_without_memory_writes(home: Path, seed: int) -> None:
    user = ChangingUser(home, seed)
    user.speak()
    for _ in range(7):
        user.act()
        user.cycle()
        with app.wire().learner(reads=False) as learner:
            write_again(learner)
        kept = everything_written(home)
        with app.wire().learner(reads=False) as learner:
            learner.home.index.folds.clear()
            write_again(learner)
        assert everything_written(home) == kept


def test_pages_that_nothing_happened_to_are_not_written_again(home: Path) -> None:
    user = TeachingUser(home)
    user.say(STATEMENTS[0], minutes=-50)
    user.say(STATEMENTS[1], minutes=-40, project="farm")
    for _ in range(2):
        user.cycle()
        with app.wire().learner(reads=False) as learner:
            write_again(learner)
    pages = sorted((home / "wisen" / "contexts").glob("*/corrections.md"))
    before = [page.stat().st_mtime_ns for page in pages]
    assert len(pages) == 2
    with app.wire().learner(reads=False) as learner:
        write_again(learner)
    assert [page.stat().st_mtime_ns for page in pages] == before
