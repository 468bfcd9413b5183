"""What runs inside Hermes: what it asks of the client, what it answers Hermes, and that nothing of it fails a turn."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.hooks import with_mark
from wisen.agents.hermes import plugin
from wisen.agents.hermes.plugin import HookCallbacks, find_failure, prepend_text
from wisen.agents.hermes.read import outcome_of, parse_result, strip_additions
from wisen.model.event import Status
from wisen.model.hook import Caller
from wisen.safety.sentinel import strip, wrap

pytestmark = pytest.mark.requirement("X5")

CLIENT = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[1], "a") as file:
    file.write(json.dumps([event, told]) + "\\n")
answer = json.load(open(sys.argv[2])).get(event)
if answer:
    print(json.dumps({"hookSpecificOutput": answer}))
"""
RESULTS: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {},
    optional={
        "output": st.text() | st.integers(),
        "exit_code": st.integers(-1, 3) | st.none() | st.booleans(),
        "error": st.text() | st.none() | st.just([]),
        "success": st.booleans(),
        "exit_code_meaning": st.sampled_from(["No matches (not an error)", "Misused"]),
        "status": st.sampled_from(["blocked", "error"]),
        "message": st.text(),
    },
)


class Stage:
    """A client that notes what it is asked and answers what the test says."""

    def __init__(self, folder: Path) -> None:
        (folder / "client.py").write_text(CLIENT)
        self._log, self._says = folder / "log.jsonl", folder / "says.json"
        self.says()
        words = [sys.executable, str(folder / "client.py"), str(self._log), str(self._says)]
        events = ("session-start", "prompt", "failure", "before-call", "stop", "session-end")
        self.calls = HookCallbacks({event: shlex.join([*words, event]) for event in events})

    def says(self, **answers: str) -> None:
        """What it answers from now on, by our names of the events; after `deny ` and `ask ` it decides so."""
        payload = {}
        for event, text in answers.items():
            decision, _, reason = text.partition(" ")
            decides = decision in ("deny", "ask")
            payload[event.replace("_", "-")] = (
                {"permissionDecision": decision, "permissionDecisionReason": reason}
                if decides
                else {"additionalContext": text}
            )
        self._says.write_text(json.dumps(payload))

    def asked(self) -> list[tuple[str, dict[str, Any]]]:
        """What it was asked since the last look."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        self._log.write_text("")
        return [(event, payload) for event, payload in map(json.loads, lines)]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.delenv("HERMES_YOLO_MODE", raising=False)
    monkeypatch.setenv("TERMINAL_CWD", "/home/ada/shop")
    return Stage(tmp_path)


def prompted(stage: Stage, *history: str, **more: object) -> str:
    """What Hermes gets for a prompt behind messages as they were sent."""
    messages = [{"role": "user", "content": "x", "api_content": each} for each in history]
    more = {"session_id": "s1", "user_message": "hello", "is_first_turn": not history, "platform": "cli", **more}
    found = stage.calls.pre_llm_call(conversation_history=[*messages, {"role": "user", "content": "hello"}], **more)
    return "" if found is None else found["context"]


def test_a_session_gets_its_block_once_and_every_prompt_what_matters_to_it(stage: Stage) -> None:
    block = wrap("Use uv.")
    stage.says(session_start=block, prompt="pears")
    assert prompted(stage) == f"{block}\npears"
    assert stage.asked() == [
        ("session-start", {"session_id": "s1", "cwd": "/home/ada/shop", "source": "startup"}),
        ("prompt", {"session_id": "s1", "cwd": "/home/ada/shop", "prompt": "hello"}),
    ]
    assert prompted(stage, f"hi\n\n{block}") == "pears"
    assert prompted(stage, "a summary") == f"{block}\npears", "it was summed up"
    assert [payload.get("source") for event, payload in stage.asked() if event == "session-start"] == ["compact"]


def test_a_session_that_goes_on_elsewhere_says_so(stage: Stage) -> None:
    assert prompted(stage, wrap("Use uv.")) == ""
    assert prompted(stage, wrap("Use uv.")) == ""
    assert [(event, payload.get("source")) for event, payload in stage.asked()] == [
        ("session-start", "resume"),
        ("prompt", None),
        ("prompt", None),
    ]


def test_where_nobody_types_nothing_is_delivered(stage: Stage) -> None:
    stage.says(session_start="block", prompt="pears")
    assert prompted(stage, platform="subagent") == ""
    found: list[str] = []
    review = threading.Thread(target=lambda: found.append(prompted(stage)), name="bg-review")
    review.start()
    review.join()
    assert found == [""]
    assert stage.asked() == []
    assert prompted(stage, user_message=[{"type": "image"}]) == "block"


def call(stage: Stage, result: object, **more: object) -> tuple[object, object]:
    """What Hermes gets before a call, and after it."""
    event = {"tool_name": "terminal", "args": {"command": "ls x"}, "session_id": "s1", "tool_call_id": "c1", **more}
    return stage.calls.pre_tool_call(**event), stage.calls.transform_tool_result(**event, result=result)


def test_a_failed_call_gets_its_fix_with_the_result_and_others_are_left_alone(stage: Stage) -> None:
    fix = wrap("Try ls y.")
    stage.says(failure=fix)
    failed = '{"output": "no x", "exit_code": 2, "error": null}'
    _, after = call(stage, failed)
    assert json.loads(str(after)) == {"wisen": fix, **json.loads(failed)}
    (_, (event, payload)) = stage.asked()
    assert (event, payload["tool_name"], payload["tool_input"]) == ("failure", "terminal", {"command": "ls x"})
    assert payload["error"] == "Exit code 2\nno x"
    interrupted = '{"output": "x\\n[Command interrupted]", "exit_code": 130, "error": null}'
    passes: list[object] = [
        '{"output": "x", "exit_code": 0, "error": null}',
        interrupted,
        "{",
        {"content": []},
        "words",
    ]
    for fine in passes:
        assert call(stage, fine) == (None, None)
    stage.says()
    assert call(stage, failed) == (None, None)


def test_guards_stop_a_call_have_the_user_asked_or_warn_with_the_result(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    message, fine = with_mark("Not this.\noverrule G-00000001"), '{"output": "x", "exit_code": 0}'
    stage.says(before_call=f"deny {message}")
    assert call(stage, fine)[0] == {"action": "block", "message": message}
    ((_, payload), *_) = stage.asked()
    assert (payload["tool_name"], payload["tool_use_id"]) == ("terminal", "c1")
    stage.says(before_call=f"ask {message}")
    asks = {"action": "approve", "message": "ls x: Not this. overrule G-00000001", "rule_key": "wisen:G-00000001"}
    assert call(stage, fine)[0] == asks
    monkeypatch.setenv("HERMES_YOLO_MODE", "1")
    asked = f"Do not make this call before you have asked the user.\n{message}"
    assert strip(asked) == ""
    assert call(stage, fine)[0] == {"action": "block", "message": asked}, "Hermes would not ask"
    stage.says(before_call=message)
    before, after = call(stage, fine)
    assert (before, json.loads(str(after))) == (None, {"wisen": message, "output": "x", "exit_code": 0})
    stage.says()
    assert call(stage, fine) == (None, None), "it was said"


def test_warnings_whose_calls_never_end_do_not_pile_up(stage: Stage) -> None:
    stage.calls._warnings.update({str(number): "x" for number in range(plugin._MAX_WARNINGS)})
    stage.says(before_call="Not this.")
    assert call(stage, "{}", tool_call_id="new") == (None, None)


def test_the_ends_of_turns_and_sessions_are_reported(stage: Stage) -> None:
    stage.calls.on_session_end(session_id="s1", completed=True)
    stage.calls.on_session_finalize(session_id=None)
    assert [(event, payload["session_id"]) for event, payload in stage.asked()] == [("stop", "s1"), ("session-end", "")]


@pytest.mark.parametrize(
    "program", ["import time; time.sleep(60)", "print('no')", "print('[]')", "raise SystemExit(3)"]
)
def test_whatever_the_client_does_hermes_goes_on(program: str, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "SECONDS", 0.3)
    for words in ([sys.executable, "-c", program], ["/no/such/program"], []):
        stage.calls = HookCallbacks(
            dict.fromkeys(("session-start", "prompt", "failure", "before-call"), shlex.join(words))
        )
        assert prompted(stage) == ""
        assert call(stage, '{"exit_code": 1}') == (None, None)
        stage.calls.on_session_end(session_id="s1")


@given(RESULTS)
def test_a_failure_is_reported_in_the_words_that_the_reader_finds(result: dict[str, object]) -> None:
    text = json.dumps(result)
    status, words = outcome_of(parse_result(text), text, hides_exit=False)
    assert find_failure(text) == (words if status is Status.FAILED else None)


@given(RESULTS | st.text())
def test_what_was_added_to_a_result_is_taken_out_again(result: object) -> None:
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    assume("51902" not in text and not text.startswith('{"wisen'))
    again = strip_additions(prepend_text(text, wrap("Try this.")))
    assert (again if isinstance(result, dict) else again.strip()) == strip_additions(
        text if isinstance(result, dict) else text.strip()
    )


class Context:
    """As much of Hermes as a plug-in sees."""

    def __init__(self) -> None:
        self.hooks: dict[str, Any] = {}

    def register_hook(self, name: str, answer: object) -> None:
        self.hooks[name] = answer


def test_hermes_loads_the_file_that_was_placed_and_whatever_is_wrong_beside_it_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = Caller(home="/no such prompt").command("prompt", "hermes")
    yaml = ModuleType("yaml")
    monkeypatch.setattr(yaml, "safe_load", json.loads, raising=False)
    monkeypatch.setitem(sys.modules, "yaml", yaml)
    monkeypatch.setattr(plugin, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "plugin.yaml").write_text(json.dumps({"calls": {"pre_llm_call": [{"command": command}]}}))
    context = Context()
    plugin.register(context)
    assert list(context.hooks) == ["pre_llm_call"]
    assert context.hooks["pre_llm_call"](session_id="s1", user_message="hello") is None
    for broken in (
        "null",
        "{",
        "[]",
        '{"calls": 3}',
        '{"calls": {"stop": [{}]}}',
        '{"calls": {"x": [{"command": "a"}]}}',
    ):
        (tmp_path / "plugin.yaml").write_text(broken)
        plugin.register(Context())
    (tmp_path / "plugin.yaml").unlink()
    plugin.register(Context())
