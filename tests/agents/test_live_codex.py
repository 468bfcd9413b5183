"""The real Codex with wisen installed into it: what it is told reaches the model, and it leaves no trace.

The model is scripted and on loopback. Hooks are trusted as a person does it: in the terminal, where Codex asks at its
start whether to trust the new ones.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.agents import record_claude_code
from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.clients import claude_code, codex
from tests.agents.record_codex import Client
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from wisen import app
from wisen.agents.codex import Codex
from wisen.agents.codex.install import CodexHooks
from wisen.delivery.launcher import HomeLauncher
from wisen.model.event import Event, Message, Outcome, Provenance, Status
from wisen.model.hook import CLIENT, Program
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import read_all

pytestmark = pytest.mark.needs("codex")

WRONG, NEVER, RIGHT = "python3 count.py --everything", "python3 count.py --none", "python3 count.py"
CORRECTION = "No, not pip. Always use uv for packages, never pip."


def _run(command: str) -> Use:
    return Use("exec_command", {"cmd": command})


SCRIPT: Script = {
    "look for pears": [Turn("I look.", (_run("ls no_such_orchard"),)), Turn("There are none.")],
    "say hello": [Turn("Hello.")],
    "make the environment": [Turn("I used pip.")],
    "not pip": [Turn("Understood.")],
    "count the fruit": [Turn("", (_run(WRONG),)), Turn("", (_run(RIGHT),)), Turn("Counted.")],
    "count nothing": [Turn("", (_run(NEVER),)), Turn("", (_run(RIGHT),)), Turn("Counted.")],
    "From now on": [Turn("I will.")],
    "once more": [Turn("", (_run(WRONG),)), Turn("It failed.")],
}
STAND_IN = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], sys.flags.isolated, told["hook_event_name"]]) + "\\n")
if event in ("session-start", "prompt", "after-call"):
    context = {"hookEventName": told["hook_event_name"], "additionalContext": WORDS.replace("EVENT", event)}
    print(json.dumps({"hookSpecificOutput": context}))
"""
WORDS = wrap("The figs are ripe: EVENT.")
BEFORE = b'{ "hooks": {\n    "Stop": [ {"hooks":[{"type":"command","command":"true"}]} ]}\n}\n'
CITED = re.compile(r"\((?:R-)?[0-9a-f]{8,10}(?:, [^)]*)?\)")
"""How a source is named beside what is told."""


class World(Person):
    """A person's home with Codex and wisen in it."""

    def __init__(self, client: Client, model: Model, outside: list[str]) -> None:
        super().__init__(client.home, client.project, client.environment)
        self.client, self.model, self.outside = client, model, outside
        self.prompts: list[str] = []

    @property
    def settings(self) -> Path:
        return self.client.home / ".codex" / "hooks.json"

    @property
    def projects_settings(self) -> Path:
        return self.project / ".codex" / "hooks.json"

    def asked(self, *words: str) -> list[str]:
        """Run the client; what the model was asked meanwhile, each request as text."""
        before = len(self.model.requests)
        self.prompts.append(words[-1])
        self.client.run(*words)
        return [texts(request.get("input")) for request in self.model.requests[before:]]

    def state(self) -> str:
        """How it is with the hooks, as `wisen agents` tells it."""
        found: list[dict[str, Any]] = json.loads(self.wisen("agents", "--json"))["agents"]
        return next(str(each["hooks"]["state"]) for each in found if each["name"] == "codex")

    def trust(self) -> None:
        """Trust what is new, as the person does when Codex asks at its start."""
        self.client.trust_hooks()

    def events(self) -> list[Event]:
        """All that the reader finds in the rollouts."""
        agent = Codex(self.client.home, {}, program_prompts=True)
        found = [read_all(agent, rollout) for rollout in self.client.rollouts()]
        assert [problems for _, problems in found if problems] == []
        return [event for events, _ in found for event in events]

    def typed(self) -> list[str | None]:
        """What counts as typed by the person."""
        messages = [each for each in self.events() if isinstance(each, Message)]
        return [each.text for each in messages if each.provenance is Provenance.TYPED]


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    with serving(SCRIPT) as model, block_network() as (ways, asked):
        client = Client(codex(), folder, model.address, stock=False)
        client.environment.update(ways)
        yield World(client, model, asked)


@dataclass(frozen=True)
class ObservedSession:
    """What was seen of one session in a project that has a stand-in for the hook client in its own settings."""

    world: World
    installed: bytes
    requests: list[str]
    fired: list[tuple[list[str], int, str]]


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObservedSession]:
    folder = tmp_path_factory.mktemp("live_a.b")
    with a_world(folder) as world:
        world.projects_settings.parent.mkdir()
        world.projects_settings.write_bytes(BEFORE)
        stand_in = folder.joinpath("lib", "wisen", *CLIENT)
        stand_in.parent.mkdir(parents=True)
        stand_in.write_text(f"WORDS = {WORDS!r}\n{STAND_IN}")
        launcher = HomeLauncher(world.home, Program(python=sys.executable, client=str(stand_in)))
        with app.wire(world.home, world.environment).learner(reads=False) as learner:
            learner.install.launcher = launcher
            learner.install.add("codex", world.project)
        installed = world.projects_settings.read_bytes()
        world.trust()
        requests = world.asked("look for pears")
        lines = (world.home / "fired.jsonl").read_text().splitlines()
        yield ObservedSession(world, installed, requests, [json.loads(line) for line in lines])


@pytest.mark.requirement("X5")
@shows("codex", "end")
def test_the_real_client_calls_us_on_every_event_that_was_installed(observed: ObservedSession) -> None:
    home = str(observed.world.home)
    events = ("session-start", "prompt", "before-call", "after-call", "stop", "session-end")
    assert [(words, isolated) for words, isolated, _ in observed.fired] == [
        (["--home", home, "--agent", "codex", event], 1) for event in events
    ]
    assert [name for *_, name in observed.fired] == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd",
    ]  # fmt: skip


@pytest.mark.requirement("X5")
@shows("codex", "start", "prompt")
def test_what_hooks_say_reaches_the_model_at_its_moment(observed: ObservedSession) -> None:
    first, last = observed.requests[0], observed.requests[-1]
    for event in ("session-start", "prompt"):
        assert f"The figs are ripe: {event}." in first
    assert "The figs are ripe: after-call." not in first
    assert last.index("no_such_orchard") < last.index("The figs are ripe: after-call.")


def test_when_the_session_began_is_found_by_its_settings_file(observed: ObservedSession) -> None:
    client = observed.world.client
    hooks = CodexHooks(client.home, {})
    began = hooks.newest_session(hooks.file())
    assert began is not None
    assert hooks.newest_session(hooks.file(client.project)) == began
    assert hooks.newest_session(hooks.file(client.home / "elsewhere")) is None


@pytest.mark.requirement("X7")
@shows("codex", "clean")
def test_the_reader_sees_none_of_our_text_as_typed(observed: ObservedSession) -> None:
    (rollout,) = observed.world.client.rollouts()
    assert "The figs are ripe" in rollout.read_text()
    assert observed.world.typed() == ["look for pears"]
    assert not any("figs are ripe" in str(event) for event in observed.world.events())


@pytest.mark.requirement("X10")
@shows("codex", "removed")
def test_the_client_leaves_its_hooks_alone_and_uninstalling_restores_every_byte(observed: ObservedSession) -> None:
    world = observed.world
    assert BEFORE != observed.installed == world.projects_settings.read_bytes()
    assert not world.settings.exists()
    world.wisen("uninstall", "codex")
    assert world.projects_settings.read_bytes() == BEFORE


@dataclass(frozen=True)
class Trusted:
    """A world where our hooks were installed, not trusted for two sessions, and then trusted."""

    world: World
    before: str
    """What installing said."""
    untrusted: str
    """How it was with the hooks before, and after they were trusted."""
    trusted: str
    beats: bool
    """Whether any hook fired before."""
    guard: str
    """The id of the only guard, which stops `NEVER`."""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trusted]:
    with a_world(tmp_path_factory.mktemp("live_codex")) as world:
        output = " ".join(world.wisen("install", "codex").split())
        world.asked("make the environment")
        world.asked("resume", "--last", CORRECTION)
        beats, untrusted = (world.home / "spool" / "beats").exists(), world.state()
        guard = json.loads(world.wisen("guards", "add", f"deny shell: {NEVER} -> {RIGHT}", "--json"))["id"]
        world.trust()
        world.cycle()
        yield Trusted(world, output, untrusted, world.state(), beats, guard)
        world.wisen("uninstall", "codex")
        assert not world.settings.exists()


@pytest.mark.requirement("X10")
def test_hooks_run_once_the_person_trusts_them_and_they_are_told_how(ours: Trusted) -> None:
    assert "codex does not run these before you trust them: SessionStart, UserPromptSubmit" in ours.before
    assert "/hooks" in ours.before
    assert (ours.untrusted, ours.beats) == ("installed, not trusted", False)
    assert ours.trusted == "installed"


@pytest.mark.requirement("N9")
@shows("codex", "read", "learnt")
def test_a_correction_typed_in_one_session_is_in_the_next_ones_request_with_its_source(ours: Trusted) -> None:
    world = ours.world
    first, *_ = world.asked("say hello")
    assert "never pip" in first
    assert CITED.search(first)
    assert world.typed() == world.prompts
    world.cycle()
    session = world.client.rollouts()[-1].stem[-36:]
    with app.wire(world.home, world.environment).learner(reads=False) as learner:
        rows = learner.home.ledger.exposures.all(session=session)
    assert {(row.agent, row.event) for row in rows} == {("codex", "session-start")}


@pytest.mark.requirement("X6")
def test_what_was_pasted_into_a_prompt_is_not_in_the_next_sessions_request_and_what_was_typed_is(ours: Trusted) -> None:
    world, wish = ours.world, "From now on always store the harvest in {}."
    world.asked(f"say hello\n\n> {wish.format('buckets')}\n\n{wish.format('crates')}")
    world.asked(f"## Harvest is lost\n\n### Expected behavior\n{wish.format('sacks')}")
    world.cycle()
    first, *_ = world.asked("say hello")
    assert "in crates" in first
    assert [word for word in ("buckets", "sacks") if word in first] == []


@pytest.mark.requirement("F4")
@shows("codex", "fix")
def test_a_command_that_was_fixed_before_gets_its_fix_right_after_it_fails(ours: Trusted) -> None:
    ours.world.asked("count the fruit")
    ours.world.cycle()
    *_, last = ours.world.asked("once more")
    behind = last[last.rindex("once more") :]
    assert f"`{WRONG}` → `{RIGHT}`" in behind
    assert CITED.search(behind)


@pytest.mark.needs("claude-code")
@pytest.mark.requirement("X5")
@shows("codex", "crossing")
def test_a_lesson_learnt_in_claude_code_reaches_codex_in_the_same_project(ours: Trusted) -> None:
    world = ours.world
    other = record_claude_code.Client(claude_code(), world.client.home.parent, world.model.address, settings={})
    other.environment |= {name: value for name, value in world.environment.items() if "proxy" in name.lower()}
    other.run("From now on always write dates as year, month, day.")
    world.cycle()
    first, *_ = world.asked("say hello")
    (line,) = [line for line in first.splitlines() if "year, month, day" in line]
    assert CITED.search(line)


@pytest.mark.requirement("F6")
@shows("codex", "deny")
def test_a_guard_stops_a_call_says_what_to_do_instead_and_counts_as_no_failure(ours: Trusted) -> None:
    world = ours.world
    before = len(world.events())
    *_, last = world.asked("count nothing")
    assert "unrecognized arguments: --none" not in last, "the bad call was made"
    assert f"Instead: {RIGHT}" in last
    ends = [each.status for each in world.events()[before:] if isinstance(each, Outcome)]
    assert ends == [Status.CANCELLED, Status.OK]
    world.cycle()
    shown = json.loads(world.wisen("guards", "show", ours.guard, "--json"))
    assert [(each["arm"], each["mode"], each["status"]) for each in shown["log"]] == [("given", "deny", "cancelled")]


@shows("codex", "file")
def test_a_stated_rule_reaches_the_file_by_policy_and_is_not_said_twice(ours: Trusted) -> None:
    world = ours.world
    world.asked("From now on always end commit messages with the ticket number.")
    world.cycle()
    world.approve("ticket number")
    assert "ticket number" in (world.client.project / "AGENTS.md").read_text()
    world.cycle()
    first, *_ = world.asked("say hello")
    assert first.count("ticket number") == 1
