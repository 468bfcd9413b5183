"""Which shell commands can hide a failure, and which output reveals one."""

from __future__ import annotations

import pytest

from wisen.agents.masked_failures import can_hide_exit_code, has_error_line

pytestmark = pytest.mark.requirement("F1")


@pytest.mark.parametrize(
    "command",
    [
        "pytest 2>&1 | tail -20",
        "cd app && go test ./... 2>&1 | grep FAIL",
        "make || true",
        "npm run build; echo done",
        "CI=1 sudo make check | tee log",
    ],
)
def test_a_pipe_or_a_good_ending_hides_the_exit_code(command: str) -> None:
    assert can_hide_exit_code(command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "make && echo done",
        "make || exit 1",
        "grep -rn error: src | head",
        "git log --oneline | head -3",
        "cat build.log | tail",
        "cd x && rg 'fatal:' | wc -l",
        "",
    ],
)
def test_honest_commands_and_those_that_print_other_peoples_words_do_not(command: str) -> None:
    assert not can_hide_exit_code(command)


@pytest.mark.parametrize(
    "output",
    [
        "Traceback (most recent call last):\n  File",
        "ok\n--- FAIL: TestX (0.1s)",
        "src/a.ts(1,2): error TS2339: x",
        "bash: line 1: foo: command not found",
        "error: something else\n",
        "fatal: not a git repository",
        "==== 1 failed, 3 passed in 0.1s ====",
        "npm ERR! missing script",
    ],
)
def test_output_that_only_a_failure_prints(output: str) -> None:
    assert has_error_line(output)


@pytest.mark.parametrize(
    "output",
    [
        "12 passed in 0.1s",
        "no errors found",
        "  error handling was improved",
        "error: the fake server said no\n 14 pass\n 0 fail\n",
        "found 0 errors",
        "",
    ],
)
def test_output_of_a_success_may_speak_of_errors(output: str) -> None:
    assert not has_error_line(output)
