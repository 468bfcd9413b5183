"""The runs of a workflow become one procedure: what varies is a parameter, and it reproduces other runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.deploy_runs import VERSIONS, command, deploy_runs, deploy_steps, run_of, workflow_of
from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import ParameterKind, RunStep, StepKind, TemplateWord, ValueSource, Workflow, WorkflowRun
from wisen.workflows.procedure import build_procedure, fill, values_in
from wisen.workflows.replay import leave_one_out, replay_run


def texts(words: tuple[TemplateWord, ...]) -> str:
    return " ".join(word.text for word in words)


def of_one_step(*lines: str, asked: str = "") -> tuple[Workflow, list[WorkflowRun]]:
    """A workflow of one step, with one run for each command line."""
    runs = [run_of(number, asked, [command(line)]) for number, line in enumerate(lines)]
    return workflow_of(runs, [runs[0].steps[0].key]), runs


def test_eight_deploys_are_one_procedure_with_the_version_as_its_only_parameter() -> None:
    runs = deploy_runs()
    procedure = build_procedure(workflow_of(runs), runs)
    (version,) = procedure.parameters
    assert (version.name, version.kind, version.source) == ("version", ParameterKind.VERSION, ValueSource.REQUEST)
    assert version.examples == (VERSIONS[7], VERSIONS[6], VERSIONS[5])
    assert [texts(each.command) for each in procedure.steps] == [
        "docker build -t registry.orchard.example/pears:{version} .",
        "git tag v{version}",
        "docker push registry.orchard.example/pears:{version}",
        "curl -fsS https://staging.orchard.example/health?version={version}",
    ]


def test_asking_the_deployment_how_it_is_counts_as_a_check() -> None:
    runs = deploy_runs()
    assert [step.is_check for step in build_procedure(workflow_of(runs), runs).steps] == [True, False, False, True]


def test_each_step_names_the_runs_that_show_its_command_and_the_failed_one_is_none_of_them() -> None:
    runs = deploy_runs()
    procedure = build_procedure(workflow_of(runs), runs)
    assert all(step.runs == ("m0", "m1", "m2", "m4", "m5", "m6", "m7") for step in procedure.steps)


@pytest.mark.parametrize("left_out", [0, 2, 5, 7])
def test_filled_in_it_reproduces_a_run_it_was_not_made_from(left_out: int) -> None:
    runs = deploy_runs()
    others = [run for run in runs if run is not runs[left_out]]
    procedure = build_procedure(workflow_of(others), others)
    commands = {fill(step.command, {"version": VERSIONS[left_out]}) for step in procedure.steps}
    assert commands == {step.words for step in runs[left_out].steps}
    assert replay_run(procedure, runs[left_out]).reproduced == 4


def test_each_run_left_out_is_reproduced_from_the_others() -> None:
    runs = deploy_runs()
    result = leave_one_out(workflow_of(runs), runs)
    assert (result.reproduced, result.steps) == (28, 28)


def test_a_run_with_another_command_is_not_called_reproduced() -> None:
    runs = deploy_runs()
    other = run_of(9, "deploy 3.0.0", [*deploy_steps("3.0.0")[:3], command("curl https://elsewhere.example/up")])
    assert replay_run(build_procedure(workflow_of(runs), runs), other).reproduced == 3


def test_words_that_some_runs_leave_out_are_optional_and_rare_ones_are_no_part_of_it() -> None:
    workflow, runs = of_one_step(
        "npm publish --tag next", "npm publish --tag next", "npm publish", "npm publish --tag next --dry-run"
    )
    (step,) = build_procedure(workflow, runs).steps
    assert [(word.text, word.optional) for word in step.command] == [
        ("npm", False),
        ("publish", False),
        ("--tag", True),
        ("next", True),
    ]
    assert fill(step.command, {}, optional=False) == ("npm", "publish")


def test_options_never_become_values() -> None:
    workflow, runs = of_one_step("make -j4 all", "make -k all", "make -j4 all")
    procedure = build_procedure(workflow_of(runs, ["make all"]), runs)
    assert procedure.parameters == ()
    assert workflow.runs == ("m0", "m1", "m2")


def test_a_parameter_is_named_by_its_option_and_found_again_in_other_steps() -> None:
    runs = [
        run_of(number, f"roll out to {zone}", [command(f"kubectl config --zone {zone}"), command(f"make {zone}-up")])
        for number, zone in enumerate(("plum", "quince", "sloe"))
    ]
    runs = [
        WorkflowRun(**{**{f: getattr(run, f) for f in run.__struct_fields__}, "steps": (run.steps[0], _keyed(run))})
        for run in runs
    ]
    procedure = build_procedure(workflow_of(runs, ["kubectl config", "make"]), runs)
    assert [(each.name, each.source) for each in procedure.parameters] == [("zone", ValueSource.REQUEST)]
    assert [texts(step.command) for step in procedure.steps] == ["kubectl config --zone {zone}", "make {zone}-up"]


def _keyed(run: WorkflowRun) -> RunStep:
    return RunStep(key="make", kind=StepKind.COMMAND, words=run.steps[1].words)


def test_a_value_from_an_earlier_call_is_marked_so() -> None:
    runs = [
        run_of(
            number,
            "fix the next ticket",
            [
                RunStep(key="get_issue", kind=StepKind.READ, words=(f"id=PEAR-{ticket}",)),
                command(f"git switch fix/PEAR-{ticket}"),
            ],
        )
        for number, ticket in enumerate((17, 23, 42))
    ]
    (found,) = build_procedure(workflow_of(runs, ["git switch"]), runs).parameters
    assert (found.kind, found.source) == (ParameterKind.NUMBER, ValueSource.EARLIER_CALL)


def test_one_value_that_differs_in_a_single_run_is_no_parameter() -> None:
    workflow, runs = of_one_step(*["git push origin main"] * 4, "git push origin trunk")
    (step,) = build_procedure(workflow, runs).steps
    assert texts(step.command) == "git push origin main"


def test_of_a_single_run_only_a_version_that_was_asked_for_is_a_parameter() -> None:
    workflow, runs = of_one_step("npm install pears@2.1.0 --save-exact", asked="install pears 2.1.0")
    procedure = build_procedure(workflow, runs)
    assert texts(procedure.steps[0].command) == "npm install pears@{version} --save-exact"


def test_a_script_typed_on_the_command_line_is_no_command_to_repeat() -> None:
    runs = [
        run_of(number, "", [RunStep(key="python", kind=StepKind.COMMAND, words=("python", "-c", script))])
        for number, script in enumerate(("print(1); print(2)", "import os; os.sync()", "x = 1; print(x)"))
    ]
    assert build_procedure(workflow_of(runs, ["python"]), runs).steps[0].command == ()


def test_a_command_of_which_half_varies_says_too_little_to_repeat() -> None:
    workflow, runs = of_one_step("git add src/a.py tests/b.py", "git add src/c.py docs/d.md", "git add e.py f.py")
    procedure = build_procedure(workflow, runs)
    assert procedure.steps[0].command == ()
    assert procedure.parameters == ()


def test_a_branch_is_called_so_although_its_name_looks_like_a_path() -> None:
    workflow, runs = of_one_step("git push -u origin fix/plums", "git push -u origin feature/sloes-2")
    (found,) = build_procedure(workflow, runs).parameters
    assert found.name == "branch"


def test_a_workflow_with_the_same_step_twice_keeps_both_commands_apart() -> None:
    runs = [
        run_of(number, "", [command("git push origin main"), command(f"git push origin v{version}")][:: (-1) ** number])
        for number, version in enumerate(VERSIONS[:4])
    ]
    procedure = build_procedure(workflow_of(runs, ["git push", "git push"]), runs)
    assert [texts(step.command) for step in procedure.steps] == ["git push origin main", "git push origin v{version}"]


def test_checks_are_recognized_unless_a_run_that_worked_went_on_after_one_had_failed() -> None:
    runs = [run_of(number, "", [command("npm test"), command("npm publish")]) for number in range(3)]
    checked = build_procedure(workflow_of(runs, ["npm test", "npm publish"]), runs)
    assert [step.is_check for step in checked.steps] == [True, False]
    ignored = [*runs, run_of(4, "", [command("npm test", failed=True), command("npm publish")])]
    passed_over = build_procedure(workflow_of(ignored, ["npm test", "npm publish"]), ignored)
    assert [step.is_check for step in passed_over.steps] == [False, False]


def test_if_every_run_failed_their_commands_still_count() -> None:
    runs = [run_of(number, "", [command("npm publish")], WorkOutcome.FAILED) for number in range(2)]
    assert texts(build_procedure(workflow_of(runs, ["npm publish"]), runs).steps[0].command) == "npm publish"


WORDS = st.text("abv0123.-_{}=/ ", min_size=1, max_size=12)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=5))
def test_whatever_the_words_are_a_matched_run_is_filled_in_exactly(lines: list[list[str]]) -> None:
    runs = [
        run_of(number, "", [RunStep(key="tool", kind=StepKind.COMMAND, words=("tool", *words))])
        for number, words in enumerate(lines)
    ]
    (step,) = build_procedure(workflow_of(runs, ["tool"]), runs).steps
    for run in runs:
        words = run.steps[0].words
        values = values_in(step.command, words)
        if values is not None:
            assert words in (fill(step.command, values), fill(step.command, values, optional=False))
