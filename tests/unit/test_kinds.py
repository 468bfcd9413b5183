"""Failures that look alike are one kind, counted by distinct sessions."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from wisen.domain.events import Status
from wisen.domain.report import Failure
from wisen.loop.mine.kinds import failure_kinds, kind_of

AT = datetime(2026, 3, 2, tzinfo=UTC)
pytestmark = pytest.mark.requirement("X4")


def failed(text: str | None, *, command: str | None = None, tool: str = "Bash", session: int = 1) -> Failure:
    arguments = json.dumps({"command": command} if command else {"file_path": "a"})
    return Failure(session=session, tool=tool, arguments=arguments, text=text, status=Status.FAILED, at=AT)


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (failed("Exit code 2\nerror: unrecognized subcommand 'bun'\n", command="rtk bun test"), "rtk: error: unrecognized subcommand 'bun'"),
        (failed("Exit code 127\n/bin/bash: line 1: foo: command not found", command="foo"), "foo: foo: command not found"),
        (failed("Exit code 1\n$ tsc --noEmit\nsrc/a.ts(3,4): error TS2339: no x", command="cd /x && bun run check"), "bun: <path>(N,N): error TSN: no x"),
        (failed("Exit code 1", command="false"), "false: exit 1"),
        (failed("Exit code 1\nplain talk", command="./run"), "run: exit 1"),
        (failed("<tool_use_error>File does not exist.</tool_use_error>", tool="Read"), "File does not exist."),
        (failed(None, command="curl x"), "curl: text not kept"),
        (failed("plain talk", tool="Task"), "plain talk"),
    ],
)  # fmt: skip
def test_a_kind_is_the_program_and_the_line_that_tells(failure: Failure, kind: str) -> None:
    assert kind_of(failure) == kind


def test_numbers_paths_and_ids_do_not_make_a_new_kind() -> None:
    one = failed("Exit code 1\n/a/b.py:12: error: bad id 3f2a9bc1d4", command="lint a")
    two = failed("Exit code 1\n/c/d/e.py:7: error: bad id 99999990aa", command="lint b", session=2)
    (kind,) = failure_kinds([one, two])
    assert (kind.calls, kind.sessions) == (2, 2)


def test_kinds_of_more_sessions_come_first_even_with_fewer_calls() -> None:
    often = [failed("Exit code 1\nerror: a", command="x")] * 9
    widely = [failed("Exit code 1\nerror: b", command="y", session=n) for n in (1, 2)]
    late = Failure(
        session=3, tool="Bash", arguments=None, text="error: c", status=Status.MASKED, at=AT + timedelta(days=1)
    )
    kinds = failure_kinds([*often, *widely, late])
    assert [(kind.sessions, kind.calls, kind.masked) for kind in kinds] == [(2, 2, 0), (1, 9, 0), (1, 1, 1)]
