"""How the reader of Codex's rollouts parses calls and their outcomes, in every version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.codex_rollouts import PATCH, OldRollout, Rollout, ends, read, unified
from wisen.model.event import Call, Interrupt, Message, Outcome, Rejection, Status

pytestmark = pytest.mark.requirement("F1")

OK, FAILED, MASKED = Status.OK, Status.FAILED, Status.MASKED


@pytest.mark.parametrize(
    ("output", "status", "text"),
    [
        (unified("no", 3), FAILED, "Exit code 3\nno"),
        (unified("Process exited with code 1", 0), OK, None),
        ("Wall time: 1 seconds\nProcess exited with code 1\nOutput:\nno", FAILED, "Exit code 1\nno"),
        ("Exit code: 2\nWall time: 0.1 seconds\nTotal output lines: 900\nOutput:\nbad", FAILED, "Exit code 2\nbad"),
        ("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine", OK, None),
        ('{"output":"no","metadata":{"exit_code":1,"duration_seconds":0.1}}', FAILED, "Exit code 1\nno"),
        ('{"output":"yes","metadata":{"exit_code":0,"duration_seconds":0.1}}', OK, None),
        ([{"type": "input_text", "text": unified("no", 1)}], FAILED, "Exit code 1\nno"),
        ({"content": "Exit code: 1\nOutput:\nno", "success": False}, FAILED, "Exit code 1\nno"),
        ("failed in sandbox Landlock: permission denied", FAILED, "failed in sandbox Landlock: permission denied"),
        ("failed to parse function arguments: missing", FAILED, "failed to parse function arguments: missing"),
        ("exec_command failed: spawn error", FAILED, "exec_command failed: spawn error"),
    ],
)
def test_a_command_fails_in_many_words(output: object, status: Status, text: str | None, tmp_path: Path) -> None:
    r = Rollout()
    r.output(r.ask("make"), output)
    events, _ = read(r, tmp_path)
    (end,) = [e for e in events if isinstance(e, Outcome)]
    assert (end.status, end.text) == (status, text)


@pytest.mark.parametrize(
    "command", ["pytest | tail -1", ["bash", "-lc", "pytest | tail -1"], ["/bin/zsh", "-c", "pytest | tail -1"]]
)
def test_a_pipe_that_hides_an_error_is_seen_through_however_the_command_is_given(
    command: object, tmp_path: Path
) -> None:
    r = OldRollout()
    r.answer(r.call("shell", command=command), "==== 2 failed in 0.1s ====")
    r.answer(r.call("shell", command=command), "==== 2 passed in 0.1s ====")
    local = r.id("call")
    action = {"type": "exec", "command": ["bash", "-lc", "pytest | tail -1"]}
    r.line("response_item", {"type": "local_shell_call", "call_id": local, "action": action})
    r.answer(local, "==== 1 failed in 0.1s ====")
    events, _ = read(r, tmp_path)
    assert ends(events) == [MASKED, OK, MASKED]
    arguments = [json.loads(e.arguments or "") for e in events if isinstance(e, Call)]
    assert [given["command"] for given in arguments] == ["pytest | tail -1"] * 3


def test_a_list_that_is_no_shells_is_one_command(tmp_path: Path) -> None:
    r = OldRollout()
    r.call("shell", command=["git", "commit", "-m", "two words"])
    ((call,), _) = read(r, tmp_path)
    assert isinstance(call, Call)
    assert json.loads(call.arguments or "") == {"command": "git commit -m 'two words'"}


def test_a_patch_leaves_its_files_and_its_size_not_its_text(tmp_path: Path) -> None:
    r = Rollout()
    r.custom("apply_patch", PATCH)
    r.call("apply_patch", input=PATCH)
    r.call("shell", command=["apply_patch", PATCH])
    r.ask(f"cd web && apply_patch <<'EOF'\n{PATCH}EOF\ngit status")
    changes = {"/home/ada/a.py": {"type": "add", "content": "SOURCE"}}
    r.item({"type": "FileChange", "id": r.id("call"), "changes": changes, "status": "completed"})
    events, _ = read(r, tmp_path)
    given = [json.loads(e.arguments or "") for e in events if isinstance(e, Call)]
    assert [each["files"] for each in given] == [["a.py", "b.py"]] * 4 + [["/home/ada/a.py"]]
    assert {each["patch"]["characters"] for each in given[:2]} == {len(PATCH)}
    assert given[3]["command"].startswith("cd web && apply_patch <<'EOF'\n…")
    assert given[3]["command"].endswith("git status")
    assert "SOURCE" not in repr(events)


def test_a_patch_that_does_not_fit_is_a_failure(tmp_path: Path) -> None:
    r = Rollout()
    error = "apply_patch verification failed: Failed to find expected lines in b.py"
    r.output(r.custom("apply_patch", PATCH), error, "custom_tool_call_output")
    r.output(r.custom("apply_patch", PATCH), "Success. Updated the following files:\nA a.py", "custom_tool_call_output")
    events, _ = read(r, tmp_path)
    assert [(e.status, e.text) for e in events if isinstance(e, Outcome)] == [(FAILED, error), (OK, None)]


@pytest.mark.parametrize(
    ("item", "status", "text"),
    [
        ({"status": "completed", "result": {"content": [{"type": "text", "text": "x"}]}}, OK, None),
        ({"status": "failed", "error": {"message": "no route"}}, FAILED, "no route"),
        ({"status": "completed", "result": {"content": [{"text": "bad sku"}], "isError": True}}, FAILED, "bad sku"),
    ],
)
def test_the_end_of_an_mcp_call_is_the_clients_word(
    item: dict[str, object], status: Status, text: str | None, tmp_path: Path
) -> None:
    r = Rollout()
    call = r.call("find", "mcp__shop", sku=1)
    r.item({"type": "McpToolCall", "id": call, "server": "shop", "tool": "find", **item})
    r.output(call, [{"type": "input_text", "text": "whatever"}])
    asked, end = read(r, tmp_path)[0]
    assert isinstance(asked, Call)
    assert isinstance(end, Outcome)
    assert (asked.tool, end.status, end.text) == ("mcp__shop__find", status, text)


def test_events_of_older_versions_tell_the_same(tmp_path: Path) -> None:
    r = OldRollout()
    call = r.call("shop__find", sku=1)
    invocation = {"server": "shop", "tool": "find", "arguments": {"sku": 1}}
    r.event("mcp_tool_call_begin", call_id=call, invocation=invocation)
    r.event("mcp_tool_call_end", call_id=call, invocation=invocation, result={"Err": "timed out"})
    r.output(call, "tool call error: timed out")
    other = r.id("call")
    r.event("exec_command_begin", call_id=other, command=["bash", "-lc", "false"], cwd="/home/ada")
    r.event("exec_command_end", call_id=other, stdout="", stderr="no", exit_code=1, aggregated_output="")
    patch = r.id("call")
    r.event("patch_apply_begin", call_id=patch, changes={"a.py": {"add": {"content": "SOURCE"}}})
    r.event("patch_apply_end", call_id=patch, stdout="", stderr="cannot", success=False)
    events, problems = read(r, tmp_path)
    assert [e.tool for e in events if isinstance(e, Call)] == ["mcp__shop__find", "shell", "apply_patch"]
    assert [e.text for e in events if isinstance(e, Outcome)] == ["timed out", "Exit code 1\nno", "cannot"]
    assert problems == []


@pytest.mark.parametrize(
    "output",
    [
        "exec command rejected by user",
        'exec_command failed for `rm -r x`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
    ],
)
def test_a_rejected_command_is_a_rejection_and_no_failure(output: str, tmp_path: Path) -> None:
    r = Rollout()
    call = r.ask("rm -r x")
    r.output(call, output)
    declined = r.custom("apply_patch", PATCH)
    r.item({"type": "FileChange", "id": declined, "changes": {}, "status": "declined"})
    r.output(declined, "patch rejected by user", "custom_tool_call_output")
    events, _ = read(r, tmp_path)
    assert [e.call for e in events if isinstance(e, Rejection)] == [call, declined]
    assert ends(events) == []


@pytest.mark.requirement("X7")
def test_what_another_model_refused_was_not_refused_by_the_user(tmp_path: Path) -> None:
    reasons = []
    for reviewer in ("user", "auto_review"):
        r = Rollout()
        r.turn()
        r.line("turn_context", {"cwd": "/home/ada", "approvals_reviewer": reviewer})
        r.executed(r.ask("rm -r x"), "rm -r x", "", -1, status="declined")
        reasons += [e.provenance.value for e in read(r, tmp_path)[0] if isinstance(e, Rejection)]
    assert reasons == ["typed", "other"]


def test_what_the_settings_forbid_is_a_failure_and_no_rejection(tmp_path: Path) -> None:
    r = Rollout()
    error = "patch rejected: writing outside of the project; rejected by user approval settings"
    r.output(r.custom("apply_patch", PATCH), error, "custom_tool_call_output")
    events, _ = read(r, tmp_path)
    assert ends(events) == [FAILED]


@pytest.mark.requirement("X7")
def test_what_a_command_prints_is_neither_a_rejection_nor_an_interrupt(tmp_path: Path) -> None:
    r = Rollout()
    r.output(r.ask("./a"), unified("exec command rejected by user", 1))
    r.output(r.ask("./b"), unified("aborted by user", 1))
    r.output(r.call("find", "mcp__shop"), "exec command rejected by user")
    events, _ = read(r, tmp_path)
    assert not [e for e in events if isinstance(e, Rejection | Interrupt)]
    assert ends(events) == [FAILED, FAILED, OK]


def test_a_stopped_turn_is_one_interrupt_however_many_calls_it_stopped(tmp_path: Path) -> None:
    r = Rollout()
    r.prompt("go")
    one, two = r.ask("sleep 1"), r.ask("sleep 2")
    r.output(one, "Wall time: 3.9 seconds\naborted by user")
    r.output(two, "aborted by user after 3.9s")
    r.interrupt()
    r.executed(one, "sleep 1", "", -1)
    r.prompt("again")
    r.interrupt()
    events, _ = read(r, tmp_path)
    assert [e.call for e in events if isinstance(e, Interrupt)] == [one, None]
    assert ends(events) == []


def test_a_turn_that_was_replaced_was_not_interrupted(tmp_path: Path) -> None:
    r = Rollout()
    r.prompt("go")
    r.event("turn_aborted", reason="replaced")
    assert [type(e) for e in read(r, tmp_path)[0]] == [Message]


def test_a_process_that_goes_on_is_judged_when_it_ends(tmp_path: Path) -> None:
    r = OldRollout()
    server = r.call("exec_command", cmd="make 2>&1 | tee log")
    r.output(server, "Wall time: 1 seconds\nProcess running with session ID 5\nOutput:\n")
    poll = r.call("write_stdin", session_id=5, chars="")
    r.output(poll, "Wall time: 1 seconds\nProcess running with session ID 5\nOutput:\n")
    last = r.call("write_stdin", session_id=5, chars="")
    r.output(last, unified("make: *** [all] Error 2", 0))
    events, _ = read(r, tmp_path)
    assert {e.call: e.status for e in events if isinstance(e, Outcome)} == {poll: OK, server: MASKED, last: OK}


def test_what_a_script_of_the_model_called_is_reported_by_the_client_alone(tmp_path: Path) -> None:
    r = Rollout()
    script = r.custom("exec", "const r = await tools.exec_command({cmd: 'cat nothing | tail'}); text(r)")
    nested = "exec-f6e1cec4-8c1f-4c6f-b114-26044f795265"
    r.executed(nested, "cat nothing", "cat: nothing: No such file", 1)
    head = {"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"}
    r.output(script, [head, {"type": "input_text", "text": '{"exit_code":1}'}], "custom_tool_call_output")
    thrown = r.custom("exec", "throw new Error('spilt')")
    head = {"type": "input_text", "text": "Script failed\nWall time 0.0 seconds\nOutput:\n"}
    error = {"type": "input_text", "text": "Script error:\nError: spilt"}
    r.output(thrown, [head, error], "custom_tool_call_output")
    events, _ = read(r, tmp_path)
    assert [(e.id, e.tool) for e in events if isinstance(e, Call)] == [
        (script, "exec"),
        (nested, "exec_command"),
        (thrown, "exec"),
    ]
    assert {e.call: (e.status, e.text) for e in events if isinstance(e, Outcome)} == {
        nested: (FAILED, "Exit code 1\ncat: nothing: No such file"),
        script: (OK, None),
        thrown: (FAILED, "Script error:\nError: spilt"),
    }


def test_what_the_user_ran_himself_is_no_call_of_the_agent(tmp_path: Path) -> None:
    r = Rollout()
    r.executed(r.id("call"), "ls", "", 1, source="user_shell")
    assert read(r, tmp_path)[0] == []


def test_calls_that_a_model_counts_from_one_belong_to_their_session(tmp_path: Path) -> None:
    found = set()
    for number in (1, 2):
        r = Rollout(number)
        asked = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "functions.shell:0"}
        r.line("response_item", asked)
        r.output("functions.shell:0", unified("", 0))
        events, _ = read(r, tmp_path)
        assert len(events) == 2
        found |= {e.id for e in events}
    assert len(found) == 4


@pytest.mark.parametrize("what", ["Command", "Tool call"])
def test_a_call_that_a_hook_stopped_was_never_made_and_what_the_hook_said_is_not_kept(
    what: str, tmp_path: Path
) -> None:
    r = Rollout()
    for call in (r.ask("make"), r.custom("apply_patch", PATCH), r.call("buy", "mcp__shop")):
        r.output(call, f"{what} blocked by PreToolUse hook: Use just instead. Command: make")
    printed = r.ask("cat log")
    r.output(printed, unified(f"{what} blocked by PreToolUse hook: no", 1))
    events, problems = read(r, tmp_path)
    assert problems == []
    found = [(e.status, e.text) for e in events if isinstance(e, Outcome)]
    assert found[:3] == [(Status.CANCELLED, None)] * 3
    assert found[3][0] is FAILED
