"""The hook client as Gemini CLI runs it: prompts preceded by delivered lines, ends of calls, decisions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guard_scenarios import RIGHT, WRONG, open_learner
from tests.hooks import failed_call, fire, printed_json, write_lesson_sessions
from wisen.agents.gemini_cli.gemini_cli_outcomes import GeminiOutcomeKind, outcome_of
from wisen.agents.gemini_cli.records import ToolCall
from wisen.safety import sentinel
from wisen.surfaces.hook.gemini import failure_of, with_typed_prompt

if TYPE_CHECKING:
    from pathlib import Path

AGENT = "gemini-cli"
LINES = st.lists(
    st.sampled_from(
        [
            *("Output: no", "Command: x", "Directory: .", "Stdout: ", "", "make: *** no", " Exit Code: 3"),
            *("Exit Code: 2", "Exit Code: 0", "Exit Code: -1", "Exit Code: (none)"),
            *("Signal: 9", "Signal: 0", "Signal: ", "Signal: (none)"),
            *("Process Group PGID: 7", "Background PIDs: 1, 2", "PGID: 3"),
            *("<untrusted_context>", "</untrusted_context>"),
        ]
    ),
    max_size=7,
)
"""Lines that the output of a command may contain."""


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def tool_payload(tool: str, fields: dict[str, object], cwd: Path, output: str = "") -> dict[str, object]:
    """A call as Gemini CLI reports it, before or after it was made."""
    after = {"tool_response": {"llmContent": output, "returnDisplay": output}} if output else {}
    return {"session_id": "s", "cwd": str(cwd), "tool_name": tool, "tool_input": fields, **after}


def shell_payload(command: str, cwd: Path, output: str = "") -> dict[str, object]:
    return tool_payload("run_shell_command", {"command": command, "description": "x"}, cwd, output)


def shell_output(output: str, code: int) -> str:
    text = f"Output: {output}\nExit Code: {code}\nProcess Group PGID: 7"
    return f"<untrusted_context>\n{text}\n</untrusted_context>"


@given(LINES, st.booleans())
def test_failures_are_reported_in_the_words_that_mining_reads(lines: list[str], framed: bool) -> None:
    output = "\n".join(lines)
    output = f"<untrusted_context>\n{output}\n</untrusted_context>" if framed else output
    answer = msgspec.Raw(json.dumps([{"functionResponse": {"response": {"output": output}}}]).encode())
    end = outcome_of(ToolCall(name="run_shell_command", status="success", result=answer), hides_exit=False)
    assert end is not None
    assert failure_of(output) == (end.text if end.kind is GeminiOutcomeKind.FAILED else None)


def test_a_prompt_is_taken_without_what_we_put_before_it() -> None:
    ours = '<hook_context>&lt;wisen51902 v="1"&gt;\nforget it\n&lt;/wisen51902&gt;</hook_context>\n\n'
    assert with_typed_prompt({"prompt": f"{ours}memory stats"}) == {"prompt": "memory stats"}
    assert with_typed_prompt({"prompt": "what is <hook_context>?"}) == {"prompt": "what is <hook_context>?"}
    assert with_typed_prompt({"prompt": "<hook_context> is what?"}) == {"prompt": "<hook_context> is what?"}
    assert with_typed_prompt({"prompt": 7}) == {"prompt": 7}


def test_what_is_typed_to_wisen_is_detected_after_delivered_lines(home: Path, project: Path) -> None:
    write_lesson_sessions(home, project)
    with open_learner(home) as learner:
        learner.cycle()
    wisen = home / "wisen"
    start = fire(wisen, "session-start", {"session_id": "s", "cwd": str(project)}, agent=AGENT)
    assert "pnpm" in start
    escaped = start.replace("<", "&lt;").replace(">", "&gt;")
    prompt = f"<hook_context>{escaped}</hook_context>\n\nmemory stats"
    delivered = fire(wisen, "prompt", {"session_id": "s", "cwd": str(project), "prompt": prompt}, agent=AGENT)
    assert "everywhere" in delivered


def test_what_cannot_be_delivered_after_a_clear_is_delivered_with_the_first_prompt(home: Path, project: Path) -> None:
    write_lesson_sessions(home, project)
    with open_learner(home) as learner:
        learner.cycle()
    wisen, about = home / "wisen", {"session_id": "s", "cwd": str(project)}
    assert printed_json(wisen, "session-start", {**about, "source": "clear"}, agent=AGENT) == {}
    delivered = fire(wisen, "prompt", {**about, "prompt": "memory stats"}, agent=AGENT)
    assert "pnpm" in delivered
    assert "everywhere" in delivered
    assert "pnpm" not in fire(wisen, "prompt", {**about, "prompt": "memory stats"}, agent=AGENT)
    claude = fire(wisen, "session-start", {**about, "session_id": "other", "source": "clear"})
    assert "pnpm" in claude, "others hear it then"


def test_a_failed_command_gets_the_fix_that_was_learnt_in_another_agent(home: Path, project: Path) -> None:
    write_lesson_sessions(home, project)
    with open_learner(home) as learner:
        learner.cycle()
    wisen, command = home / "wisen", "shopctl deploy --wait"
    error = "shopctl: error: unrecognized option '--wait'"
    assert fire(wisen, "after-call", shell_payload(command, project, shell_output(error, 0)), agent=AGENT) == ""
    read = tool_payload("read_file", {"file_path": "x"}, project, shell_output(error, 2))
    assert fire(wisen, "after-call", read, agent=AGENT) == ""
    delivered = fire(wisen, "after-call", shell_payload(command, project, shell_output(error, 2)), agent=AGENT)
    assert "`shopctl deploy --wait` → `shopctl deploy`" in delivered
    claude = failed_call(command, f"Exit code 2\n{error}", session="other", cwd=project)
    assert sentinel.strip(delivered) == sentinel.strip(fire(wisen, "failure", claude)) == ""
    assert fire(wisen, "after-call", shell_payload(command, project, shell_output(error, 2)), agent=AGENT) == "", (
        "once in a session"
    )


@pytest.mark.requirement("F6")
@pytest.mark.parametrize("mode", ["deny", "ask"])
def test_a_call_is_stopped_in_the_words_that_gemini_cli_hears(home: Path, project: Path, mode: str) -> None:
    with open_learner(home) as learner:
        learner.guards.add(f"{mode} {WRONG} -> {RIGHT}", None)
    answer = printed_json(home / "wisen", "before-call", shell_payload(WRONG, project), agent=AGENT)
    assert (set(answer), answer["decision"]) == ({"decision", "reason"}, "deny")
    assert f"Instead: {RIGHT}" in answer["reason"]
    assert ("asked the user" in answer["reason"]) is (mode == "ask")
    assert printed_json(home / "wisen", "before-call", shell_payload(RIGHT, project), agent=AGENT) == {}


@pytest.mark.requirement("F6")
def test_a_warning_waits_for_the_result_of_its_own_call_and_is_said_once(home: Path, project: Path) -> None:
    with open_learner(home) as learner:
        guard = learner.guards.add(f"warn {WRONG} -> {RIGHT}", None).guard.id
    wisen, well = home / "wisen", "Output: yes"
    assert printed_json(wisen, "before-call", shell_payload(WRONG, project), agent=AGENT) == {}
    assert fire(wisen, "after-call", shell_payload("ls", project, well), agent=AGENT) == ""
    delivered = fire(wisen, "after-call", shell_payload(WRONG, project, well), agent=AGENT)
    assert "warns about this call" in delivered
    for event in ("before-call", "after-call"):
        assert printed_json(wisen, event, shell_payload(WRONG, project, well), agent=AGENT) == {}
    with open_learner(home) as learner:
        learner.cycle(quick=True)
        (row,) = learner.home.ledger.exposures.of(guard)
    assert (row.agent, row.mode, row.arm.value) == (AGENT, "warn", "given")


def test_a_file_that_must_not_be_touched_is_guarded_by_the_tools_of_gemini_cli(home: Path, project: Path) -> None:
    with open_learner(home) as learner:
        learner.guards.add("deny edit: migrations/** # they were applied already", None)
    for tool in ("write_file", "replace"):
        call = tool_payload(tool, {"file_path": str(project / "migrations" / "1.sql")}, project)
        assert "applied already" in printed_json(home / "wisen", "before-call", call, agent=AGENT)["reason"]
