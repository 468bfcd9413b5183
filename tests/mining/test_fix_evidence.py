"""A difference between a failed call and a later one is a fix only where nothing else can explain the success."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.mining.session_mining import mine_session
from wisen.model.event import Status
from wisen.model.failure import CallChange, FixAttempt
from wisen.model.history import History, Step, Turn, UserAction

pytestmark = pytest.mark.requirement("F3")
AT = datetime(2026, 3, 2, tzinfo=UTC)
OK, FAILED = Status.OK, Status.FAILED
ODD = "Exit code 1\nboom"
"""A complaint that names nothing."""


def step(number: int, tool: str, fields: dict[str, object], status: Status | None, text: str | None = None) -> Step:
    at = AT + timedelta(seconds=10 * number)
    return Step(
        call=f"c{number}",
        tool=tool,
        arguments=json.dumps(fields),
        status=status,
        text=text,
        at=at,
        ended=at + timedelta(seconds=5),
    )


def bash(command: str, text: str | None = None, **more: object) -> tuple[str, dict[str, object], Status, str | None]:
    return "Bash", {"command": command, **more}, FAILED if text else OK, text


EDIT = ("Edit", {"file_path": "/p/a.py", "old_string": "a", "new_string": "b"}, OK, None)


def history(*acts: Any, waits: dict[int, int] | None = None) -> History:
    """Calls, and between them what the user said; `waits` has the seconds that passed before a call."""
    steps: list[Step] = []
    turns: list[Turn] = []
    late = 0
    for act in acts:
        if isinstance(act, str):
            turns.append(
                Turn(id=f"m{len(turns)}", action=UserAction.SAID, at=AT, text=act, before=len(steps), origin="prompt")
            )
            continue
        late += (waits or {}).get(len(steps), 0)
        made = step(len(steps), *act)
        later = timedelta(seconds=late)
        steps.append(
            Step(
                call=made.call,
                tool=made.tool,
                arguments=made.arguments,
                status=made.status,
                text=made.text,
                at=made.at + later,
                ended=(made.ended or made.at) + later,
            )
        )
    return History(session=1, steps=tuple(steps), turns=tuple(turns))


def working_attempts(*acts: Any, waits: dict[int, int] | None = None) -> list[FixAttempt]:
    return [each for each in mine_session(history(*acts, waits=waits)).attempts if each.worked]


def changes(*acts: Any, waits: dict[int, int] | None = None) -> list[CallChange]:
    return [each.change for each in working_attempts(*acts, waits=waits)]


@pytest.mark.parametrize(
    ("failing", "passing", "error"),
    [
        ("npm test -- --verbose", "npm test", "Exit code 1\nError: expected 3, got 2"),
        ("make test V=1", "make test", "Exit code 2\nmake: *** [Makefile:3: test] Error 1"),
        ("python3 t2.py -v", "python3 t2.py", "Exit code 1\nAssertionError: 3 != 2"),
        ("python3 t2.py", "python3 -B t2.py", "Exit code 1\nAssertionError: 3 != 2"),
        ("cargo run --release", "cargo run", "Exit code 101\nthread 'main' panicked at src/main.rs:3"),
        ("node app.js --port 3000", "node app.js", "Exit code 1\nTypeError: x is not a function"),
        ("./build.sh fast", "./build.sh", ODD),
        ("terraform plan -out x", "terraform plan", ODD),
    ],
)
@pytest.mark.parametrize(
    "between",
    [
        EDIT,
        ("Write", {"file_path": "/p/a.py", "content": "x"}, OK, None),
        ("apply_patch", {"input": "*** Update File: a.py"}, OK, None),
        ("mcp__editor__replace", {"path": "a.py"}, OK, None),
        ("Task", {"prompt": "mend it"}, OK, None),
        bash("sed -i s/2/3/ a.py"),
        bash("python3 - <<'E'\nopen('a.py', 'w').write('x')\nE"),
        bash("cp b.py a.py"),
        bash("git checkout a.py"),
        bash("npm install"),
        bash("docker compose up -d"),
        bash("curl -X POST localhost:3000/reset"),
        bash("echo x > a.py"),
        bash("cat b.py | tee a.py"),
        bash("find . -name '*.pyc' -delete"),
        bash("ls $(rm -rf build)"),
        bash("sleep 20"),
        ("BashOutput", {"bash_id": "1"}, OK, None),
        "try it again, I restarted the database",
    ],
    ids=str,
)
def test_whatever_was_done_in_between_may_be_the_cause(failing: str, passing: str, error: str, between: Any) -> None:
    assert changes(bash(failing, error), between, bash(passing)) == []


@pytest.mark.parametrize(
    "between",
    [
        ("Read", {"file_path": "/p/a.py"}, OK, None),
        ("Grep", {"pattern": "x"}, OK, None),
        bash("git status"),
        bash("cat Makefile | head -20"),
        bash("ls -la 2>/dev/null"),
        ("Edit", {"file_path": "/p/a.py"}, Status.CANCELLED, None),
        bash("tool run x", ODD),
    ],
    ids=str,
)
def test_what_only_looks_or_failed_in_the_same_way_changes_nothing(between: Any) -> None:
    assert CallChange(tool="Bash", added=("--safe-mode-x",)) in changes(
        bash("tool run x", ODD), between, bash("tool run x --safe-mode-x")
    )


@pytest.mark.parametrize("seconds", [301, 4000])
def test_what_passes_long_after_may_pass_for_any_reason(seconds: int) -> None:
    assert changes(bash("tool run x", ODD), bash("tool run x --fast-x"), waits={1: seconds}) == []


def test_a_call_made_beside_the_failing_one_does_not_answer_it() -> None:
    one, two = history(bash("tool run x", ODD), bash("tool run x --fast-x")).steps
    together = History(session=1, steps=(one, step(0, "Bash", {"command": "tool run x --fast-x"}, OK)))
    assert one.at == together.steps[1].at != two.at
    assert mine_session(together).attempts == ()


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        (bash("serve --dev", ODD), bash("serve --prod")),
        (bash("npm run dev &"), bash("true")),
    ],
)
def test_something_that_runs_on_may_have_become_ready(failing: Any, passing: Any) -> None:
    acts = [bash("npm run dev", run_in_background=True), bash("tool get x", ODD), bash("tool get x --again-x")]
    assert changes(*acts) == []
    assert changes(failing, bash("db up &"), bash("tool get x", ODD), bash("tool get x --again-x"), passing) == []


def test_other_rights_or_another_folder_of_the_call_may_be_the_cause() -> None:
    first = bash("gh auth status", "Exit code 1\nX Failed to log in")
    assert changes(first, bash("gh auth status --active", sandbox_permissions="require_escalated")) == []
    assert changes(bash("tool x", ODD, workdir="/a"), bash("tool x --here-y", workdir="/b")) == []


@pytest.mark.parametrize("error", [ODD, "Exit code 1\nconnection refused", "Exit code 1\nrequest timed out"])
def test_what_time_alone_may_answer_is_not_put_down_to_words(error: str) -> None:
    assert changes(bash("curl localhost:1/a", error), bash("sleep 5 && curl localhost:1/a -s")) == []


def test_a_call_that_is_seen_to_pass_as_it_was_is_not_wrong() -> None:
    acts = [bash("tool run x --fast-x", ODD), bash("tool run x")]
    assert changes(*acts) == [CallChange(tool="Bash", removed=("--fast-x",))]
    assert changes(*acts, EDIT, bash("tool run x --fast-x")) == []
    assert changes(bash("tool run x --fast-x"), EDIT, *acts) == []


def test_a_pipe_that_hides_how_a_command_ended_proves_nothing() -> None:
    assert changes(bash("bun run deploy-x a", ODD), bash("bun run deploy-x a b | grep -c x")) == []
    assert changes(bash("bun run deploy-x a", ODD), bash("bun run deploy-x a b || true")) == []


@pytest.mark.parametrize(
    ("tool", "before", "after", "error"),
    [
        ("Bash", {"command": "pytest -v"}, {"command": "pytest"}, ODD),
        ("Bash", {"command": "tool run"}, {"command": "tool run --verbose"}, ODD),
        ("Bash", {"command": "tool run"}, {"command": "tool run -vv --no-color"}, ODD),
        ("Bash", {"command": "tool run | head -5"}, {"command": "tool run 2>&1 | tail -20"}, ODD),
        ("Bash", {"command": "tool run"}, {"command": "timeout 60 tool run"}, ODD),
        ("Bash", {"command": "tool run"}, {"command": "tool run > out.txt 2>&1"}, ODD),
        ("Bash", {"command": "tool run"}, {"command": "tool run # again"}, ODD),
        ("Bash", {"command": "make x"}, {"command": "make x V=1"}, ODD),
        ("Bash", {"command": "python3 x.py"}, {"command": "python3 -B x.py"}, ODD),
        ("Read", {"file_path": "/p/a", "limit": 150}, {"file_path": "/p/a", "limit": 200}, "File does not exist."),
        ("Read", {"file_path": "/p/a", "offset": 1}, {"file_path": "/p/a"}, "File does not exist."),
    ],
)
def test_an_argument_that_cannot_matter_to_the_complaint_is_no_fix(
    tool: str, before: dict[str, object], after: dict[str, object], error: str
) -> None:
    assert changes((tool, before, FAILED, error), (tool, after, OK, None)) == []


def test_only_the_right_path_is_kept_where_more_was_changed() -> None:
    missing = ("Read", {"file_path": "/p/src/conf.py", "limit": 150}, FAILED, "File does not exist.")
    (change,) = changes(missing, ("Read", {"file_path": "/p/lib/conf.py", "limit": 200}, OK, None))
    assert change == CallChange(tool="Read", removed=("file_path=/p/src/conf.py",), added=("file_path=/p/lib/conf.py",))


@pytest.mark.parametrize(
    ("failing", "error", "passing", "removed", "added"),
    [
        ("gh pr diff 1 --stat", "unknown flag: --stat", "gh pr diff 1 --name-only", ("--stat",), ("--name-only",)),
        ("git show a --no-stat", "unrecognized argument: --no-stat", "git show a", ("--no-stat",), ()),
        ("git show --no-stat HEAD", "unrecognized argument: --no-stat", "git show HEAD -p -- b", ("--no-stat",), ()),
        ("pytest -q", "bash: pytest: command not found", "uv run pytest -q", (), ("uv", "run")),
        ("pytest", "command not found: pytest", "python -m pytest", (), ("python", "-m")),
        ("pytest -q", "bash: pytest: command not found", "uv run --group dev pytest -q", (), None),
        ("make lint", "make: *** No rule to make target 'lint'.  Stop.", "make check", ("lint",), ("check",)),
        ("npm run lint", 'npm error Missing script: "lint"', "npm run check", ("lint",), ("check",)),
        ("just fmt", "error: Justfile has no recipe `fmt`: unknown task", "just format", ("fmt",), ("format",)),
        ("npm test", "npm error use pnpm", "pnpm test", ("npm",), ("pnpm",)),
        ("rtk bun test", "error: unrecognized subcommand 'bun'\n\nUsage: rtk [OPTIONS]", "bun test", ("rtk",), ()),
    ],
)  # fmt: skip
def test_a_complaint_that_names_the_culprit_is_evidence_whatever_was_done_in_between(
    failing: str, error: str, passing: str, removed: tuple[str, ...], added: tuple[str, ...] | None
) -> None:
    for between in ((), (EDIT,), (bash("cat Makefile"), bash("npm install"))):
        (change,) = changes(bash(failing, f"Exit code 1\n{error}"), *between, bash(passing))
        assert change.removed == removed
        assert added is None or change.added == added


@pytest.mark.parametrize("passing", ["make build", "make deploy", "make clean"])
def test_another_target_is_no_fix_for_one_that_is_missing(passing: str) -> None:
    assert changes(bash("make lint", "make: *** No rule to make target 'lint'.  Stop."), bash(passing)) == []


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        ("Error: DATABASE_URL is not set", "DATABASE_URL={} npm start"),
        ("Missing required environment variable: DATABASE_URL", "export DATABASE_URL={} && npm start"),
        ("environment variable `DATABASE_URL` not defined", "env DATABASE_URL={} npm start"),
        ("bash: line 1: DATABASE_URL: unbound variable", "DATABASE_URL='{}' npm start"),
        ("ValueError: DATABASE_URL environment variable must be set", "A=1 DATABASE_URL={} npm start"),
    ],
)
def test_a_missing_variable_is_learnt_by_its_name_and_never_by_its_value(error: str, passing: str) -> None:
    value = "-".join(("post", "gres"))
    (tried,) = working_attempts(bash("npm start", f"Exit code 1\n{error}"), EDIT, bash(passing.format(value)))
    assert tried.change == CallChange(tool="Bash", added=("DATABASE_URL=<value>",))
    assert (tried.signature.key, tried.signature.who) == ("config.missing-variable", "DATABASE_URL")
    assert value not in str(tried.change)


def test_another_variable_is_no_fix_and_a_file_of_variables_is_one() -> None:
    missing = bash("npm start", "Exit code 1\nError: DATABASE_URL is not set")
    assert changes(missing, bash("PORT=3 npm start")) == []
    assert changes(missing, EDIT, bash("source .env && npm start")) == [
        CallChange(tool="Bash", added=("source", ".env"))
    ]


def test_a_variable_that_was_set_first_is_kept_without_its_value() -> None:
    value = "".join(("se", "same"))
    (change,) = changes(bash("tool go x", ODD), bash(f"export TOKEN_X={value}"), bash("tool go x"))
    assert change.first == ("Bash: export TOKEN_X=<value>",)


def test_what_a_complaint_misses_is_brought_by_the_call_before() -> None:
    missing = bash("python a.py", "Exit code 1\nModuleNotFoundError: No module named 'requests'")
    acts = [missing, bash("pip install requests"), EDIT, bash("python a.py")]
    assert [each.first for each in changes(*acts)] == [("Bash: pip install requests",)]
    gone = bash("cp a out/a", "Exit code 1\ncp: out/a: No such file or directory")
    assert [each.first for each in changes(gone, bash("mkdir -p out"), bash("cp a out/a"))] == [("Bash: mkdir -p out",)]
    ignored = bash(
        "git add a dist/x", "Exit code 1\nThe following paths are ignored by one of your .gitignore files:\ndist"
    )
    assert changes(ignored, bash("git add a"))


def test_of_several_calls_before_a_repeated_one_only_the_one_that_was_asked_for_is_named() -> None:
    push = bash(
        "git push", "Exit code 1\n ! [rejected] main -> main (fetch first)\nhint: use 'git pull' before pushing"
    )
    two = [bash("git pull --rebase"), bash("make build")]
    assert [each.first for each in changes(push, *two, bash("git push"))] == [("Bash: git pull --rebase",)]
    odd = bash("tool go x", ODD)
    assert [each.first for each in changes(odd, bash("tool login y"), bash("tool go x"))] == [("Bash: tool login y",)]
    assert changes(odd, bash("tool login y"), bash("tool warm z"), bash("tool go x")) == []
    assert changes(odd, bash("tool login y"), EDIT, bash("tool go x")) == []
    assert changes(odd, bash("tool login y"), "I fixed it, again", bash("tool go x")) == []


def test_an_edit_is_got_over_by_what_its_complaint_is_about() -> None:
    def edit(text: str | None, old: str = "a b c", **more: object) -> Any:
        fields = {"file_path": "/p/a", "old_string": old, "new_string": "z", **more}
        return "Edit", fields, FAILED if text else OK, text

    gone = edit("File does not exist.")
    read = ("Read", {"file_path": "/p/a"}, OK, None)
    assert changes(gone, bash("git checkout other"), read, edit(None)) == []
    missing = "String to replace not found in file."
    assert changes(edit(missing), edit(None, old="a b c\nd e f")) == []
    assert changes(edit(missing), edit(None, old="a b")) == [
        CallChange(tool="Edit", added=("old_string: fewer lines",))
    ]
    twice = "Found 2 matches of the string to replace"
    assert changes(edit(twice), edit(None, old="x\na b c\ny")) == [
        CallChange(tool="Edit", added=("old_string: more lines",))
    ]


def test_a_test_run_that_could_not_be_set_up_did_not_get_over_anything() -> None:
    error = "Exit code 1\n(eval):cd:1: no such file or directory: cart"
    setup = "Exit code 1\n# ./cart\nstat /p/cart/cart: directory not found\nFAIL\t./cart [setup failed]\nFAIL"
    assert changes(bash("cd cart && go test -run A", error), bash("go test -run A ./cart", setup)) == []
    ran = "Exit code 1\n--- FAIL: A (0.03s)\nFAIL"
    assert changes(bash("cd cart && go test -run A", error), bash("go test -run A ./cart", ran)) != []


def test_a_line_with_fewer_commands_may_only_avoid_the_problem() -> None:
    missing = "Exit code 1\n(eval):1: no matches found: a/*-X.md"
    assert changes(bash("ls a; ls a/*-X.md; ls a/*-Y.md", missing), bash("ls a/")) == []


@given(
    st.sampled_from(["tool run", "npm test", "make x", "python3 t.py"]),
    st.sampled_from(["--verbose", "-v", "--quiet", "-q", "--no-color", "V=1", "--json"]),
    st.sampled_from([ODD, "Exit code 2\nError 1", "Exit code 1\nAssertionError: 1 != 2"]),
    st.booleans(),
    st.lists(st.sampled_from([EDIT, bash("ls"), bash("git status"), bash("make y")]), max_size=3),
)
def test_how_much_is_shown_is_never_what_helped(
    command: str, word: str, error: str, less: bool, between: list[Any]
) -> None:
    one, two = (f"{command} {word}", command) if less else (command, f"{command} {word}")
    assert [each for each in changes(bash(one, error), *between, bash(two)) if not each.first] == []
