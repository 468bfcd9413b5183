"""The fix of a failure is what was different about the call that then worked, in one session and for one goal."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from wisen.domain.events import Status
from wisen.domain.fixes import Danger, Fix, History, Step
from wisen.loop.mine.fixes import fixes

pytestmark = pytest.mark.requirement("F3")
AT = datetime(2026, 3, 2, tzinfo=UTC)
OK, FAILED, MASKED = Status.OK, Status.FAILED, Status.MASKED


def history(*steps: Any, session: int = 1) -> History:
    return History(
        session=session,
        steps=tuple(
            Step(
                call=f"s{session}c{number}",
                tool=tool,
                arguments=json.dumps(arguments),
                status=status,
                text=text,
                at=AT + timedelta(minutes=number),
            )
            for number, (tool, arguments, status, text) in enumerate(steps)
        ),
    )


def bash(
    command: str, status: Status | None = OK, text: str | None = None
) -> tuple[str, dict[str, object], Status | None, str | None]:
    return "Bash", {"command": command, "description": "x"}, status, text


def only(*histories: History) -> Fix:
    (fix,) = fixes(histories)
    return fix


def test_a_dropped_word_is_the_fix_and_sessions_are_counted() -> None:
    fix = only(
        *(
            history(
                bash("rtk bun run test 2>&1 | tail -20", MASKED, "error: unrecognized subcommand 'bun'"),
                bash("bun run test 2>&1 | tail -5"),
                session=number,
            )
            for number in (1, 2, 3)
        )
    )
    assert (fix.removed, fix.added, fix.first, fix.sessions) == (("rtk",), (), (), 3)
    assert fix.danger is Danger.NONE
    assert fix.is_known


def test_an_unrelated_success_between_does_not_hide_the_fix() -> None:
    fix = only(
        history(
            bash("npm test", FAILED, "Exit code 1\nnpm error use pnpm"),
            bash("git status"),
            ("Read", {"file_path": "/p/a"}, OK, None),
            bash("pnpm test"),
        )
    )
    assert (fix.removed, fix.added) == (("npm",), ("pnpm",))
    assert (fix.before, fix.after) == ("npm test", "pnpm test")


def test_two_sessions_side_by_side_never_mix() -> None:
    one = history(bash("npm test", FAILED, "Exit code 1\nno"), session=1)
    two = history(bash("pnpm test"), session=2)
    assert fixes([one, two]) == ()


def test_a_test_that_passes_after_code_was_edited_is_work_not_a_fix() -> None:
    edit = ("Edit", {"file_path": "/p/a", "old_string": "a", "new_string": "b"}, OK, None)
    assert fixes([history(bash("pytest -q", FAILED, "1 failed"), edit, bash("pytest -q"))]) == ()
    assert fixes([history(bash("pytest -q", FAILED, "1 failed"), edit, bash("pytest -q -x"))]) == ()


def test_a_call_that_works_when_it_is_repeated_was_never_broken() -> None:
    assert fixes([history(bash("curl x", FAILED, "timed out"), bash("curl x"))]) == ()


def test_reading_a_file_first_is_what_an_edit_needed() -> None:
    edit = {"file_path": "/p/a", "old_string": "a", "new_string": "b"}
    fix = only(
        history(
            ("Edit", edit, FAILED, "<tool_use_error>File has not been read yet.</tool_use_error>"),
            ("Read", {"file_path": "/p/a"}, OK, None),
            ("Edit", edit, OK, None),
        )
    )
    assert fix.first == ("Read the same file",)
    assert (fix.removed, fix.added) == ((), ())


def test_the_call_between_is_the_fix_when_the_call_itself_stayed_the_same() -> None:
    fix = only(
        history(bash("cp a build/a", FAILED, "No such file"), bash("mkdir build"), bash("ls"), bash("cp a build/a"))
    )
    assert fix.first == ("Bash: mkdir build",)


def test_a_switched_option_is_a_fix_and_another_text_is_none() -> None:
    one = {"file_path": "/p/a", "old_string": "a", "new_string": "b", "replace_all": False}
    assert only(
        history(("Edit", one, FAILED, "2 matches"), ("Edit", {**one, "replace_all": True}, OK, None))
    ).added == ("replace_all=true",)
    other = {**one, "old_string": "another text"}
    assert fixes([history(("Edit", one, FAILED, "not found"), ("Edit", other, OK, None))]) == ()


def test_what_only_trims_the_output_is_no_difference() -> None:
    one, two = "bun test 2>&1 | tail -5", 'bun test 2>&1 | grep -E "a|b" | head -3'
    assert fixes([history(bash(one, MASKED, "error: x"), bash(two))]) == ()


def test_another_script_is_another_goal() -> None:
    assert fixes([history(bash("bun run test", FAILED, "no"), bash("bun run typecheck"))]) == ()
    assert only(history(bash("bun run lint", FAILED, "no"), bash("bun run lint:fix"))).added == ("lint:fix",)


def test_a_change_that_did_not_help_is_counted_against_it() -> None:
    fix = only(history(bash("a x", FAILED, "no"), bash("a x -f", FAILED, "no"), bash("a x -f")))
    assert fix.failed_again == 1
    assert not fix.is_known


def test_another_failure_after_the_change_says_nothing_against_it() -> None:
    steps = [bash("npm test", FAILED, "npm error use pnpm"), bash("pnpm test", FAILED, "1 failed"), bash("pnpm test")]
    assert only(history(*steps)).failed_again == 0


@pytest.mark.parametrize(
    ("before", "after", "danger"),
    [
        ("make all", "sudo make all", Danger.ROOT),
        ("get data", "get data https://evil.example/x", Danger.HOST),
        ("pip install a", "pip install a evilpkg", Danger.PACKAGE),
        ("run app x y", "npm install lib && run app x y", Danger.PACKAGE),
        ("cat notes a", "cat notes a /etc/passwd", Danger.OUTSIDE),
        ("python run.py", "python3 run.py", Danger.PROGRAM),
        ("run it x", "run it x --force", Danger.NONE),
        ("fetch x y", "fetch x y | sh", Danger.SHELL),
    ],
)
def test_what_a_fix_brings_in_is_told(before: str, after: str, danger: Danger) -> None:
    assert only(history(bash(before, FAILED, "no"), bash(after))).danger is danger


def test_what_the_session_had_used_before_is_nothing_new() -> None:
    fix = only(history(bash("python3 other.py"), bash("python run.py", FAILED, "not found"), bash("python3 run.py")))
    assert fix.danger is Danger.NONE


def test_deleting_is_never_harmless() -> None:
    fix = only(history(bash("make x", FAILED, "no"), bash("rm -rf build"), bash("make x")))
    assert (fix.first, fix.danger) == (("Bash: rm -rf build",), Danger.DELETES)
