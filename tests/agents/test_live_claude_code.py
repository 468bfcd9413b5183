"""The real Claude Code with wisen installed into it: what it is told reaches the model, and it leaves no trace.

The model is scripted and on loopback; whatever else the client asks for meets a proxy that refuses and remembers.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.clients import claude_code
from tests.agents.codex_rollouts import Rollout
from tests.agents.record_claude_code import Client
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from tests.commands import WISEN
from tests.delivery.test_start_block import LESSONS
from wisen import app
from wisen.agents.claude_code import ClaudeCode
from wisen.agents.claude_code.install import ClaudeCodeHooks
from wisen.delivery.launcher import HomeLauncher
from wisen.model.event import Message, Provenance
from wisen.model.hook import CLIENT, Program
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import read_all

pytestmark = pytest.mark.needs("claude-code")

ALLOWED: dict[str, object] = {"permissions": {"allow": ["Bash(python3:*)", "Bash(ls:*)"]}}


def _bash(command: str) -> Use:
    return Use("Bash", {"command": command, "description": "Run it"})


SCRIPT: Script = {
    "look for pears": [Turn("I look.", (_bash("ls no_such_orchard"),)), Turn("There are none.")],
    "say hello": [Turn("Hello.")],
    "make the environment": [Turn("I used pip.")],
    "not pip": [Turn("Understood.")],
    "From now on": [Turn("I will.")],
    "in this repo": [Turn("I will.")],
    "any types": [Turn("I will.")],
    "count the fruit": [
        Turn("", (_bash("python3 count.py --everything"),)),
        Turn("", (_bash("python3 count.py"),)),
        Turn("Counted."),
    ],
    "once more": [Turn("", (_bash("python3 count.py --everything"),)), Turn("It failed.")],
}
STAND_IN = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], sys.flags.isolated, told["hook_event_name"]]) + "\\n")
if event in ("session-start", "prompt", "failure"):
    context = {"hookEventName": told["hook_event_name"], "additionalContext": WORDS.replace("EVENT", event)}
    print(json.dumps({"hookSpecificOutput": context}))
"""


class World(Person):
    """A person's home with Claude Code and wisen in it."""

    def __init__(self, client: Client, model: Model, outside: list[str]) -> None:
        super().__init__(client.home, client.project, client.environment)
        self.client, self.model, self.outside = client, model, outside

    @property
    def settings(self) -> Path:
        return self.client.home / ".claude" / "settings.json"

    def asked(self, *words: str) -> list[str]:
        """Run the client; what the model was asked meanwhile, each without the system prompt and the tools."""
        before = len(self.model.requests)
        self.client.run(*words)
        return [texts(request.get("messages")) for request in self.model.requests[before:]]


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    with serving(SCRIPT) as model, block_network() as (ways, asked):
        client = Client(claude_code(), folder, model.address, settings=ALLOWED)
        client.environment.update(ways)
        yield World(client, model, asked)


@dataclass(frozen=True)
class ObservedSession:
    """What was seen of one session with a stand-in for the hook client."""

    world: World
    before: bytes
    installed: bytes
    requests: list[str]
    fired: list[tuple[list[str], int, str]]


BEFORE = (
    b'{\n  "cleanupPeriodDays": 30, "hooks": {\n    "Stop": [ {"hooks":[{"type":"command","command":"true"}]} ]}\n}\n'
)
WORDS = wrap("The figs are ripe: EVENT.")


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObservedSession]:
    folder = tmp_path_factory.mktemp("live_a.b")
    with a_world(folder) as world:
        world.settings.parent.mkdir(exist_ok=True)
        world.settings.write_bytes(BEFORE)
        stand_in = folder.joinpath("lib", "wisen", *CLIENT)
        stand_in.parent.mkdir(parents=True)
        stand_in.write_text(f"WORDS = {WORDS!r}\n{STAND_IN}")
        launcher = HomeLauncher(world.home, Program(python=sys.executable, client=str(stand_in)))
        with app.wire(world.home, world.client.environment).learner(reads=False) as learner:
            learner.install.launcher = launcher
            learner.install.add("claude-code")
        installed = world.settings.read_bytes()
        requests = world.asked("look for pears")
        lines = (world.home / "fired.jsonl").read_text().splitlines()
        yield ObservedSession(world, BEFORE, installed, requests, [json.loads(line) for line in lines])


@pytest.mark.requirement("X5")
@shows("claude-code", "end")
def test_the_real_client_calls_us_on_every_event_that_was_installed(observed: ObservedSession) -> None:
    home = str(observed.world.home)
    assert [(words, isolated) for words, isolated, _ in observed.fired] == [
        (["--home", home, "--agent", "claude-code", event], 1)
        for event in ("session-start", "prompt", "before-call", "failure", "stop", "session-end")
    ]
    assert [name for *_, name in observed.fired] == [
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    ]  # fmt: skip


@pytest.mark.requirement("X5")
@shows("claude-code", "start", "prompt")
def test_what_hooks_say_reaches_the_model_at_its_moment(observed: ObservedSession) -> None:
    first = next(request for request in observed.requests if "look for pears" in request)
    last = observed.requests[-1]
    for event in ("session-start", "prompt"):
        assert f"The figs are ripe: {event}." in first
    assert "The figs are ripe: failure." not in first
    assert last.index("no_such_orchard") < last.index("The figs are ripe: failure.")


def test_when_the_session_began_is_found_by_its_settings_file(observed: ObservedSession) -> None:
    client = observed.world.client
    hooks = ClaudeCodeHooks(client.home, {})
    began = hooks.newest_session(hooks.file())
    assert began is not None
    assert hooks.newest_session(hooks.file(client.project)) == began
    assert hooks.newest_session(hooks.file(client.home / "elsewhere")) is None


def test_the_client_asks_nobody_but_the_model(observed: ObservedSession) -> None:
    assert observed.world.outside == []


@pytest.mark.requirement("X7")
def test_the_reader_sees_none_of_our_text_as_typed(observed: ObservedSession) -> None:
    agent = ClaudeCode(observed.world.client.home, {}, program_prompts=True)
    (transcript,) = observed.world.client.transcripts()
    assert "The figs are ripe" in transcript.read_text()
    events, problems = read_all(agent, transcript)
    assert problems == []
    messages = [event for event in events if isinstance(event, Message)]
    assert [each.text for each in messages if each.provenance is Provenance.TYPED] == ["look for pears"]
    assert not any("figs are ripe" in json.dumps(str(event)) for event in events)


@pytest.mark.requirement("X10")
@shows("claude-code", "removed")
def test_the_installation_is_sound_and_uninstalling_restores_every_byte(observed: ObservedSession) -> None:
    world = observed.world
    assert observed.installed != observed.before
    assert world.settings.read_bytes() == observed.installed  # the client itself left it alone
    world.wisen("uninstall", "claude-code")
    assert world.settings.read_bytes() == observed.before


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        world.wisen("install", "claude-code")
        yield world
        world.wisen("uninstall", "claude-code")
        assert not world.settings.exists()
        assert world.outside == []


def _session(world: World) -> str:
    """The session that was written last."""
    return max(world.client.transcripts(), key=lambda path: path.stat().st_mtime_ns).stem


CITED = re.compile(r"\((?:R-)?[0-9a-f]{8,10}(?:, [^)]*)?\)")
"""How a source is named beside what is told."""


@pytest.mark.requirement("N9")
@shows("claude-code", "read", "learnt")
def test_a_correction_typed_in_one_session_is_in_the_next_ones_request_with_its_source(world: World) -> None:
    world.asked("make the environment")
    world.asked("No, not pip. Always use uv for packages, never pip.", "--resume", _session(world))
    world.cycle()
    first = next(request for request in world.asked("say hello") if "say hello" in request)
    assert "uv" in first
    assert "never pip" in first
    assert CITED.search(first)


@pytest.mark.requirement("N4")
def test_the_rule_of_a_project_is_delivered_in_its_next_session_as_it_was_typed(world: World) -> None:
    world.asked("we use tabs in this repo, never spaces")
    world.asked("stop using any types in the models", "--resume", _session(world))
    world.cycle()
    first = next(request for request in world.asked("say hello") if "say hello" in request)
    assert "we use tabs in this repo, never spaces" in first
    assert "sing any types" not in first, "nothing in it says that it lasts"


@pytest.mark.requirement("F9")
@pytest.mark.requirement("S17")
def test_a_session_begins_with_advice_for_the_most_part_and_is_asked_once_what_waits(world: World) -> None:
    world.asked("From now on always write dates as year, month, day.")
    world.cycle()
    for lesson in LESSONS:
        world.wisen("rules", "add", lesson)
    world.cycle()
    blocks = []
    for _ in range(2):
        first = next(request for request in world.asked("say hello") if "say hello" in request)
        (block,) = re.findall(r"<wisen51902-[0-9a-f]{16}> Learnt.*?</wisen51902-[0-9a-f]{16}>", first, re.DOTALL)
        blocks.append(block)
    asked, plain = blocks
    assert '"approve 1" or "skip 1"' in asked
    assert "approve 1" not in plain, "what was asked in one session is not asked in the next"
    lessons = [*LESSONS, "From now on always write dates as year, month, day."]
    assert all(lesson in plain for lesson in lessons)
    assert sum(map(len, lessons)) / len(plain) >= 0.6
    assert len(plain) / 4 <= 250
    world.cycle()
    with app.wire(world.home, world.client.environment).learner(reads=False) as learner:
        rows = learner.home.ledger.exposures.all(session=_session(world))
    short = set(re.findall(r"\((R-[0-9a-f]{8})\)", plain))
    assert {row.subject for row in rows} == short, "what was told is known by the ids at the ends of the lines"
    assert len(short) == len(lessons)


@pytest.mark.requirement("X6")
def test_what_was_pasted_into_a_prompt_is_not_in_the_next_sessions_request_and_what_was_typed_is(world: World) -> None:
    wish = "From now on always store the harvest in {}."
    mail = "From: bob@example.org\nTo: ada@example.org\nSubject: harvest\n\n" + wish.format("barrels")
    world.asked(f"say hello\n\n{mail}")
    world.asked(f"say hello\n\n> {wish.format('buckets')}\n\n{wish.format('crates')}")
    world.asked(f"## Harvest is lost\n\n### Expected behavior\n{wish.format('sacks')}")
    world.cycle()
    first = next(request for request in world.asked("say hello") if "say hello" in request)
    assert "in crates" in first
    assert [word for word in ("barrels", "buckets", "sacks") if word in first] == []


@pytest.mark.requirement("F4")
@shows("claude-code", "fix")
def test_a_command_that_was_fixed_before_gets_its_fix_right_after_it_fails(world: World) -> None:
    world.asked("count the fruit")
    world.cycle()
    *_, last = world.asked("once more")
    assert last.rindex("python3 count.py") > last.index("unrecognized arguments")
    assert CITED.search(last[last.index("unrecognized arguments") :])


@pytest.mark.requirement("X5")
@shows("claude-code", "crossing")
def test_a_lesson_typed_in_codex_reaches_claude_code_in_the_same_project(world: World) -> None:
    rollout = Rollout(cwd=str(world.client.project))
    rollout.at = datetime.now(UTC)
    rollout.prompt("From now on always write dates as year, month, day.")
    rollout.write(world.client.home)
    world.cycle()
    first = next(request for request in world.asked("say hello") if "say hello" in request)
    (line,) = [line for line in first.splitlines() if "year, month, day" in line]
    assert CITED.search(line)


@pytest.mark.requirement("S15")
def test_a_prompt_that_asks_what_was_said_before_is_told_it(world: World) -> None:
    world.asked("We keep the ripe pears in the blue crate, say hello")
    world.cycle()
    asked = "What did we say about the pears? say hello"
    first = next(request for request in world.asked(asked) if asked in request)
    assert first.index(asked) < first.index("in the blue crate"), "behind the prompt, so that the cache lives"
    assert "(claude-code, session " in first


@pytest.mark.requirement("X10")
def test_nothing_that_breaks_around_a_hook_fails_the_turn(world: World) -> None:
    world.asked("From now on always write dates as year, month, day.")
    world.cycle()
    for snapshot in (world.home / "snapshots").glob("*.json"):
        snapshot.write_bytes(snapshot.read_bytes()[:40])
    for store in ("ledger.db", "index.db"):
        (world.home / store).write_bytes(b"no database")
    (world.home / "config.toml").write_text("[broken")
    assert any("say hello" in request for request in world.asked("say hello"))
    (world.home / "config.toml").write_text("[agents]\nprogram_prompts = true\n")
    for file in world.home.glob("*.db*"):
        file.unlink()
    again = world.asked("say hello")
    assert any("wisen" in request for request in again), "what went wrong is told at the next start"
    backup = max((world.home / "backups").glob("ledger-*.db"))
    (world.home / "ledger.db").write_bytes(backup.read_bytes())


@pytest.mark.requirement("X10")
def test_a_damaged_ledger_is_reported_in_the_next_session_with_what_repairs_it(world: World) -> None:
    world.asked("From now on always write dates as year, month, day.")
    world.cycle()
    ledger = world.home / "ledger.db"
    ledger.write_bytes(b"no database" * 1000)
    with pytest.raises(subprocess.CalledProcessError):
        world.wisen("cycle")
    first = next(request for request in world.asked("say hello") if "say hello" in request)
    assert first.count("wisen has stopped learning") == 1
    assert "`wisen doctor --repair` repairs it" in first
    world.wisen("doctor", "--repair")
    world.cycle()
    after = next(request for request in world.asked("say hello") if "say hello" in request)
    assert "stopped learning" not in after


@shows("claude-code", "file")
def test_a_stated_rule_reaches_the_file_by_policy_and_is_not_said_twice(world: World) -> None:
    world.asked("From now on always write dates as year, month, day.")
    world.cycle()
    rules = world.client.project / "CLAUDE.md"
    if "year, month, day" not in rules.read_text():  # policy proposes what goes into a file of rules
        assert "year, month, day" in world.wisen("proposals")
        world.wisen("proposals", "approve", "1")
    assert "year, month, day" in rules.read_text()
    world.cycle()
    first = next(request for request in world.asked("say hello") if "say hello" in request)
    assert first.count("year, month, day") == 1


def test_the_doctor_sees_hooks_fire_and_tells_when_they_no_longer_do(world: World) -> None:
    def hooks() -> list[tuple[str, str]]:
        command: list[str | Path] = [WISEN, "doctor", "--json"]
        client = world.client
        done = subprocess.run(command, cwd=client.project, env=client.environment, check=False, capture_output=True)
        found = json.loads(done.stdout)["findings"]
        return [(each["health"], each["says"]) for each in found if each["about"] == "claude-code hooks"]

    world.asked("say hello")
    ((health, says),) = hooks()
    assert (health, says[:18]) == ("good", "the last one fired")
    ours = world.settings.read_text()
    world.settings.write_text("{}")
    assert [health for health, _ in hooks()] == ["bad"]
    world.settings.write_text(ours)


@shows("claude-code", "clean")
def test_the_reader_sees_none_of_what_was_delivered_as_typed(world: World) -> None:
    correction = "No, not pip. Always use uv for packages, never pip."
    world.asked("make the environment")
    world.asked(correction, "--resume", _session(world))
    world.cycle()
    world.asked("say hello")
    agent = ClaudeCode(world.client.home, {}, program_prompts=True)
    typed = [
        event.text or ""
        for transcript in world.client.transcripts()
        for event in read_all(agent, transcript)[0]
        if isinstance(event, Message) and event.provenance is Provenance.TYPED
    ]
    assert sorted(typed) == sorted(["make the environment", correction, "say hello"])
