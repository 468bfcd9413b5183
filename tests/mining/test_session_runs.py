"""Runs are made from a session: goals with normalised steps, without what only looks and without private words."""

from __future__ import annotations

import json
import random
import string
from datetime import timedelta

import pytest

from tests.history_builder import AT, build_history
from wisen.mining.goals import goals_of
from wisen.mining.run_steps import steps_of
from wisen.mining.session_runs import workflow_runs
from wisen.mining.shell_steps import read_commands
from wisen.model.event import Status
from wisen.model.history import History, Step
from wisen.model.work_outcome import JudgedOutcome, OutcomeReason, WorkOutcome
from wisen.model.workflow import StepKind, WorkflowRun


def runs_of(*acts: str) -> tuple[WorkflowRun, ...]:
    history = build_history(*acts)
    return workflow_runs(history, goals_of(history))


def keys(line: str) -> list[str]:
    return [each.key for each in read_commands(line)]


def call(tool: str, status: Status = Status.OK, **fields: object) -> Step:
    return Step(call="c1", tool=tool, arguments=json.dumps(fields), status=status, text=None, at=AT)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cd web && FORCE=1 npm run build 2>&1 | tail -20", ["npm run build"]),
        ("git add -A && git commit -m 'a b' && git push origin main", ["git add", "git commit", "git push"]),
        ("git -C /srv/app push --tags", ["git push"]),
        ("timeout 60 sudo docker compose up -d", ["docker compose up"]),
        ("corepack pnpm --filter web test", ["pnpm test"]),
        ("gh pr create --title x; gh api repos/a/b -X POST -f body=y", ["gh pr create", "gh api POST"]),
        ("python -m build && python scripts/publish.py 1.2", ["python -m build", "python publish.py"]),
        ("./scripts/deploy.sh staging --now", ["deploy.sh staging"]),
        ("bash -lc 'make lint test'", ["make lint"]),
        ("# first\nkubectl rollout status deploy/web", ["kubectl rollout status"]),
        ("curl -s -X POST https://example.org/hook", ["curl POST"]),
        ("sed -i 's/1/2/' setup.cfg", ["edit .cfg"]),
        ("npx playwright@1.4 test", ["npx playwright"]),
        ("git status && git diff && ls -la | grep x && cat a.txt", []),
        ("sleep 3; echo done; pkill node", []),
    ],
)
def test_a_shell_line_has_a_step_for_each_command_that_does_something(line: str, expected: list[str]) -> None:
    assert keys(line) == expected


def test_what_only_the_shell_knows_and_what_is_long_is_not_kept() -> None:
    (commit,) = read_commands("git commit -m \"$(cat <<'EOF'\nwords\nEOF\n)\"")
    assert commit.words == ("git", "commit", "-m", "…")
    (push,) = read_commands("git push " + "x" * 500)
    assert push.words == ("git", "push", "…")


def test_equal_steps_in_a_row_are_one_as_they_were_made_last() -> None:
    (run,) = runs_of("said ship it", "failed make test | no", "ok make test", "ok git tag v1", "failed git push")
    assert [(step.key, step.failed) for step in run.steps] == [
        ("make test", False),
        ("git tag", False),
        ("git push", True),
    ]
    assert run.steps[0].call == "c2"
    assert run.calls == 4


def test_of_a_chain_that_fails_its_last_command_failed() -> None:
    steps = steps_of([call("Bash", Status.FAILED, command="git add . && git commit -m x")])
    assert [(step.key, step.failed) for step in steps] == [("git add", False), ("git commit", True)]


def test_an_edit_is_named_by_its_ending_and_a_file_that_projects_have_once_by_its_name() -> None:
    steps = steps_of([call("Edit", file_path=f"/srv/app/{name}") for name in ("a.go", "b.go", "CHANGELOG.md")])
    assert [(step.key, step.kind) for step in steps] == [
        ("edit .go", StepKind.EDIT),
        ("edit CHANGELOG.md", StepKind.EDIT),
    ]
    assert steps_of([call("Edit", file_path="/srv/app/a.go")], ["/srv/app"])[0].words == ("a.go",)


def test_other_tools_are_steps_but_not_those_that_look_or_keep_lists() -> None:
    steps = steps_of(
        [
            call("Read", file_path="a.go"),
            call("TodoWrite", todos=[]),
            call("AskUserQuestion", questions=[]),
            call("mcp__tracker__close", id=7, text="x" * 300),
            call("Skill", skill="review"),
            call("Bash", Status.CANCELLED, command="make deploy"),
        ]
    )
    assert [(step.key, step.kind) for step in steps] == [
        ("mcp__tracker__close", StepKind.TOOL),
        ("Skill review", StepKind.TOOL),
    ]
    assert steps[0].words == ("id=7", "text=…")


def test_a_command_inside_a_program_that_an_agent_runs_is_a_step() -> None:
    program = 'const r = await tools.exec_command({"cmd":"make \\"all\\" && git push","workdir":"/w"});'
    assert [step.key for step in steps_of([call("exec", input=program)])] == ["make all", "git push"]


def test_each_goal_is_a_run_with_its_request_and_its_outcome() -> None:
    history = build_history("said tag\n  the release", "ok git tag v1", "said push the tag", "ok git push --tags")
    worked = JudgedOutcome(outcome=WorkOutcome.WORKED, reason=OutcomeReason.PRAISED)
    first, second = workflow_runs(history, goals_of(history), {"m0": worked})
    assert (first.request, first.asked, first.context) == ("m0", "tag the release", "orchard")
    assert (first.outcome, first.reason) == (WorkOutcome.WORKED, OutcomeReason.PRAISED)
    assert (second.outcome, second.reason) == (WorkOutcome.UNKNOWN, OutcomeReason.NO_EVIDENCE)
    assert second.ended - second.at == timedelta(minutes=1)


def test_a_goal_for_which_nothing_was_done_is_no_run() -> None:
    assert runs_of("said what is this?", "ok cat README.md") == ()


def test_a_rejected_call_is_no_step() -> None:
    (run,) = runs_of("said deploy", "ok make build", "ok make deploy", "refused")
    assert [step.key for step in run.steps] == ["make build"]


def test_words_that_hold_a_secret_or_a_path_in_somebodys_home_are_left_out() -> None:
    secret = "ghp_" + "".join(random.Random(4).choices(string.ascii_letters + string.digits, k=36))
    (run,) = runs_of("said deploy", f"ok curl -H token:{secret} a.org", "ok make deploy FROM=/home/jo/x", "ok make all")
    assert [step.words for step in run.steps] == [(), (), ("make", "all")]


def test_a_session_without_turns_has_no_runs() -> None:
    history = History(session=1, steps=(call("Bash", command="make"),))
    assert workflow_runs(history, goals_of(history)) == ()
