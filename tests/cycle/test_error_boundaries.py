"""One failure never stops the rest: an error at any boundary is reported and recorded, everything else is learned."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.guard_scenarios import open_learner, record_fixed_failures
from tests.hooks import fire, write_lesson_sessions
from wisen.errors import FileError, StoreDamaged
from wisen.learner import Learner
from wisen.model import error_boundaries
from wisen.model.cycle_result import CycleResult
from wisen.model.error_boundaries import BoundaryKind, ErrorBoundaries, describe_error
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X10")


class Injected(Exception):
    """What no code of ours expects. Its text stands for a user's words and must be told nowhere."""


PRIVATE = "quince marmalade"


def fail_inside() -> None:
    """Have the block of the fence that calls this fail at its first line, whatever stands there."""
    frame = sys._getframe(1)
    while "contextlib" in frame.f_code.co_filename or frame.f_code.co_filename in (__file__, error_boundaries.__file__):
        assert frame.f_back is not None
        frame = frame.f_back

    def strike(*_: object) -> None:
        sys.settrace(None)
        raise Injected(PRIVATE)

    sys.settrace(lambda *_: None)
    frame.f_trace = strike


def a_world(home: Path) -> None:
    """Two projects with corrections, failures, fixes and instruction files, and a workspace with `.learnings`."""
    for name in ("shop", "barn"):
        project = home / name
        write_lesson_sessions(home, project)
        record_fixed_failures(home, project, (7, 8, 9) if name == "shop" else (17, 18, 19))
        (project / "CLAUDE.md").write_text("# Rules\n\n- Run the tests with make.\n")
    (home / "barn" / ".learnings").mkdir()


def cycle(home: Path, around: ErrorBoundaries) -> tuple[CycleResult, str | None]:
    """What a cycle did, and what its run is remembered by."""
    with open_learner(home) as learner:
        learner._boundaries = around
        done = learner.cycle()
        return done, learner.status().runs[0].error


def stem(kind: BoundaryKind, name: str) -> str:
    """A project is named by a key that ends with a digest, another in every home."""
    return name.rpartition("-")[0] or name if kind is BoundaryKind.PROJECT else name


def fences_met(home: Path) -> set[tuple[BoundaryKind, str]]:
    met: set[tuple[BoundaryKind, str]] = set()
    cycle(home, ErrorBoundaries(lambda kind, name: met.add((kind, name))))
    return met


def test_a_failure_at_any_boundary_is_reported_and_recorded_and_the_rest_goes_on(
    home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_world(home)
    met = sorted({(kind, stem(kind, name)) for kind, name in fences_met(home)})
    kinds = {kind for kind, _ in met}
    assert {BoundaryKind.STEP, BoundaryKind.AGENT, BoundaryKind.PROJECT, BoundaryKind.SESSION} <= kinds
    steps = {name for kind, name in met if kind is BoundaryKind.STEP}
    assert {"import edits of rule lines", "apply praise", "propose", "judge instruction files"} <= steps
    assert {"propose guards", "act on trial verdicts", "ingest hook records", "apply approved changes"} <= steps
    assert "prepare snapshots" in steps
    for number, (kind, name) in enumerate(met):
        if kind is BoundaryKind.SESSION and number % 5:
            continue  # they are many and alike
        fresh = home / f"fresh-{number}"
        monkeypatch.setenv("WISEN_HOME", str(fresh / "wisen"))
        hit = 0

        def fail(at: BoundaryKind, called: str, *, wanted: tuple[BoundaryKind, str] = (kind, name)) -> None:
            nonlocal hit
            if (at, stem(at, called)) == wanted:
                hit += 1
                fail_inside()

        done, error = cycle(fresh, ErrorBoundaries(fail))
        assert hit, (kind, name)
        report = done.report
        assert report is not None
        messages = "\n".join((*report.warnings, *done.problems))
        assert "an error of wisen's own (Injected" in messages, (kind, name)
        assert any(each.startswith(f"{kind.value} ") for each in (*report.warnings, *done.problems)), (kind, name)
        assert PRIVATE not in messages
        if "Injected" in "\n".join(report.warnings):
            assert error is not None
            assert error.startswith(f"partly: {kind.value} ")
            assert PRIVATE not in error
        if name not in ("claude-code", "record failures", "record statements", "propose"):
            assert report.counts.sessions == 8
            assert report.fixes or kind is BoundaryKind.SESSION, (kind, name)
            assert report.proposals, (kind, name)


def test_a_store_that_cannot_be_used_ends_the_run() -> None:
    around = ErrorBoundaries()
    with pytest.raises(StoreDamaged), around.isolate_step("any"):
        raise StoreDamaged("garbled")
    assert not around.failures


def test_an_error_of_ours_is_reported_in_its_words_and_any_other_without_its_text() -> None:
    assert describe_error(FileError("CLAUDE.md is a folder.")) == "CLAUDE.md is a folder."
    around = ErrorBoundaries()
    with around.isolate_step("any"):
        raise KeyError(PRIVATE)
    assert [*map(str, around.failures)] == ["step any: an error of wisen's own (KeyError). Please report it."]
    with around.isolate_step("other"):
        BoundaryKind(PRIVATE)
    assert "other: an error of wisen's own (ValueError" in [*map(str, around.failures)][1]
    assert PRIVATE not in [*map(str, around.failures)][1]


def nested(levels: int) -> dict[str, object]:
    value: dict[str, object] = {"command": "ls"}
    for _ in range(levels):
        value = {"a": value}
    return value


def told_rules(learner: Learner) -> list[str]:
    return [each.text for each in learner.lessons.all()]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("levels", [99, 101, 480, 600, 950, 5_000, 100_000])
@pytest.mark.parametrize("padding", [0, 5_000])
def test_arguments_nested_however_deep_cost_nothing_else(home: Path, levels: int, padding: int) -> None:
    project = home / "shop"
    write_lesson_sessions(home, project)
    log = ClaudeTranscript(3, cwd=str(project))
    log.prompt("look around")
    log.bash("make", "make: *** failed", exit_code=2)
    path = log.write(home / ".claude" / "projects" / "shop")
    deep = '{"a":' * levels + '{"command":"make","more":"' + "x" * padding + '"}' + "}" * levels
    text = path.read_text()
    assert text.count('{"command":"make"') == 1
    path.write_text(text.replace('{"command":"make"', f'{{"deep":{deep},"command":"make"'))
    with open_learner(home) as learner:
        report = learner.learn()
        assert report.counts.sessions == 3
        assert any("pnpm" in each for each in told_rules(learner))
        assert not [each for each in report.warnings if "error of wisen's own" in each]


@pytest.mark.parametrize(
    "stamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "0000-00-00", "-5", "", "1e999", "null"]
)
def test_a_time_that_is_none_costs_its_record_only(home: Path, stamp: str) -> None:
    project = home / "shop"
    write_lesson_sessions(home, project)
    log = ClaudeTranscript(3, cwd=str(project))
    log.prompt("no, never push to main without asking me")
    path = log.write(home / ".claude" / "projects" / "shop")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**each, "timestamp": stamp}) + "\n" for each in records))
    with open_learner(home) as learner:
        report = learner.cycle().report
        assert report is not None
        assert report.counts.sessions >= 2
        assert any("pnpm" in each for each in told_rules(learner))
        assert not [each for each in report.warnings if "error of wisen's own" in each]


def a_folder(path: Path) -> None:
    path.mkdir()


def a_dangling_link(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere.md")


def a_loop(path: Path) -> None:
    path.symlink_to(path)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_pipe(path: Path) -> None:
    import os

    os.mkfifo(path)


@pytest.mark.parametrize("make", [a_folder, a_dangling_link, a_loop, a_device, a_pipe])
def test_a_project_whose_instruction_file_cannot_be_read_keeps_no_other_from_learning(home: Path, make: object) -> None:
    write_lesson_sessions(home, home / "good")
    bad = home / "bad"
    bad.mkdir()
    assert callable(make)
    make(bad / "CLAUDE.md")
    for number in (3, 4):
        log = ClaudeTranscript(number, cwd=str(bad))
        log.prompt("always run the linter before you commit, from now on")
        log.bash("true")
        log.prompt("no, from now on always use uv instead of pip")
        log.write(home / ".claude" / "projects" / "bad")
    with open_learner(home) as learner:
        done = learner.cycle()
        waiting = [each.proposal for each in learner.proposals.all() if each.is_waiting]
    assert any("pnpm" in each.text and "good" in each.path for each in waiting)
    assert done.report is not None
    assert any("CLAUDE.md" in each for each in done.report.warnings)
    delivered = fire(home / "wisen", "session-start", {"session_id": "n", "cwd": str(bad), "source": "startup"})
    assert "uv" in delivered


@pytest.mark.parametrize("bad", [b"\xff\xfe", b"\\ud800", b"\xed\xa0\x80"])
def test_a_byte_that_is_no_text_costs_no_more_than_itself(home: Path, bad: bytes) -> None:
    project = home / "shop"
    project.mkdir()
    log = ClaudeTranscript(1, cwd=str(project))
    log.prompt("run it")
    log.bash("make BROKEN", "make: BROKEN: no rule", exit_code=2)
    log.prompt("no, from now on always use pnpm BROKEN instead of npm")
    log.bash("pnpm test")
    path = log.write(home / ".claude" / "projects" / "shop")
    path.write_bytes(path.read_bytes().replace(b"BROKEN", b"br" + bad + b"ken"))
    with open_learner(home) as learner:
        first = learner.learn()
        again = learner.learn()
        assert first.counts.typed_turns == 2
        assert (again.read_bytes, again.new_events) == (0, 0)
        assert [(each.kind, each.count) for each in first.troubles] == [
            (each.kind, each.count) for each in again.troubles
        ]
        assert any("pnpm" in each for each in told_rules(learner))
