"""Whether a fix is harmless: the resulting command is checked against an allowlist, and for lost safety options."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.safety.fix_lines import DANGEROUS, HARMLESS
from wisen.model.fix import Danger
from wisen.safety.dangers import UNKNOWN_OPTION, can_leave_out, judge_calls, judge_lines, judge_preceding_call
from wisen.text.plain_shell import read_plain_line

pytestmark = pytest.mark.requirement("F4")
ROOTS = ("/home/me/shop",)


@pytest.mark.parametrize(("before", "after"), DANGEROUS)
def test_what_could_have_been_dictated_needs_a_yes(before: str, after: str) -> None:
    assert judge_lines(before, after, ROOTS) is not Danger.NONE


@pytest.mark.parametrize(("before", "after"), HARMLESS)
def test_everyday_fixes_need_no_yes(before: str, after: str) -> None:
    assert judge_lines(before, after, ROOTS) is Danger.NONE


@pytest.mark.parametrize("appendix", ["; ./x", " && ./x", " | sh", "\n./x", " & ./x", " > x", " `x`", " $(x)", " <(x)"])
@pytest.mark.parametrize(("before", "after"), HARMLESS)
def test_what_is_harmless_is_so_no_longer_with_something_behind_it(before: str, after: str, appendix: str) -> None:
    assert judge_lines(before, f"{after}{appendix}", ROOTS) is not Danger.NONE


@pytest.mark.parametrize("prefix", ["sudo ", "env A=b ", "A=b ", "sh -c ", "xargs ", "eval ", "./x && ", "nsenter "])
@pytest.mark.parametrize(("before", "after"), HARMLESS)
def test_what_is_harmless_is_so_no_longer_with_something_before_it(before: str, after: str, prefix: str) -> None:
    assert judge_lines(before, f"{prefix}{after}", ROOTS) is not Danger.NONE


@pytest.mark.parametrize(
    "wrapper", ["bwrap ", "firejail ", "docker run img ", "timeout 5 ", "A=b ", "set -e; ", "mybox "]
)
@pytest.mark.parametrize("line", ["npm test", "pytest tests", "make build", "git commit -m x", "cargo fmt"])
def test_what_wrapped_a_command_is_not_dropped_unasked(line: str, wrapper: str) -> None:
    assert judge_lines(f"{wrapper}{line}", line, ROOTS) is Danger.UNSAFE


@pytest.mark.parametrize(
    ("path", "danger"),
    [
        ("/home/me/shop/src/a", Danger.NONE), ("src/a", Danger.NONE), ("/home/me/shopping/a", Danger.OUTSIDE),
        ("/home/me/shop/../a", Danger.OUTSIDE), ("/home/me", Danger.OUTSIDE), ("/home/me/shop/.env", Danger.OUTSIDE),
    ],
)  # fmt: skip
def test_only_paths_of_the_project_are_harmless(path: str, danger: Danger) -> None:
    assert judge_lines("cat x", f"cat {path}", ROOTS) is danger
    assert judge_calls("Read", '{"file_path": "x"}', json.dumps({"file_path": path}), ROOTS) is danger


@pytest.mark.parametrize(
    ("tool", "before", "after", "danger"),
    [
        ("Edit", {"old_string": "a"}, {"old_string": "a b", "new_string": "run curl evil"}, Danger.NONE),
        ("Edit", {"replace_all": False}, {"replace_all": True}, Danger.NONE),
        ("Grep", {"pattern": "a", "path": "scr"}, {"pattern": "a", "path": "src"}, Danger.NONE),
        ("Grep", {"pattern": "a"}, {"pattern": "please run the script"}, Danger.UNKNOWN),
        ("WebFetch", {"url": "https://a.example"}, {"url": "https://evil.example"}, Danger.HOST),
        ("mcp__db__query", {"dry_run": True}, {}, Danger.UNKNOWN),
        ("mcp__db__query", {"sql": "a"}, {"sql": "drop"}, Danger.UNKNOWN),
        ("Skill", {"skill": "a:b"}, {"skill": "b"}, Danger.UNKNOWN),
        ("Bash", {"command": "ls"}, {"command": "ls -a", "dangerouslyDisableSandbox": True}, Danger.UNSAFE),
        ("Bash", {"command": "ls", "sandbox": True}, {"command": "ls -a"}, Danger.UNSAFE),
        ("exec_command", {"cmd": "ls"}, {"cmd": "ls -a", "workdir": "/elsewhere"}, Danger.OUTSIDE),
        ("exec_command", {"cmd": "ls"}, {"cmd": "ls -a", "workdir": "/home/me/shop/a"}, Danger.NONE),
        ("shell", {"command": ["bash", "-lc", "ls"]}, {"command": ["bash", "-lc", "ls -a"]}, Danger.NONE),
        ("shell", {"command": ["bash", "-lc", "ls"]}, {"command": ["bash", "-lc", "ls | sh"]}, Danger.SHELL),
    ],
)
def test_calls_of_other_tools_are_judged_too(tool: str, before: object, after: object, danger: Danger) -> None:
    assert judge_calls(tool, json.dumps(before), json.dumps(after), ROOTS) is danger


@pytest.mark.parametrize(
    ("before", "after", "harmless"),
    [
        ("shopctl deploy --wait", "shopctl deploy", True),
        ("shopctl count a.txt --now --all", "shopctl count a.txt --all", True),
        ("shopctl deploy --wait", "shopctl deploy --force", False),
        ("shopctl deploy --dry-run", "shopctl deploy", False),
        ("shopctl deploy --read-only", "shopctl deploy", False),
        ("shopctl deploy -i", "shopctl deploy", False),
        ("shopctl plan deploy", "shopctl deploy", False),
        ("shopctl deploy --wait", "shopctl deploy /etc", False),
        ("shopctl a --wait", "shopctl b", False),
        ("bash x --wait", "bash x", False),
        ("kubectl apply --wait", "kubectl apply", False),
        ("mybox npm test --wait", "npm test", False),
        ("shopctl deploy --wait", "shopctl deploy; ./x", False),
        ("A=b shopctl deploy --wait", "shopctl deploy", False),
        ("./shopctl deploy --wait", "./shopctl deploy", False),
    ],
)
def test_a_tool_that_nobody_knows_may_do_without_an_option_that_it_does_not_have(
    before: str, after: str, harmless: bool
) -> None:
    calls = json.dumps({"command": before}), json.dumps({"command": after})
    danger = judge_calls("Bash", *calls, ROOTS, complaint="shell.unknown-option")
    assert (danger is Danger.NONE) is harmless
    assert judge_calls("Bash", *calls, ROOTS, complaint="runtime.error") is not Danger.NONE


def test_a_call_that_comes_first_is_judged_by_the_list_alone() -> None:
    assert judge_preceding_call("Bash", '{"command": "git pull --rebase"}') is Danger.NONE
    assert judge_preceding_call("Read", '{"file_path": "/anywhere"}') is Danger.NONE
    assert judge_preceding_call("Bash", '{"command": "npm install"}') is Danger.PACKAGE
    assert judge_preceding_call("mcp__x__y", "{}") is Danger.UNKNOWN


@given(st.text(alphabet=" \t\n'\"\\;&|<>(){}$`#!*?~=ab-/é\x00\u202e", max_size=30))
def test_a_plain_line_is_read_as_a_shell_reads_it(line: str) -> None:
    commands = read_plain_line(line)
    if commands is None or "/dev/null" in line:
        return
    marks = {"&&", "||", ";", "|"}
    flat = [word for each in commands for word in (*([each.mark] * bool(each.mark)), *each.settings, *each.words)]
    lexer = shlex.shlex(line.strip().replace("\n", ";"), posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split, lexer.commenters = True, ""
    seen = [word for word in lexer if word not in ("2>&1",)]
    assert [word for word in flat if word not in marks] == [
        word for word in seen if not word or not set(word) <= {";", "&", "|"}
    ]


@pytest.mark.parametrize("step", ["Skill commit", "Skill release-notes", "Read src/a.py", "git status"])
def test_a_step_that_checks_nothing_may_be_left_out(step: str) -> None:
    assert can_leave_out(step)


@pytest.mark.parametrize(
    "step", ["Skill security-review", "Skill run-tests", "npm test", "./guard.sh", "Task", "mcp__x__y", ""]
)
def test_a_step_that_may_be_a_check_is_not_left_out_unasked(step: str) -> None:
    assert not can_leave_out(step)


@pytest.mark.parametrize(
    ("before", "after", "danger"),
    [
        ("python3 count.py --everything", "python3 count.py", Danger.NONE),
        ("node tools/count.js --all x", "node tools/count.js x", Danger.NONE),
        ("python3 count.py --dry-run", "python3 count.py", Danger.UNKNOWN),
        ("python3 count.py --sandbox", "python3 count.py", Danger.UNKNOWN),
        ("python3 count.py --everything", "python3 other.py", Danger.UNKNOWN),
        ("python3 --isolated count.py", "python3 count.py", Danger.UNKNOWN),
        ("python3 count.py --everything", "sudo python3 count.py", Danger.UNKNOWN),
    ],
)
def test_a_script_that_knows_no_such_option_is_run_without_it(before: str, after: str, danger: Danger) -> None:
    calls = (json.dumps({"command": line}) for line in (before, after))
    found = judge_calls("Bash", *calls, complaint=UNKNOWN_OPTION)
    assert (found is Danger.NONE) is (danger is Danger.NONE)
