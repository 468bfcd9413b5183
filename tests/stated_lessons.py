"""A simulated user who states lessons in one session after the other, and what agents are given then."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from tests.hooks import fire
from wisen import app
from wisen.model.entry import Answer
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from wisen.model.entry import Move, Proposal
    from wisen.model.entry_state import EntryState

_ADVICE = re.compile(r"- .*\(R-[0-9a-f]{8}\b")


class TeachingUser:
    """A user with one home and several projects, who states lessons in sessions of Claude Code."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.sessions = 0
        self.now = datetime.now(UTC)  # what is approved is approved now, whenever this module was loaded

    def project(self, name: str = "shop") -> Path:
        folder = self.home / name
        folder.mkdir(exist_ok=True)
        return folder

    def say(self, *words: str, minutes: float, project: str = "shop") -> None:
        """Write a session with these messages, so many minutes from now (negative: in the past)."""
        self.sessions += 1
        folder = self.project(project)
        log = ClaudeTranscript(self.sessions, cwd=str(folder), start=self.now + timedelta(minutes=minutes))
        log.prompt("run the tests")
        log.bash("npm test", "npm error", exit_code=1)
        for each in words:
            log.prompt(each)
        log.write(self.home / ".claude" / "projects" / project)

    def cycle(self) -> None:
        with app.wire().learner() as learner:
            done = learner.cycle(quick=True)
        assert done.report is not None
        assert not done.report.warnings, done.report.warnings

    def entries(self) -> dict[str, EntryState]:
        """All entries by their text."""
        with app.wire().learner(reads=False) as learner:
            return {each.text: each for each in learner.lessons.all()}

    def entry(self, words: str) -> EntryState:
        """Return the one entry that contains these words."""
        (found,) = [each for text, each in self.entries().items() if words in text]
        return found

    def decisions(self, state: EntryState) -> tuple[Move, ...]:
        with app.wire().learner(reads=False) as learner:
            return learner.lessons.decisions(state)

    def proposals(self) -> list[Proposal]:
        """The pending proposals."""
        with app.wire().learner(reads=False) as learner:
            return [each.proposal for each in learner.proposals.all() if each.is_waiting]

    def answer(self, proposal: Proposal, given: Answer = Answer.APPROVED) -> None:
        with app.wire().learner(reads=False) as learner:
            learner.proposals.answer(proposal.id, given)

    def approve(self, words: str) -> Path:
        """Approve the proposal that contains these words, and return the file it was written to."""
        (found,) = [each for each in self.proposals() if words in each.text]
        self.answer(found)
        return Path(found.path)

    def block(self, project: str = "shop") -> str:
        """Return the start block of a new session in a project."""
        self.sessions += 1
        payload = {"session_id": f"s{self.sessions}", "cwd": str(self.project(project)), "source": "startup"}
        return fire(self.home / "wisen", "session-start", payload)

    def advice(self, project: str = "shop") -> list[str]:
        """The advice lines of the start block."""
        return [line for line in self.block(project).splitlines() if _ADVICE.match(line)]
