"""A simulated user whose sessions run through the real hook code and the whole program, on a clock set by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.exposure import Arm, Channel, Exposure
from wisen.model.trial import TrialOutcome
from wisen.surfaces.hook import call_events, event_answers, hook_output, hook_store
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from wisen.learner import Learner

ERROR = "shopctl: error: unrecognized option '--wait'"
SKILL = "Unknown skill: commit"


class Days:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.time = now

    def now(self) -> datetime:
        """The moment it was set to."""
        return self.time

    def elapsed(self) -> float:
        """The same in seconds."""
        return self.time.timestamp()


class World:
    """A home, a project, and sessions in it."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self.wisen, self.project = home, home / "wisen", home / "shop"
        self.logs = home / ".claude" / "projects" / "shop"
        self.project.mkdir(exist_ok=True)
        self.days = Days(datetime.now(UTC).replace(microsecond=0))
        self.number = 0
        self.delivered: list[tuple[str, str]] = []
        """What hooks told, by event."""
        patch.setattr(app.Wiring, "clock", lambda _: self.days)
        ticks = count()
        patch.setattr(hook_store, "time", lambda: self.days.time.timestamp() + next(ticks) / 1e5)
        for module in (event_answers, call_events):
            patch.setattr(module, "print_answer", lambda event, text, *_, **__: self.delivered.append((event, text)))

    def teach(self) -> None:
        """Sessions that teach a fix, and that a step on the way to a commit always fails and is not needed."""
        for number in range(4):
            log = self.log()
            log.prompt("commit")
            if number < 2:
                log.fail(log.call("Skill", skill="commit"), SKILL)
            else:
                log.bash("git commit -m x", "[main 1234567] x")
            log.prompt("deploy the shop")
            log.bash("shopctl deploy --wait", ERROR, exit_code=2)
            log.bash("shopctl deploy", "deployed")
            log.write(self.logs)
        self.advance(hours=12)

    def log(self) -> ClaudeTranscript:
        """A session that begins now."""
        self.number += 1
        return ClaudeTranscript(self.number, cwd=str(self.project), start=self.days.time)

    def advance(self, **time: float) -> None:
        """Let time pass."""
        self.days.time += timedelta(**time)

    def consent(self, **more: object) -> None:
        """Welcome experiments."""
        self.wisen.mkdir(exist_ok=True)
        lines = ["experiments = true", *(f"{name} = {value}" for name, value in more.items())]
        (self.wisen / "config.toml").write_text("\n".join(["[trials]", *lines, ""]))

    def fire(self, event: str, log: ClaudeTranscript, **payload: object) -> str:
        """What the hook tells at an event; empty where it tells nothing."""
        self.delivered.clear()
        whole = {"session_id": log.session, "cwd": str(self.project), **payload}
        event_answers.answer_event(event, whole, hook_store.HookStore(str(self.wisen), "claude-code", log.session))
        hook_output.set_limits(0, 0)
        return self.delivered[-1][1] if self.delivered else ""

    def withheld_ids(self, log: ClaudeTranscript) -> set[str]:
        """What the pin of a session says that it does not get, by id."""
        pin = json.loads((self.wisen / "snapshots" / "pins" / f"claude-code-{log.session}.json").read_text())
        return {each.partition(":")[0] for each in pin.get("withheld", ())}

    def commits(self, hit: Callable[[bool], bool]) -> ClaudeTranscript:
        """A session that is asked to commit; whether the step fails there depends on whether it got the hint."""
        log = self.log()
        delivered = self.fire("session-start", log, source="startup")
        log.prompt("commit")
        if hit("leave out Skill commit" in delivered):
            log.fail(log.call("Skill", skill="commit"), SKILL)
        log.bash("git commit -m x", "[main 1234567] x")
        log.write(self.logs)
        self.advance(hours=12)
        return log

    def deploys(self, hit: Callable[[bool], bool]) -> ClaudeTranscript:
        """A session whose deployment fails; whether it fails again depends on whether it was told the fix."""
        log = self.log()
        self.fire("session-start", log, source="startup")
        log.prompt("deploy the shop")
        log.bash("shopctl deploy --wait", ERROR, exit_code=2)
        failed = {"tool_name": "Bash", "tool_input": {"command": "shopctl deploy --wait"}}
        delivered = self.fire("failure", log, error=f"Exit code 2\n{ERROR}", **failed)
        if hit("without --wait" in delivered):
            log.bash("shopctl deploy --wait", ERROR, exit_code=2)
        log.bash("shopctl deploy", "deployed")
        log.write(self.logs)
        self.advance(hours=12)
        return log

    def record_outcomes(self, subject: str, version: str, hits: str) -> None:
        """Have the ledger say what sessions showed: G and g for those that got a thing, W and w for those that did not.

        Capital letters are sessions with a hit.
        """
        with self.learner() as learner:
            ledger, rows = learner.home.ledger, []
            for letter in hits:
                self.advance(minutes=1)
                coin = Exposure(
                    id=f"{self.days.time.timestamp()}",
                    machine="other",
                    agent="claude-code",
                    session=f"made up {self.days.time}",
                    subject=subject,
                    version=version,
                    channel=Channel.HOOK,
                    event="coin",
                    arm=Arm.GIVEN if letter in "Gg" else Arm.WITHHELD,
                    at=self.days.time,
                    chance=0.5,
                )
                rows.append(coin)
                fields = {name: getattr(coin, name) for name in ("id", "machine", "agent", "session", "at")}
                outcome = TrialOutcome(**fields, subject=subject, version=version, relevant=True, hit=letter.isupper())
                ledger.trial_outcomes.add([outcome])
            ledger.exposures.add(rows)

    def learner(self) -> Learner:
        """The program on this home."""
        return app.wire().learner()

    def cycle(self) -> None:
        """One cycle."""
        with self.learner() as learner:
            learner.cycle(quick=True)
