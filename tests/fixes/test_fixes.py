"""Fixes end to end: from sessions on disk to recurring failures and what fixed them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import wisen
from wisen.learner import Learner
from wisen.model.failure import Ending
from wisen.model.fix import Danger
from wisen.model.report import Selection
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("F3")
RTK = "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS] <COMMAND>"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / ".claude" / "projects" / "p"


@pytest.fixture
def learner(tmp_path: Path) -> Iterator[Learner]:
    with wisen.open_learner(tmp_path / "home", environment={"HOME": str(tmp_path)}) as opened:
        yield opened


def a_session(number: int) -> ClaudeTranscript:
    s = ClaudeTranscript(number)
    s.prompt("run the tests please")
    s.bash("rtk bun run test 2>&1", RTK, exit_code=2)
    s.bash("git status", "clean")
    s.bash("bun run test 2>&1 | tail -5", "5 pass\n0 fail")
    return s


def test_a_prefix_that_fails_is_named_with_its_fix_by_the_third_session(logs: Path, learner: Learner) -> None:
    named = []
    for number in (1, 2, 3):
        a_session(number).write(logs)
        report = learner.learn()
        named.append([(fix.signature.description, fix.change.removed, fix.change.added) for fix in report.fixes])
    assert named[0] == []
    assert named[1] == named[2] == [("rtk: unknown subcommand", ("rtk",), ())]
    (fix,) = learner.fixes.all()
    assert (fix.sessions, fix.calls, fix.danger, fix.failed_again) == (3, 3, Danger.NONE, 0)
    assert fix.lost_ms > 0
    assert fix.lost_tokens > 0


def test_interleaved_sessions_never_mix(logs: Path, learner: Learner) -> None:
    one, two = ClaudeTranscript(1), ClaudeTranscript(2)
    one.bash("npm test", "npm error use pnpm", exit_code=1)
    two.bash("pnpm test", "ok")
    one.bash("git status", "clean")
    lines = [line for pair in zip(one.lines, two.lines, strict=False) for line in pair] + one.lines[len(two.lines) :]
    logs.mkdir(parents=True)
    (logs / "both.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    report = learner.learn()
    assert report.counts.sessions == 2
    assert [kind.calls for kind in report.failures] == [1]
    assert learner.fixes.all() == ()


def test_a_session_that_goes_on_is_mined_again_as_a_whole(logs: Path, learner: Learner) -> None:
    s = ClaudeTranscript(1)
    s.bash("npm test", "npm error use pnpm", exit_code=1)
    s.write(logs)
    learner.learn()
    assert learner.fixes.all() == ()
    s.bash("pnpm test", "ok")
    s.write(logs)
    learner.learn()
    (fix,) = learner.fixes.all()
    assert (fix.change.added, fix.sessions, fix.is_reliable) == (("pnpm",), 1, False)
    assert [kind.calls for kind in learner.learn().failures] == [1]


def test_what_went_away_by_itself_is_forgotten_after_a_while(logs: Path, tmp_path: Path) -> None:
    s = ClaudeTranscript(1)
    s.bash("curl https://x.example", "curl: (6) Could not resolve host: x.example", exit_code=6)
    s.bash("npm test", "npm error use pnpm", exit_code=1)
    s.write(logs)
    seen = []
    for days in (36500, 14):
        environment = {"HOME": str(tmp_path), "WISEN_MINE_TRANSIENT_DAYS": str(days)}
        with wisen.open_learner(tmp_path / "home", environment=environment) as learner:
            seen.append(sorted(kind.signature.key for kind in learner.learn().failures))
    assert seen == [["deps.npm-error", "net.unreachable"], ["deps.npm-error"]]


@pytest.mark.requirement("F10")
def test_attempts_and_what_they_were_told_are_kept_with_the_failure(logs: Path, learner: Learner) -> None:
    s = ClaudeTranscript(1)
    s.bash("deploy app", "no such flag, try -f", exit_code=1)
    s.bash("deploy app -x", "no such flag, try -f", exit_code=1)
    s.bash("deploy app -f", "ok")
    s.write(logs)
    learner.learn()
    helped = next(fix for fix in learner.fixes.all() if fix.change.added == ("-f",) and not fix.change.removed)
    _, (evidence,) = learner.fixes.explain(helped.id)
    assert (evidence.trajectory, evidence.worked) == ("001", True)
    assert "no such flag" in evidence.said


@pytest.mark.requirement("F5")
def test_goals_are_recorded_with_their_calls_and_how_they_ended(logs: Path, learner: Learner) -> None:
    a_session(1).write(logs)
    learner.learn()
    (goal,) = learner.home.index.findings.goals(Selection())
    assert (len(goal.calls), goal.failed, goal.ending) == (3, 1, Ending.CHECKED)
    assert goal.ended - goal.at > timedelta(0)
