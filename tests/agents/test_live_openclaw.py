"""The real OpenClaw with wisen installed into it, the current one and the last kind that wrote files.

The model is scripted and on loopback. A turn takes long, so there are few of them and each shows many things.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.openclaw_client import Client
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from wisen import app
from wisen.agents.openclaw import OpenClaw
from wisen.agents.openclaw.install import OpenClawHooks
from wisen.delivery.launcher import render_script
from wisen.model.event import Event, Message, Outcome, Provenance, Rejection, Status
from wisen.model.exposure import Exposure
from wisen.model.hook import Program
from wisen.safety import sentinel
from wisen.testing.agent_contract import read_all
from wisen.testing.transcripts import ClaudeTranscript

WRONG, RIGHT = "python3 count.py --everything", "python3 count.py"
NEVER, WARNED, ASKED = (f"python3 count.py --{word}" for word in ("none", "slowly", "again"))
CORRECTION = "No, not pip. Always use uv for packages, never pip."
ELSEWHERE = "from now on always write dates as year, month, day"
CITED = re.compile(r"\((?:R-)?[0-9a-f]{8,10}(?:, [^)]*)?\)")
"""How a source is named beside what is told."""
WHICH = [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("openclaw", "openclaw-old")]


def _run(command: str) -> Use:
    return Use("exec", {"command": command})


SCRIPT: Script = {
    "make the environment": [Turn("I used pip.")],
    "not pip": [Turn("Understood.")],
    "count the fruit": [Turn("", (_run(WRONG),)), Turn("", (_run(RIGHT),)), Turn("Counted.")],
    "once more": [
        *(Turn("", (_run(command),)) for command in (WRONG, NEVER, WARNED, ASKED)),
        Turn("I could not count."),
    ],
    "what did you learn": [Turn("This is what I learned.")],
    "buy plums": [Turn("", (_run(ASKED),)), Turn("Asked.")],
    "say hello": [Turn("", (_run(WRONG),)), Turn("Hello.")],
}


class World(Person):
    """A person's home with OpenClaw and wisen in it."""

    def __init__(self, client: Client, model: Model) -> None:
        super().__init__(client.home, client.project, client.environment)
        self.client, self.model = client, model
        self.prompts: list[str] = []

    def asked(self, session: str, prompt: str) -> list[Any]:
        """Run one turn; the messages of each request that the model was asked with."""
        before = len(self.model.requests)
        self.prompts.append(prompt)
        self.client.run(session, prompt)
        return [request["messages"] for request in self.model.requests[before:] if request.get("tools")]

    def state(self) -> str:
        """How it is with the hooks, as `wisen agents` tells it."""
        found: list[dict[str, Any]] = json.loads(self.wisen("agents", "--json"))["agents"]
        return next(str(each["hooks"]["state"]) for each in found if each["name"] == "openclaw")

    def events(self) -> list[Event]:
        """All that the reader finds in the sessions."""
        agent = OpenClaw(self.client.home, {}, program_prompts=True)
        found = [read_all(agent, source.path) for source in agent.sources()]
        assert [problems for _, problems in found if problems] == []
        return sorted((event for events, _ in found for event in events), key=lambda each: each.at)

    def exposures(self, session: str) -> list[Exposure]:
        with app.wire(self.home, self.environment).learner(reads=False) as learner:
            return list(learner.home.ledger.exposures.all(session=session))


def system(messages: list[dict[str, Any]]) -> str:
    """What stands in the system prompt of a request."""
    return "\n".join(texts(each["content"]) for each in messages if each["role"] == "system")


def prompts(messages: list[dict[str, Any]]) -> list[str]:
    """The user's messages of a request."""
    return [texts(each["content"]) for each in messages if each["role"] == "user"]


def results(messages: list[dict[str, Any]]) -> list[str]:
    """What the tools said in a request."""
    return [texts(each["content"]) for each in messages if each["role"] == "tool"]


@contextmanager
def a_world(name: str, folder: Path) -> Iterator[World]:
    with serving(SCRIPT) as model, block_network() as (ways, _):
        client = Client(name, folder, model.address)
        client.environment.update(ways)
        yield World(client, model)


@dataclass(frozen=True)
class Lived:
    """What was seen of three sessions, with a correction in the first and a fix in the second."""

    name: str
    world: World
    settings: bytes
    """As they were before wisen was installed."""
    installed: bytes
    guards: dict[str, str]
    """The ids of the guards by what they do."""
    second: list[Any] = field(default_factory=list)
    third: list[Any] = field(default_factory=list)
    rules: list[Any] = field(default_factory=list)


@pytest.fixture(scope="module", params=WHICH)
def lived(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    with a_world(request.param, tmp_path_factory.mktemp("live_claw")) as world:
        settings = world.client.settings.read_bytes()
        world.wisen("install", "openclaw")
        installed = world.client.settings.read_bytes()
        world.asked("s1", "make the environment")
        world.asked("s1", CORRECTION)
        other = ClaudeTranscript(1, cwd=str(world.project))
        other.prompt(ELSEWHERE)
        other.write(world.client.home / ".claude" / "projects" / "shop")
        world.cycle()
        second = world.asked("s2", "count the fruit")
        guards = {
            mode: str(json.loads(world.wisen("guards", "add", f"{mode} shell: {words}", "--json"))["id"])
            for mode, words in (("deny", f"{NEVER} -> {RIGHT}"), ("warn", WARNED), ("ask", ASKED))
        }
        world.cycle()
        third = world.asked("s3", "once more")
        rules = world.asked("s3", "what did you learn")
        world.cycle()
        yield Lived(request.param, world, settings, installed, guards, second, third, rules)


@pytest.mark.requirement("N9")
@shows("openclaw", "read", "start", "learnt")
def test_a_correction_of_one_session_is_in_the_next_ones_request_with_its_source(lived: Lived) -> None:
    delivered = system(lived.second[0])
    assert "never pip" in delivered
    assert CITED.search(delivered)
    assert "never pip" not in "\n".join(prompts(lived.second[0])), "the prompt is left alone"


@pytest.mark.requirement("X5")
@shows("openclaw", "crossing")
def test_a_lesson_learnt_in_claude_code_reaches_openclaw_in_the_same_project(lived: Lived) -> None:
    (line,) = [line for line in system(lived.second[0]).splitlines() if "year, month, day" in line]
    assert CITED.search(line)


def test_the_block_is_the_same_in_every_request_of_a_session_and_delivered_once(lived: Lived) -> None:
    blocks = {system(each).partition("<wisen")[2] for each in (*lived.third, *lived.rules)}
    assert len(blocks) == 1
    rows = [row for row in lived.world.exposures("s3") if row.event == "session-start"]
    assert rows
    assert {row.agent for row in rows} == {"openclaw"}
    assert len({row.subject for row in rows}) == len(rows)


@pytest.mark.requirement("X5")
@shows("openclaw", "prompt")
def test_a_prompt_comes_with_what_was_asked_of_wisen_behind_it(lived: Lived) -> None:
    asked = next(each for each in prompts(lived.rules[0]) if "what did you learn" in each)
    behind = asked.partition("what did you learn")[2]
    assert "never pip" in behind


@pytest.mark.requirement("F4")
@shows("openclaw", "fix")
def test_a_command_that_was_fixed_before_gets_its_fix_before_the_next_step(lived: Lived) -> None:
    (failed,) = results(lived.third[1])
    assert "unrecognized arguments: --everything" in failed
    assert f"`{WRONG}` → `{RIGHT}`" in failed
    assert CITED.search(failed)
    assert ("openclaw", "failure") in {(row.agent, row.event) for row in lived.world.exposures("s3")}


@pytest.mark.requirement("F6")
@shows("openclaw", "deny", "warn")
def test_guards_stop_warn_about_and_ask_about_calls(lived: Lived) -> None:
    _, denied, warned, asked = results(lived.third[-1])
    assert f"Instead: {RIGHT}" in denied
    assert "unrecognized arguments: --slowly" in warned, "it passes"
    assert "A guard of the user's warns about this call" in warned
    assert "unrecognized arguments" not in asked, "without a person to ask it is not made"
    assert "It is not to be made before the user has said yes." in asked
    log = {
        mode: json.loads(lived.world.wisen("guards", "show", id_, "--json"))["log"]
        for mode, id_ in lived.guards.items()
    }
    seen = {mode: [(each["arm"], each["mode"], each["status"]) for each in rows] for mode, rows in log.items()}
    assert seen == {
        "deny": [("given", "deny", "cancelled")],
        "warn": [("given", "warn", "failed")],
        "ask": [("given", "ask", "cancelled")],
    }


@pytest.mark.requirement("X7")
@shows("openclaw", "clean")
def test_the_reader_tells_how_calls_ended_and_nothing_of_ours_counts_as_typed(lived: Lived) -> None:
    events = lived.world.events()
    typed = [each.text or "" for each in events if isinstance(each, Message) and each.provenance is Provenance.TYPED]
    assert [sentinel.strip(each).strip() for each in typed] == lived.world.prompts
    stored = any("wisen" in each for each in typed)
    assert stored == (lived.name == "openclaw-old"), "which one keeps what a prompt comes with in the user's message"
    ends = [each.status for each in events if isinstance(each, Outcome)]
    assert ends == [
        Status.FAILED, Status.OK,
        Status.FAILED, Status.CANCELLED, Status.FAILED, Status.CANCELLED,
    ]  # fmt: skip
    found = lived.world.wisen("recall", "A guard of the user's warns about this call", "--json")
    assert "guard of the user" not in texts(json.loads(found)), found


@pytest.mark.requirement("X5")
@shows("openclaw", "end")
def test_the_end_of_a_turn_wakes_a_cycle_and_hooks_leave_signs_of_life(lived: Lived) -> None:
    world = lived.world
    beats = {path.name for path in (world.home / "spool" / "beats").iterdir()}
    assert {f"{event}@openclaw" for event in ("session-start", "prompt", "failure", "before-call", "stop")} <= beats
    assert not any(name.startswith("failed") for name in beats)
    assert (world.home / "spool" / "wake").exists()
    hooks = OpenClawHooks(world.client.home, {})
    assert hooks.newest_session(hooks.file()) is not None
    assert world.state() == "installed"


@pytest.mark.requirement("X10")
@shows("openclaw", "removed")
def test_uninstalling_leaves_the_settings_as_they_were_and_after_openclaw_rewrote_them_takes_just_ours(
    lived: Lived,
) -> None:
    world, settings = lived.world, lived.world.client.settings
    assert settings.read_bytes() == lived.installed, "the turns did not rewrite them"
    world.wisen("uninstall", "openclaw")
    assert settings.read_bytes() == lived.settings
    world.wisen("install", "openclaw")
    world.client.command("config", "set", "gateway.mode", "local")
    rewritten = json.loads(settings.read_bytes())
    assert rewritten["gateway"]["mode"] == "local"
    assert "meta" in rewritten, "OpenClaw wrote them in its own way"
    assert world.state() == "installed"
    world.wisen("uninstall", "openclaw")
    left = json.loads(settings.read_bytes())
    expected = {**rewritten, "plugins": left.get("plugins")}
    assert left == ({name: value for name, value in expected.items() if value is not None})
    assert "wisen" not in json.dumps(left.get("plugins", {}))


@pytest.mark.requirement("X10")
@pytest.mark.parametrize("which", WHICH)
def test_without_access_to_conversations_fixes_and_guards_still_work(which: str, tmp_path: Path) -> None:
    with a_world(which, tmp_path) as world:
        for number in (1, 2):
            other = ClaudeTranscript(number, cwd=str(world.project))
            other.prompt(ELSEWHERE)
            other.bash(WRONG, "count.py: error: unrecognized arguments: --everything", exit_code=1)
            other.bash(RIGHT, "7")
            other.write(world.client.home / ".claude" / "projects" / "shop")
        world.wisen("install", "openclaw")
        world.cycle()
        world.wisen("guards", "add", f"deny shell: {NEVER} -> {RIGHT}")
        settings = json.loads(world.client.settings.read_bytes())
        settings["plugins"]["entries"]["wisen"]["hooks"] = {"allowConversationAccess": False}
        settings["plugins"]["allow"] = ["wisen"]
        world.client.settings.write_text(json.dumps(settings))
        assert world.state() == "installed, not trusted"
        *_, last = world.asked("s1", "once more")
        failed, denied, *_ = results(last)
        assert f"`{WRONG}` → `{RIGHT}`" in failed
        assert f"Instead: {RIGHT}" in denied
        # The older one keeps only the end of a turn from us.
        assert ("year, month, day" in system(last)) == (which == "openclaw-old")
        assert not (world.home / "spool" / "beats" / "stop@openclaw").exists()


@pytest.mark.needs("openclaw-old")
def test_openclaw_refuses_hard_links_which_is_why_the_plugin_is_copied(tmp_path: Path) -> None:
    with a_world("openclaw-old", tmp_path) as world:
        world.wisen("install", "openclaw")
        for path in (world.client.state / "extensions" / "wisen").iterdir():
            assert path.stat().st_nlink == 1
            (tmp_path / path.name).hardlink_to(path)
        with pytest.raises(AssertionError, match="unsafe plugin manifest path"):
            world.client.run("s1", "say hello")


@pytest.mark.needs("openclaw-old")
def test_an_older_openclaw_does_not_start_where_the_plugin_was_deleted_and_says_why(tmp_path: Path) -> None:
    with a_world("openclaw-old", tmp_path) as world:
        world.wisen("install", "openclaw")
        settings = json.loads(world.client.settings.read_bytes())
        settings["plugins"]["load"]["paths"] = ["/gone/plugins/wisen-openclaw"]
        world.client.settings.write_text(json.dumps(settings))
        with pytest.raises(AssertionError, match="plugin path not found: /gone/plugins"):
            world.client.run("s1", "say hello")
        world.wisen("uninstall", "openclaw")
        assert "wisen" not in world.client.settings.read_text()


@dataclass(frozen=True)
class Served:
    """What was seen through the gateway: a session with a reset in its midst, and a chat whose person is asked."""

    world: World
    requests: list[Any]
    questions: list[dict[str, Any]]
    """What the person was asked, who said yes and then no."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with a_world("openclaw", tmp_path_factory.mktemp("live_gateway")) as world:
        other = ClaudeTranscript(1, cwd=str(world.project))
        other.prompt(ELSEWHERE)
        other.write(world.client.home / ".claude" / "projects" / "shop")
        world.wisen("guards", "add", f"ask shell: {ASKED}")
        world.cycle()
        with world.client.gateway():
            world.wisen("install", "openclaw")
            world.client.wait_for("config hot reload applied")
            for prompt in ("make the environment", "/new", "make the environment"):
                world.client.say("g1", prompt)
            questions = [world.client.chat(f"buy plums: {each}", each) for each in ("allow-once", "deny")]
        world.cycle()
        requests = [request["messages"] for request in world.model.requests if request.get("tools")]
        yield Served(world, requests, [question for each in questions for question in each])


@pytest.mark.needs("openclaw")
@pytest.mark.requirement("X5")
def test_through_the_gateway_sessions_begin_and_end_and_a_reset_begins_one_again(served: Served) -> None:
    blocks = [system(each) for each in served.requests if any("make the environment" in text for text in prompts(each))]
    assert len(blocks) >= 2
    assert all("year, month, day" in each for each in blocks)
    beats = {path.name for path in (served.world.home / "spool" / "beats").iterdir()}
    assert {f"{event}@openclaw" for event in ("session-start", "prompt", "stop", "session-end")} <= beats
    assert not any(name.startswith("failed") for name in beats)
    rows = [row.subject for row in served.world.exposures("g1") if row.event == "session-start"]
    assert sorted(rows) == sorted([*set(rows)] * 2), "once before and once after"


@pytest.mark.needs("openclaw")
@pytest.mark.requirement("F6")
@shows("openclaw", "ask")
def test_a_guard_that_asks_has_the_person_asked_and_their_answer_counts(served: Served) -> None:
    yes, no = served.questions
    assert yes["toolName"] == no["toolName"] == "exec"
    assert "A guard of the user's asks about this call" in yes["description"]
    assert "<wisen" not in yes["description"]
    made, refused = results(served.requests[-1])
    assert "unrecognized arguments: --again" in made
    assert "unrecognized arguments" not in refused
    assert "said yes" not in made + refused, "he was asked already"
    ends = [each for each in served.world.events() if isinstance(each, Outcome | Rejection)]
    assert [getattr(each, "status", None) for each in ends] == [Status.FAILED, None]


@pytest.mark.requirement("X5")
@pytest.mark.parametrize("which", WHICH)
def test_a_hook_that_hangs_and_one_that_is_gone_never_fail_a_turn(which: str, tmp_path: Path) -> None:
    with a_world(which, tmp_path) as world:
        world.wisen("install", "openclaw")
        world.wisen("guards", "add", f"deny shell: {WRONG}")
        hangs = tmp_path / "hangs.py"
        hangs.write_text("import time\ntime.sleep(600)\n")
        (world.home / "hook").write_text(render_script(Program(python=sys.executable, client=str(hangs)), ""))
        requests = world.asked("s1", "say hello")
        assert "unrecognized arguments: --everything" in results(requests[-1])[0], "the call was made"
        (world.home / "hook").unlink()
        requests = world.asked("s2", "say hello")
        assert "unrecognized arguments: --everything" in results(requests[-1])[0]
