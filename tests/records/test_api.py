"""A program records its own work through the Learner and finds what helped, on real stores."""

from __future__ import annotations

import multiprocessing
import random
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from benchmarks.secret_formats import FORMATS
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import wisen
from wisen.app import wire
from wisen.errors import UsageError
from wisen.model.failure import Signature
from wisen.model.fix import Danger, FailureKind
from wisen.model.learning import Learning, LearningKind, Match, Record, RecordKind
from wisen.records.candidates import CandidatePolicy, find_candidates
from wisen.records.problems import group_problems
from wisen.safety import sentinel
from wisen.testing.log_writer import NOON
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("F2")

ERROR = "error: no region given for 'shop'"
TIMEOUT = "the gateway answered after 30 seconds: quota of the project is exhausted"


@pytest.fixture
def learner(home: Path) -> Iterator[wisen.Learner]:
    with wisen.open_learner(home / "wisen") as opened:
        yield opened


def resolve(learner: wisen.Learner, session: str | None, text: str = "name the region", error: str = ERROR) -> str:
    """A failure of a session and what fixed it; the id of the resolution."""
    return learner.records.record_resolution(
        learner.records.record_failure(tool="deploy", error=error, session=session), text
    )


def stored_records() -> tuple[Record, ...]:
    """Return the rows of the ledger."""
    ledger = wire().ledger()
    try:
        return ledger.program_records.find()
    finally:
        ledger.close()


def test_what_fixed_a_failure_is_found_when_it_comes_again_with_other_values(learner: wisen.Learner) -> None:
    failure = learner.records.record_failure(tool="deploy", error=ERROR, session="job-1", place="/srv")
    resolution = learner.records.record_resolution(failure, "name the region")
    (found,) = learner.records.find_learnings(tool="deploy", error="error: no region given for 'blog'")
    assert (found.id, found.kind, found.origin, found.match) == (
        resolution,
        LearningKind.RESOLUTION,
        "recorded",
        Match.SIGNATURE,
    )
    assert (found.text, found.description, found.sessions, found.failed, found.last_worked) == (
        "name the region",
        "name the region",
        1,
        0,
        True,
    )
    assert learner.records.find_learnings(tool="sort", error="the list is empty") == ()


def test_it_is_still_there_for_the_next_program(home: Path) -> None:
    with wisen.open_learner(home / "wisen") as learner:
        resolve(learner, "job-1")
    with wisen.open_learner(home / "wisen") as learner:
        assert [each.text for each in learner.records.find_learnings(tool="deploy", error=ERROR)] == ["name the region"]


def test_every_id_is_new(learner: wisen.Learner) -> None:
    ids = {learner.records.record_insight("the same words") for _ in range(50)}
    assert len(ids) == 50
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{26}", each) for each in ids)


@pytest.mark.requirement("F10")
def test_a_problem_shows_its_attempts_their_trajectory_and_what_was_delivered_to_each(learner: wisen.Learner) -> None:
    first = learner.records.record_failure(tool="deploy", error="error: no region given for 'a'", session="job-1")
    second = learner.records.record_failure(tool="deploy", error="error: no region given for 'b'", session="job-1")
    still_open = learner.records.problem(first)
    resolution = learner.records.record_resolution(second, "name the region")
    (found,) = learner.records.find_learnings(tool="deploy", error=ERROR)
    assert (still_open.trajectory, still_open.ended_by) == ("00", None)
    assert found.problem is not None
    assert found.problem == learner.records.problem(first) == learner.records.problem(second)
    assert found.problem.attempts == (first, second)
    assert found.problem.feedback == ("error: no region given for 'a'", "error: no region given for 'b'")
    assert (found.problem.trajectory, found.problem.ended_by) == ("001", resolution)


@pytest.mark.requirement("F10")
def test_a_success_ends_a_problem_and_the_next_failure_begins_another(learner: wisen.Learner) -> None:
    first = learner.records.record_failure(tool="deploy", error=ERROR, session="job-1")
    success = learner.records.record_success(tool="deploy", session="job-1")
    again = learner.records.record_failure(tool="deploy", error=ERROR, session="job-1")
    assert (learner.records.problem(first).trajectory, learner.records.problem(first).ended_by) == ("01", success)
    assert learner.records.problem(again).attempts == (again,)
    assert learner.records.problem(again).trajectory == "0"


@pytest.mark.requirement("F10")
def test_two_interleaved_sessions_do_not_mix(learner: wisen.Learner) -> None:
    mine = [learner.records.record_failure(tool="deploy", error=ERROR, session="mine")]
    yours = [learner.records.record_failure(tool="deploy", error=ERROR, session="yours")]
    mine.append(learner.records.record_failure(tool="deploy", error=ERROR, session="mine"))
    learner.records.record_resolution(yours[0], "name the region")
    yours.append(learner.records.record_failure(tool="deploy", error=ERROR, session="yours"))
    mine.append(learner.records.record_failure(tool="deploy", error=ERROR, session="mine"))
    learner.records.record_success(tool="deploy", session="yours")
    assert (learner.records.problem(mine[0]).attempts, learner.records.problem(mine[0]).trajectory) == (
        tuple(mine),
        "000",
    )
    assert [learner.records.problem(each).trajectory for each in yours] == ["01", "01"]


@pytest.mark.requirement("F10")
def test_an_unrelated_success_does_not_end_the_failure_of_another_tool(learner: wisen.Learner) -> None:
    failure = learner.records.record_failure(tool="deploy", error=ERROR, session="job-1")
    learner.records.record_success(tool="build", session="job-1")
    learner.records.record_success(tool="deploy", session="job-2")
    learner.records.record_success(tool="deploy")
    assert learner.records.problem(failure).trajectory == "0"
    learner.records.record_resolution(failure, "name the region")
    assert learner.records.problem(failure).trajectory == "01"


@pytest.mark.requirement("F10")
def test_a_resolution_from_a_machine_whose_clock_is_behind_ends_the_problem_all_the_same(
    learner: wisen.Learner,
) -> None:
    failure = learner.records.record_failure(tool="deploy", error=ERROR, session="job-1")
    (record,) = stored_records()
    ledger = wire().ledger()
    behind = record.at - timedelta(hours=1)
    end = replace(record, id="0" * 26, kind=RecordKind.RESOLUTION, machine="lap", at=behind, failure=failure, text="so")
    ledger.program_records.add(end)
    ledger.close()
    assert (learner.records.problem(failure).trajectory, learner.records.problem(failure).ended_by) == ("01", end.id)
    assert [each.sessions for each in learner.records.find_learnings(tool="deploy", error=ERROR)] == [1]


@pytest.mark.requirement("F10")
def test_failures_without_a_session_are_problems_of_their_own(learner: wisen.Learner) -> None:
    one = learner.records.record_failure(tool="deploy", error=ERROR)
    two = learner.records.record_failure(tool="deploy", error=ERROR)
    learner.records.record_resolution(one, "name the region")
    assert [learner.records.problem(each).trajectory for each in (one, two)] == ["01", "0"]


@pytest.mark.requirement("F10")
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("deploy", "sort")), st.sampled_from(("0", "0", "1"))))
)
def test_however_sessions_and_tools_are_interleaved_each_has_the_problems_it_would_have_alone(
    course: list[tuple[str, str, str]],
) -> None:
    signature = Signature(key="runtime.error", who="x", version=1)
    records = [
        Record(
            id=f"{number:026d}",
            kind=RecordKind.FAILURE if ended == "0" else RecordKind.SUCCESS,
            machine="desk",
            at=NOON + timedelta(seconds=number),
            tool=tool,
            session=session,
            signature=signature if ended == "0" else None,
        )
        for number, (session, tool, ended) in enumerate(course)
    ]
    met = group_problems(reversed(records))
    for session in "abc":
        for tool in ("deploy", "sort"):
            alone = "".join(ended for one, other, ended in course if (one, other) == (session, tool))
            here = [each.trajectory for each in met if (each.session, each.tool) == (session, tool)]
            assert here == re.findall(r"0+1?", alone)


def test_what_helped_is_counted_by_session_and_not_by_how_often_it_was_said(learner: wisen.Learner) -> None:
    first = resolve(learner, "job-1")
    for session in ("job-1", "job-1", "job-2", None, None):
        resolve(learner, session, text="Name  the region")
    (found,) = learner.records.find_learnings(tool="deploy", error=ERROR)
    assert (found.id, found.sessions) == (first, 4)


def test_the_difference_between_the_calls_is_shown_and_tells_learnings_apart(learner: wisen.Learner) -> None:
    def fixed(session: str, text: str, after: dict[str, object]) -> str:
        failure = learner.records.record_failure(
            tool="deploy", error=ERROR, arguments={"target": session, "dry": True}, session=session
        )
        return learner.records.record_resolution(failure, text, arguments={"target": session, **after})

    first = fixed("job-1", "it wants a region", {"dry": True, "region": "north"})
    fixed("job-2", "the region was missing", {"dry": True, "region": "north"})
    fixed("job-3", "it works now", {"dry": False})
    fixed("job-4", "it works now", {"target": "elsewhere", "dry": True})
    found = learner.records.find_learnings(tool="deploy", error=ERROR)
    assert [(each.sessions, each.text) for each in found] == [
        (2, "the region was missing"),
        (1, "it works now"),
        (1, "it works now"),
    ]
    assert found[0].id == first
    assert found[0].change is not None
    assert (found[0].change.removed, found[0].change.added) == ((), ("region=north",))
    assert found[0].before == '{"target": "job-2", "dry": true}'
    assert found[1].change != found[2].change


def test_what_was_tried_in_vain_is_not_suggested_again_until_it_helped_more_often(learner: wisen.Learner) -> None:
    bad = resolve(learner, "job-1", "restart the gateway", TIMEOUT)
    good = resolve(learner, "job-2", "ask for a larger quota", TIMEOUT)

    def suggested() -> list[str]:
        return [each.id for each in learner.records.find_learnings(tool="deploy", error=TIMEOUT)]

    assert sorted(suggested()) == sorted((bad, good))
    learner.records.record_failure(tool="deploy", error=TIMEOUT, session="job-3", tried=bad)
    assert suggested() == [good]
    learner.records.record_success(tool="deploy", session="job-4", tried=bad)
    assert suggested() == [good]
    learner.records.record_success(tool="deploy", session="job-4", tried=bad)
    assert suggested() == [good], "the same session counts once"
    learner.records.record_success(tool="deploy", session="job-5", tried=bad)
    again = {each.id: each for each in learner.records.find_learnings(tool="deploy", error=TIMEOUT)}
    assert (again[bad].sessions, again[bad].failed) == (3, 1)


def test_what_was_tried_in_vain_against_one_failure_still_stands_against_another(learner: wisen.Learner) -> None:
    region = resolve(learner, "job-1")
    learner.records.record_failure(tool="deploy", error=TIMEOUT, session="job-2", tried=region)
    (found,) = learner.records.find_learnings(tool="deploy", error=ERROR)
    assert (found.id, found.failed, found.last_worked) == (region, 1, False)


def test_the_same_failure_comes_before_similar_words_and_unlike_ones_do_not_come(learner: wisen.Learner) -> None:
    similar = resolve(learner, "job-1", "wait", "error: the quota of the whole project was exhausted by tests")
    same = resolve(learner, "job-2", "ask for more", "error: the quota of the project was exhausted")
    resolve(learner, "job-3", "unlike", "error: certificate of the gateway is not trusted")
    found = learner.records.find_learnings(tool="deploy", error="error: the quota of the project was exhausted")
    assert [(each.id, each.match) for each in found] == [(same, Match.SIGNATURE), (similar, Match.WORDS)]


def test_the_same_symptom_of_a_tool_is_found_whatever_the_program(learner: wisen.Learner) -> None:
    def fail(command: str, error: str) -> str:
        return learner.records.record_failure(tool="shell", error=error, arguments={"command": command})

    resolution = learner.records.record_resolution(
        fail("frob --all", "sh: 1: frob: command not found"), "install it first"
    )
    other = {"command": "knurl --all"}
    (found,) = learner.records.find_learnings(tool="shell", error="sh: 1: knurl: command not found", arguments=other)
    assert (found.id, found.match) == (resolution, Match.KEY)


def test_insights_are_found_by_tool_or_by_words_and_once_however_often_they_were_recorded(
    learner: wisen.Learner,
) -> None:
    friday = learner.records.record_insight("Deployments are refused on Fridays.", tool="deploy")
    quota = learner.records.record_insight("When the quota of a project is exhausted, the gateway answers late.")
    learner.records.record_insight("deployments are refused on fridays.", tool="deploy")
    learner.records.record_insight("Servos want a pause.", tool="servo")
    found = learner.records.find_learnings(tool="deploy", error=TIMEOUT)
    assert [(each.id, each.match) for each in found] == [(quota, Match.WORDS), (friday, Match.TOOL)]
    assert {each.kind for each in found} == {LearningKind.INSIGHT}
    learner.records.record_success(tool="deploy", tried=friday)
    learner.records.record_failure(tool="deploy", error=TIMEOUT, tried=quota)
    (left,) = learner.records.find_learnings(tool="deploy", error=TIMEOUT)
    assert (left.id, left.sessions) == (friday, 1)


def a_session(number: int, home: Path) -> None:
    """An agent's session in which a command failed and a changed one worked."""
    s = ClaudeTranscript(number, cwd="/home/ada/shop")
    s.prompt("run the tests")
    s.bash("npm test", "npm error use pnpm", exit_code=1)
    s.bash("pnpm test", "ok")
    s.write(home / ".claude" / "projects" / "p")


@pytest.mark.requirement("F3")
def test_fixes_mined_from_logs_are_found_once_they_are_known_to_help(learner: wisen.Learner, home: Path) -> None:
    error, arguments = "Exit code 1\nnpm error use pnpm", {"command": "npm test"}

    def found() -> tuple[Learning, ...]:
        return learner.records.find_learnings(tool="Bash", error=error, arguments=arguments)

    a_session(1, home)
    learner.learn()
    assert found() == ()
    a_session(2, home)
    a_session(3, home)
    learner.learn()
    (fix,) = found()
    assert (fix.kind, fix.origin, fix.match, fix.sessions) == (LearningKind.FIX, "mined", Match.SIGNATURE, 3)
    assert isinstance(fix.danger, Danger)
    assert fix.change is not None
    assert fix.description == "without npm, with pnpm"
    assert [candidate.learning for candidate in learner.records.candidates()] == [replace(fix, match=None)]
    learner.records.record_failure(tool="Bash", error=error, arguments=arguments, session="job-1", tried=fix.id)
    assert found() == ()
    learner.records.record_success(tool="Bash", session="job-2", tried=fix.id)
    learner.records.record_success(tool="Bash", session="job-3", tried=fix.id)
    (again,) = found()
    assert (again.sessions, again.failed) == (5, 1)


def test_what_keeps_failing_in_logs_with_nothing_that_helps_is_a_candidate_too(
    learner: wisen.Learner, home: Path
) -> None:
    for number in (1, 2, 3):
        s = ClaudeTranscript(number, cwd="/home/ada/shop")
        s.prompt("publish it")
        s.bash("frob push", "frob: error: the shelf is locked", exit_code=1)
        s.write(home / ".claude" / "projects" / "p")
    learner.learn()
    (found,) = learner.records.candidates()
    assert (found.is_unresolved, found.tool, found.sessions, found.failures) == (True, "Bash", 3, 3)


@pytest.mark.parametrize(("overcome", "listed"), [(0, 1), (4, 1), (5, 0), (10, 0)])
def test_what_agents_mostly_get_over_by_themselves_is_no_candidate(overcome: int, listed: int) -> None:
    kind = FailureKind(
        signature=Signature(key="build.tests-fail", who="pytest", version=1),
        tool="Bash",
        calls=10,
        masked=0,
        sessions=5,
        overcome=overcome,
        lost_ms=0,
        lost_tokens=0,
        first=NOON,
        last=NOON,
    )
    assert len(find_candidates([], [kind], [], CandidatePolicy())) == listed


def test_what_helped_in_three_sessions_is_a_candidate_and_so_is_what_nothing_resolves(learner: wisen.Learner) -> None:
    for session in ("job-1", "job-2"):
        resolve(learner, session)
        for _ in range(4):
            learner.records.record_failure(tool="sort", error="error: the bin is full", session=session)
    assert learner.records.candidates() == ()
    resolve(learner, "job-3")
    learner.records.record_failure(tool="sort", error="error: the bin is full", session="job-3")
    unresolved, resolved = learner.records.candidates()
    assert (unresolved.tool, unresolved.is_unresolved, unresolved.sessions, unresolved.failures) == ("sort", True, 3, 9)
    assert (resolved.tool, resolved.is_unresolved, resolved.sessions, resolved.failures) == ("deploy", False, 3, 3)
    assert resolved.learning is not None
    assert resolved.learning.text == "name the region"
    assert unresolved.failures_saved > resolved.failures_saved


def test_no_candidate_is_what_failed_when_it_was_last_tried_or_fails_too_often(learner: wisen.Learner) -> None:
    for number in range(6):
        resolution = resolve(learner, f"job-{number}")
    assert [each.is_unresolved for each in learner.records.candidates()] == [False]
    learner.records.record_failure(tool="deploy", error=ERROR, session="job-7", tried=resolution)
    assert learner.records.candidates() == ()
    learner.records.record_success(tool="deploy", session="job-8", tried=resolution)
    assert [each.sessions for each in learner.records.candidates()] == [7]
    for number in range(9, 12):
        learner.records.record_failure(tool="deploy", error=ERROR, session=f"job-{number}", tried=resolution)
    learner.records.record_success(tool="deploy", session="job-13", tried=resolution)
    assert learner.records.candidates() == ()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda learner: learner.records.record_failure(tool="", error="x"), r"tool is ''.*Give"),
        (lambda learner: learner.records.record_failure(tool="x", error=" \n"), r"error is ' \\n'.*Give"),
        (
            lambda learner: learner.records.record_failure(tool="x", error=ValueError("x")),
            r"error is ValueError\('x'\).*Give",
        ),
        (lambda learner: learner.records.record_failure(tool="x", error="x", session=""), r"session is ''.*Give"),
        (
            lambda learner: learner.records.record_failure(tool="x", error="x", tried="nothing"),
            r"'nothing' .*find_learnings\(\)",
        ),
        (
            lambda learner: learner.records.record_failure(tool="x", error="x", arguments={"a": {1}}),
            r"JSON: .*set.*Give",
        ),
        (lambda learner: learner.records.record_resolution(None, "x"), r"failure is None.*Give"),
        (lambda learner: learner.records.record_resolution("nothing", "x"), r"'nothing' .*record_failure"),
        (
            lambda learner: learner.records.record_resolution(learner.records.record_success(tool="x"), "x"),
            r"not the id of a recorded",
        ),
        (lambda learner: learner.records.record_success(tool=" "), r"tool is ' '.*Give"),
        (
            lambda learner: learner.records.record_success(tool="x", tried=learner.records.record_success(tool="x")),
            r"not the id of a l",
        ),
        (lambda learner: learner.records.record_insight(""), r"text is ''.*Give"),
        (lambda learner: learner.records.record_insight("x", tool=""), r"tool is ''.*Give"),
        (lambda learner: learner.records.record_insight(sentinel.wrap("x")), r"your own words"),
        (lambda learner: learner.records.find_learnings(tool="", error="x"), r"tool is ''.*Give"),
        (lambda learner: learner.records.find_learnings(tool="x", error=""), r"error is ''.*Give"),
        (lambda learner: learner.records.problem("nothing"), r"'nothing' .*record_failure"),
    ],
)
def test_wrong_use_is_reported_with_the_value_and_the_next_step(
    learner: wisen.Learner, wrong: Callable[[wisen.Learner], object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        wrong(learner)


@pytest.mark.requirement("N7")
@pytest.mark.parametrize("seed", range(8))
def test_a_secret_reaches_no_byte_of_the_home(home: Path, seed: int) -> None:
    chance = random.Random(seed)
    short = [each for each in FORMATS if each.marked and not each.lines and not each.address]
    secrets: list[str] = []

    def secret() -> str:
        secrets.append(chance.choice(short).make(chance))
        return secrets[-1]

    with wisen.open_learner(home / "wisen") as learner:
        in_error = learner.records.record_failure(
            tool="deploy", error=f"refused: {secret()} is not valid", session="job-1"
        )
        learner.records.record_failure(
            tool="deploy", error=ERROR, arguments={"to": [{"with": secret()}]}, session="job-1"
        )
        learner.records.record_failure(tool="deploy", error=ERROR, arguments={secret(): 1}, session="job-1")
        learner.records.record_failure(
            tool="deploy", error=ERROR, arguments={"note": f"\x07{secret()}"}, session="job-1"
        )
        learner.records.record_failure(tool="deploy", error=ERROR, arguments={f"\x07{secret()}": 1}, session="job-1")
        learner.records.record_failure(tool=secret(), error=ERROR, session=secret(), place=f"/srv/{secret()}")
        learner.records.record_resolution(in_error, f"used {secret()} instead", arguments={"key": secret()})
        learner.records.record_insight(f"the key is {secret()}", tool=secret())
        learner.records.record_success(tool=secret(), session=secret(), place=secret())
        learner.records.find_learnings(
            tool="deploy", error=f"refused: {secret()} is not valid", arguments={"key": secret()}
        )
        learner.learn()
        assert [record.withheld is None for record in stored_records()] == [False] * 8
    files = [path for path in (home / "wisen").rglob("*") if path.is_file()]
    assert any(b"deploy" in path.read_bytes() for path in files)
    for path in files:
        content = path.read_bytes()
        assert [each for each in secrets if each.encode() in content] == [], path.name


@pytest.mark.requirement("N7")
def test_a_failure_whose_text_was_withheld_can_be_resolved_and_is_found_for_its_tool(learner: wisen.Learner) -> None:
    text = "refused for card 4539 1488 0343 6467"
    resolution = learner.records.record_resolution(
        learner.records.record_failure(tool="pay", error=text), "use the test card"
    )
    assert [record.text for record in stored_records()] == [None, "use the test card"]
    (found,) = learner.records.find_learnings(tool="pay", error="another one for card 4539 1488 0343 6467")
    assert (found.id, found.match) == (resolution, Match.KEY)
    assert learner.records.find_learnings(tool="pay", error=ERROR) == ()


@pytest.mark.requirement("X7")
def test_what_we_put_into_a_context_ourselves_is_not_recorded(learner: wisen.Learner) -> None:
    learner.records.record_failure(
        tool="deploy",
        error=f"{ERROR}\n{sentinel.wrap('recalled')}",
        arguments={"note": sentinel.wrap("recalled"), "to": "x"},
    )
    (record,) = stored_records()
    assert (record.text, record.arguments) == (f"{ERROR}\n", '{"note": "", "to": "x"}')


@pytest.mark.requirement("N7")
def test_a_secret_in_two_halves_around_our_own_text_is_withheld(learner: wisen.Learner) -> None:
    chance = random.Random(1)
    secret = next(each for each in FORMATS if each.marked and not each.lines and not each.address).make(chance)
    halves = f"{secret[:6]}{sentinel.wrap('recalled')}{secret[6:]}"
    learner.records.record_failure(tool="deploy", error=f"refused: {halves} is not valid", arguments={"key": halves})
    (record,) = stored_records()
    assert (record.text, record.arguments) == (None, None)
    assert record.withheld is not None


def test_long_texts_are_cut_and_strange_ones_are_kept(learner: wisen.Learner) -> None:
    learner.records.record_failure(tool="deploy", error="error: " + "x y " * 5_000, arguments={"body": "z " * 5_000})
    learner.records.record_failure(
        tool="naïve \udc80", error="日本語 \x00 \udc80", arguments={"\udc80": "\x1a"}, session="🙂"
    )
    long, strange = stored_records()
    assert len(long.text or "") == 4_001
    assert len(long.arguments or "") < 2_100
    assert (strange.tool, strange.text, strange.session) == ("naïve \udc80", "日本語 \x00 \udc80", "🙂")


def test_a_failure_that_an_older_version_signed_is_compared_all_the_same(learner: wisen.Learner) -> None:
    learner.records.record_failure(tool="deploy", error=ERROR)
    (now,) = stored_records()
    assert now.signature is not None
    ledger = wire().ledger()
    old = type(now.signature)(key="runtime.error", who="other", says="other", version=0)
    ledger.program_records.add(replace(now, id="0" * 26, signature=old))
    ledger.close()
    resolution = learner.records.record_resolution("0" * 26, "name the region")
    (found,) = learner.records.find_learnings(tool="deploy", error=ERROR)
    assert (found.id, found.match) == (resolution, Match.SIGNATURE)


def test_what_was_recorded_is_on_disk_when_the_method_returns(home: Path) -> None:
    program = (
        "import os, sys, wisen; learner = wisen.open_learner(); "
        "print(learner.records.record_failure(tool='deploy', error='it failed'), flush=True); os._exit(9)"
    )
    killed = subprocess.run([sys.executable, "-c", program], cwd=home, capture_output=True, text=True, check=False)
    assert killed.returncode == 9
    assert [record.id for record in stored_records()] == [killed.stdout.strip()]


def _record_many(home: Path, name: str, count: int) -> list[str]:
    with wisen.open_learner(home) as learner:
        return [
            learner.records.record_failure(
                tool="deploy", error=f"error: no region given for '{name}'", session=f"{name}-{n}"
            )
            for n in range(count)
        ]


def test_two_processes_that_record_at_once_lose_nothing(home: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        given = pool.starmap(_record_many, [(home / "wisen", name, 200) for name in ("one", "two")], chunksize=1)
    assert {record.id for record in stored_records()} == {*given[0], *given[1]}
    assert len(stored_records()) == 400


def test_threads_that_each_open_a_learner_lose_nothing(home: Path) -> None:
    given: list[str] = []
    threads = [
        threading.Thread(target=lambda name=name: given.extend(_record_many(home / "wisen", name, 30)))
        for name in ("one", "two", "three", "four")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(record.id for record in stored_records()) == sorted(given)
    assert len(given) == 120


def test_the_example_in_the_docs_runs_and_prints_what_it_says(home: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (shown,) = re.findall(r"It prints:\n\n```\n(.*?)```", page, re.DOTALL)
    ran = subprocess.run([sys.executable, "-c", snippet], cwd=home, capture_output=True, text=True, check=False)
    assert (ran.stderr, ran.stdout) == ("", shown)
    assert (home / "wisen" / "ledger.db").exists()


def test_with_a_place_projects_do_not_learn_from_each_other(learner: wisen.Learner, tmp_path: Path) -> None:
    shop, blog = tmp_path / "shop", tmp_path / "blog"
    for folder in (shop, blog):
        folder.mkdir()
    failure = learner.records.record_failure(tool="deploy", error="no region given", session="a", place=shop)
    learner.records.record_resolution(failure, "Name the region.")
    assert [
        each.text for each in learner.records.find_learnings(tool="deploy", error="no region given", place=shop)
    ] == ["Name the region."]
    assert learner.records.find_learnings(tool="deploy", error="no region given", place=blog) == ()
    assert len(learner.records.find_learnings(tool="deploy", error="no region given")) == 1
