"""The agents' own programs as models, with small programs in their place: how they are asked, read and ended."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wisen
from wisen.errors import ModelFailed, Reason
from wisen.language_models.answer_format import build_prompt
from wisen.language_models.command_model import AGENT_PROGRAMS, UNREADABLE, CommandModel
from wisen.language_models.model_ports import Prompt, Reply
from wisen.model.model_use import MODEL_WORK_DIR
from wisen.model.report import Selection
from wisen.safety.sentinel import strip, wrap
from wisen.testing.port_contracts import harmless
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("C8")

REPORTS = """#!{python}
import json, os, sys
call = {{"arguments": sys.argv[1:], "given": sys.stdin.read(), "cwd": os.getcwd(), "here": os.listdir("."),
        "off": os.environ.get("WISEN_OFF"), "inside": os.environ.get("CLAUDECODE"),
        "group": os.getpgid(0) == os.getpid()}}
json.dump(call, open({log!r}, "w"))
sys.stdout.write({says!r})
sys.stderr.write({complains!r})
sys.exit({code})
"""
SAYS = {
    "claude": json.dumps(
        {
            "type": "result",
            "is_error": False,
            "result": '{"ok": true}',
            "total_cost_usd": 0.0123,
            "usage": {
                "input_tokens": 3,
                "cache_creation_input_tokens": 100,
                "cache_read_input_tokens": 7,
                "output_tokens": 5,
            },
        }
    ),
    "codex": "\n".join(
        json.dumps(each)
        for each in (
            {"type": "thread.started", "thread_id": "t"},
            {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": '{"ok": true}'}},
            {"type": "turn.completed", "usage": {"input_tokens": 110, "cached_input_tokens": 7, "output_tokens": 5}},
        )
    ),
    "openclaw": "loading plugins\n"
    + json.dumps(
        {
            "payloads": [{"text": '{"ok": true}', "mediaUrl": None}],
            "meta": {"agentMeta": {"usage": {"input": 10, "output": 5, "cacheRead": 100}}},
        }
    ),
    "hermes": 'Here it is:\n{"ok": true}\n',
}
REPLIES = {
    "claude": Reply('{"ok": true}', 110, 5, 0.0123),
    "codex": Reply('{"ok": true}', 110, 5),
    "openclaw": Reply('{"ok": true}', 110, 5),
    "hermes": Reply('{"ok": true}'),
}
QUESTION = harmless('is $(this) `safe`; rm -rf / && "quoted"?')
PROMPT = build_prompt(QUESTION, QUESTION.material)


class Programs:
    """A folder in the PATH with programs that report how they were called."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.log, self.home = tmp_path / "bin", tmp_path / "call.json", tmp_path / "wisen"
        self.folder.mkdir()
        self.environment = {"PATH": f"{self.folder}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path), "CLAUDECODE": "1"}

    def put(self, name: str, text: str) -> None:
        """A program."""
        file = self.folder / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def says(self, name: str, says: str, complains: str = "", code: int = 0) -> CommandModel:
        """A model whose program prints something."""
        text = REPORTS.format(python=sys.executable, log=str(self.log), says=says, complains=complains, code=code)
        self.put(name.partition(":")[0], text)
        return self.model(name)

    def model(self, name: str) -> CommandModel:
        """A model."""
        return CommandModel(name, self.environment, self.home, lambda: "S1")

    def last_call(self) -> dict[str, object]:
        """Return how a program was last called."""
        found: dict[str, object] = json.loads(self.log.read_text())
        return found


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    return Programs(tmp_path)


@pytest.mark.parametrize("name", AGENT_PROGRAMS)
def test_a_program_is_asked_and_its_reply_read(programs: Programs, name: str) -> None:
    assert programs.says(name, SAYS[name]).respond(PROMPT, 20) == REPLIES[name]
    call = programs.last_call()
    arguments = call["arguments"]
    assert isinstance(arguments, list)
    sent = str(call["given"]) + "\n".join(arguments)
    assert json.dumps(QUESTION.material[0].text)[1:-1] in sent, "it comes as it is: no shell is between"
    assert call["cwd"] == str(programs.home.joinpath(*MODEL_WORK_DIR))
    assert call["here"] == [".wisen-off"]
    assert (call["off"], call["inside"], call["group"]) == ("1", None, True)


@pytest.mark.parametrize("name", AGENT_PROGRAMS)
def test_what_was_typed_by_others_stands_between_our_marks(programs: Programs, name: str) -> None:
    programs.says(name, SAYS[name]).respond(PROMPT, 20)
    call = programs.last_call()
    arguments = call["arguments"]
    assert isinstance(arguments, list)
    for text in [call["given"], *arguments]:
        assert "rm -rf" not in strip(str(text)), "no reader takes it for what the user typed"


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("claude", ["-p", "--tools", "--no-session-persistence", "--strict-mcp-config"]),
        ("codex", ["exec", "--sandbox", "read-only", "-"]),
        ("openclaw", ["agent", "--local", "--session-id", "wisen-S1"]),
        ("hermes", ["-z", "--toolsets", "context_engine"]),
    ],
)
def test_it_may_do_as_little_as_it_can_be_told_to(programs: Programs, name: str, flags: list[str]) -> None:
    programs.says(f"{name}:tiny", SAYS[name]).respond(PROMPT, 20)
    arguments = programs.last_call()["arguments"]
    assert isinstance(arguments, list)
    assert set(flags) <= set(arguments)
    assert "tiny" in arguments
    assert not {"--yolo", "--dangerously-skip-permissions", "--full-auto"} & set(arguments)


@pytest.mark.parametrize(
    ("says", "complains", "code", "reason"),
    [
        ("", "", 0, Reason.UNAVAILABLE),
        ("garbage", "", 0, Reason.UNAVAILABLE),
        ("[]", "", 0, Reason.UNAVAILABLE),
        (SAYS["claude"], "", 3, Reason.UNAVAILABLE),
        ("", "Error: rate limit exceeded, words of the user", 1, Reason.RATE_LIMITED),
        ("", "Invalid API key. Please run /login", 1, Reason.DENIED),
        ('{"type": "result", "is_error": true, "result": "API Error: 529 overloaded"}', "", 1, Reason.RATE_LIMITED),
    ],
)
def test_what_a_program_complains_of_is_distinguished(
    programs: Programs, says: str, complains: str, code: int, reason: Reason
) -> None:
    with pytest.raises(ModelFailed) as failed:
        programs.says("claude", says, complains, code).respond(PROMPT, 20)
    assert failed.value.reason is reason
    assert "words of the user" not in str(failed.value)


@pytest.mark.parametrize("name", AGENT_PROGRAMS)
@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5).map(json.dumps))
def test_whatever_a_program_prints_is_a_reply_or_unreadable(name: str, output: str) -> None:
    with suppress(*UNREADABLE):
        assert isinstance(AGENT_PROGRAMS[name].parse_reply(output), Reply)


def test_a_program_that_is_not_there_is_named(programs: Programs) -> None:
    with pytest.raises(ModelFailed, match=r"hermes is not in the PATH"):
        programs.model("hermes").respond(PROMPT, 5)


def test_a_question_that_no_system_takes_as_an_argument_is_not_asked(programs: Programs) -> None:
    model = programs.says("hermes", SAYS["hermes"])
    with pytest.raises(ModelFailed, match="too long"):
        model.respond(Prompt("", "x" * 200_000, {}, 10), 5)
    assert not programs.log.exists()


def test_a_program_that_takes_too_long_ends_with_what_it_started(programs: Programs, tmp_path: Path) -> None:
    child = tmp_path / "child"
    programs.put(
        "claude",
        f"#!/bin/sh\ntrap '' TERM\nsh -c 'echo $$ > {child}; trap \"\" TERM; sleep 60; sleep 60' &\nwait\nsleep 60\n",
    )
    began = time.monotonic()
    with pytest.raises(ModelFailed) as failed:
        programs.model("claude").respond(PROMPT, 1)
    assert failed.value.reason is Reason.TIMEOUT
    assert time.monotonic() - began < 20
    started = int(child.read_text())
    deadline = time.monotonic() + 10
    while _runs(started):
        assert time.monotonic() < deadline, "what it started outlived it"


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_sessions_in_which_programs_are_asked_are_never_learnt_from(home: Path) -> None:
    work = home / "wisen" / "models" / "work"
    for number, place in enumerate((work, home / "orchard"), 1):
        log = ClaudeTranscript(number, cwd=str(place))
        log.prompt("no, that is wrong, use uv instead of pip")
        log.bash("make plums", "no such target", exit_code=2)
        log.write(home / ".claude" / "projects" / str(number))
    with wisen.open_learner() as learner:
        learner.learn()
        counts = learner.home.index.events.counts(Selection())
        assert (counts.sessions, counts.typed_turns) == (1, 1)
        assert not any(str(work) in alias.path for alias in learner.home.ledger.contexts.aliases(learner.home.machine))


def test_nor_is_what_stands_between_our_marks_wherever_it_was_written_down(home: Path) -> None:
    log = ClaudeTranscript(1, cwd=str(home / "orchard"))
    log.prompt(wrap("no, that is wrong, use uv instead of pip"))
    log.write(home / ".claude" / "projects" / "1")
    with wisen.open_learner() as learner:
        learner.learn()
        assert learner.home.index.findings.signals(Selection()) == ()
