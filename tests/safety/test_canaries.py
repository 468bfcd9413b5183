"""Secrets planted throughout a session reach no byte of wisen's files, including free pages, logs and backups.

Every canary is generated randomly when the test runs, from the formats of the benchmark.
"""

from __future__ import annotations

import base64
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from ahocorasick_rs import BytesAhoCorasick
from benchmarks.secret_carriers import CARRIERS, make_sample
from benchmarks.secret_formats import FORMATS, draw_value

import wisen
from tests.agents import hermes_sessions
from tests.agents.aider_chats import Project
from tests.agents.codex_rollouts import Rollout
from tests.agents.gemini_chats import Chat
from tests.agents.openclaw_sessions import SESSIONS, Transcript
from tests.agents.opencode_sessions import Talk
from tests.agents.openhands_events import Conversation
from tests.commands import run
from tests.ownership import adopt
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("N7")

CANARIES = 2000
PLACES = ("prompt", "queue", "refusal", "argument", "nested", "failure", "masked", "success", "cwd", "tool", "file")


class Aviary:
    """Sessions with a canary in each place, and what to search for afterwards."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.needles: list[tuple[str, str]] = []
        self._short = [each for each in FORMATS if each.marked and not each.lines and not each.address]

    def lay(self, number: int, place: str) -> None:
        """Write one session with one canary in one place."""
        if place in ("cwd", "tool", "file"):
            value, text = self._in_a_name(place)
        else:
            value, text = self._in_a_text()
        session = ClaudeTranscript(number, cwd=f"/home/ada/{text}" if place == "cwd" else "/home/ada/shop")
        session.prompt(text if place == "prompt" else "run the tests")
        if place == "queue":
            session.queue("enqueue", text)
        if place == "refusal":
            session.reject(session.call("Bash", command="rm x"), text)
        tool = text if place == "tool" else "Bash"
        arguments: dict[str, dict[str, object]] = {
            "argument": {"command": text},
            "nested": {"edits": [{"new": f"a\n{text}\nb"}]},
        }
        call = session.call(tool, **arguments.get(place, {"command": "make test"}))
        if place == "success":
            session.ok(call, text)
        elif place == "masked":
            session.ok(call, f"{text}\nERROR: it failed\nTraceback (most recent call last):\nValueError: no")
        else:
            session.fail(call, f"Exit code 1\n{text if place == 'failure' else 'it failed'}")
        session.prompt("thanks, that is all")
        session.write(self.folder / (f"-home-ada-{text}" if place == "file" else "-home-ada-shop"))
        self.needles.append((place, value))

    def _in_a_name(self, place: str) -> tuple[str, str]:
        while True:
            value = self.chance.choice(self._short).make(self.chance)
            if len(value) < 120 and not set(value) & set("/\\$%~:."):
                return value, value if place != "tool" else f"mcp__x__{value}"

    def _in_a_text(self) -> tuple[str, str]:
        format_ = self.chance.choice(FORMATS)
        made: list[str] = []

        def remember(chance: random.Random) -> str:
            made.append(format_.make(chance))
            return made[-1]

        laid = None
        while laid is None:  # not every format can be in every carrier
            laid = make_sample(replace(format_, make=remember), self.chance.choice(CARRIERS), self.chance)
        return max(made[-1].split("\n"), key=len), laid.text


def spellings(value: str) -> set[bytes]:
    """Return how a canary can occur in a file: as it is, escaped, and in base64; any quarter of it counts as well."""
    middle = value[len(value) // 4 : len(value) // 4 + max(12, len(value) // 2)]
    encoded = {base64.b64encode(("x" * place + value).encode())[4:-4] for place in range(3)}
    return {value.encode(), json.dumps(value)[1:-1].encode(), middle.encode(), *encoded}


def files(home: Path) -> dict[str, bytes]:
    return {str(file.relative_to(home)): file.read_bytes() for file in home.rglob("*") if file.is_file()}


def residues(needles: list[tuple[str, str]], stored: dict[str, bytes]) -> list[tuple[str, str]]:
    places = [(place, spelling) for place, value in needles for spelling in sorted(spellings(value))]
    found = BytesAhoCorasick([spelling for _, spelling in places])
    return sorted(
        {(places[each][0], name) for name, data in stored.items() for each, *_ in found.find_matches_as_indexes(data)}
    )


def test_no_canary_is_in_any_file_of_ours(home: Path) -> None:
    aviary = Aviary(home / ".claude" / "projects", seed=3)
    for number in range(1, CANARIES + 1):
        aviary.lay(number, PLACES[number % len(PLACES)])
    with wisen.open_learner() as learner:
        report = learner.learn()
        while_open = files(home / "wisen")
    afterwards = files(home / "wisen")

    assert report.counts.sessions == CANARIES
    assert sum(report.counts.withheld.values()) >= CANARIES * 0.6
    assert any(name.endswith("-wal") for name in while_open)
    assert {name for name, data in afterwards.items() if data} >= {"index.db", "ledger.db"}
    assert residues(aviary.needles, while_open) == []
    assert residues(aviary.needles, afterwards) == []
    assert not any(b"REDACTED" in data or b"[redacted]" in data for data in afterwards.values())


def claude_code(home: Path, number: int, canary: str) -> None:
    log = ClaudeTranscript(number)
    log.prompt(f"no, always use {canary} from now on")
    log.bash(f"deploy {canary}", f"refused: {canary}", exit_code=1)
    log.prompt(f"please remember: {canary}")
    log.write(home / ".claude" / "projects" / "p")


def codex(home: Path, number: int, canary: str) -> None:
    log = Rollout(number)
    log.prompt(f"no, always use {canary} from now on")
    log.shell(f"deploy {canary}", f"refused: {canary}", 1)
    log.prompt(f"please remember: {canary}")
    log.write(home)


def openclaw(home: Path, number: int, canary: str) -> None:
    log = Transcript(number)
    log.prompt(f"no, always use {canary} from now on")
    log.shell(f"deploy {canary}", f"refused: {canary}", 1)
    log.prompt(f"please remember: {canary}")
    log.write(home / SESSIONS)


def gemini_cli(home: Path, number: int, canary: str) -> None:
    log = Chat(number)
    log.prompt(f"no, always use {canary} from now on")
    log.shell(f"deploy {canary}", f"refused: {canary}", 1)
    log.prompt(f"please remember: {canary}")
    log.write(home)


def generic(home: Path, number: int, canary: str) -> None:
    function = {"name": "bash", "arguments": json.dumps({"command": f"deploy {canary}"})}
    asked = {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    messages = [
        {"role": "user", "content": f"no, always use {canary} from now on"},
        asked,
        {"role": "tool", "tool_call_id": "call_1", "content": f"refused: {canary}", "is_error": True},
        {"role": "user", "content": f"please remember: {canary}"},
    ]
    (home / "talks").mkdir(exist_ok=True)
    (home / "talks" / f"talk{number}.json").write_text(json.dumps({"messages": messages}))


def opencode(home: Path, number: int, canary: str) -> None:
    log = Talk(number)
    log.prompt(f"no, always use {canary} from now on")
    log.shell(f"deploy {canary}", f"refused: {canary}", 1)
    log.prompt(f"please remember: {canary}")
    log.save(home, f"opencode-{number}.db")


def hermes(home: Path, number: int, canary: str) -> None:
    log = hermes_sessions.Talk(number)
    log.prompt(f"no, always use {canary} from now on")
    log.shell(f"deploy {canary}", f"refused: {canary}", 1)
    log.prompt(f"please remember: {canary}")
    log.save(home, f".hermes/profiles/{number}")


def aider(home: Path, number: int, canary: str) -> None:
    log = Project(home / "work" / f"project-{number}")
    log.start()
    log.prompt(f"no, always use {canary} from now on")
    log.tell_lines(f"# Fix any errors below, if possible.\n\n## Running: check {canary}\n\nrefused: {canary}\n\n## See")
    log.prompt(f"please remember: {canary}")
    log.save()


def openhands(home: Path, number: int, canary: str) -> None:
    log = Conversation(number, home / ".openhands" / "conversations")
    log.prompt(f"no, always use {canary} from now on")
    log.shell(f"deploy {canary}", f"refused: {canary}", 1)
    log.prompt(f"please remember: {canary}")
    log.save()


FIRST = (claude_code, codex, openclaw, generic)
LATER = (gemini_cli, opencode, hermes)
LAST = (aider, openhands)
WRITERS = (*FIRST, *LATER, *LAST)


@pytest.mark.requirement("N8")
def test_no_canary_in_the_log_of_any_agent_reaches_a_file_report_or_export(home: Path) -> None:
    chances = dict.fromkeys(FIRST, random.Random(14)) | dict.fromkeys(LATER, random.Random(14))
    chances |= dict.fromkeys(LAST, random.Random(14))
    marked = [each for each in FORMATS if each.marked and not each.lines and not each.address]
    needles = []
    for number, form in enumerate(marked):
        for place, write in enumerate(WRITERS):
            canary = form.make(chances[write])
            write(home, len(WRITERS) * number + place + 1, canary)
            needles.append((f"{write.__name__} {form.name}", canary))
    out = home / "out"
    out.mkdir()
    adopt(*sorted((home / "work").glob("*/.aider.chat.history.md")))
    with wisen.open_learner() as learner:
        read = learner.learn(home / "talks").counts.sources
        learner.learn(home / "work")
    run("learn", "--html", out / "report.html", "--markdown", out / "report.md")
    run("cycle")
    (out / "found.json").write_text(run("learn", "--json").stdout + run("entries", "--json").stdout)
    with wisen.open_learner() as learner:
        sources = {each.name: each.counts.sources for each in learner.health.agent_states()}
        withheld = sum(learner.status().counts.withheld.values())
    learnt = files(home / "wisen")
    run("forget", "--everything", "--scope", "all", "--yes", "--export", out / "all.json")
    assert sources == dict.fromkeys([write.__name__.replace("_", "-") for write in WRITERS], len(marked))
    assert (read, len(needles)) == (len(marked), len(WRITERS) * len(marked))
    assert withheld >= 3 * len(needles)
    assert {"index.db", "ledger.db"} <= {name for name, data in learnt.items() if data}
    assert residues(needles, learnt) == []
    assert residues(needles, files(home / "wisen")) == []
    assert residues(needles, files(out)) == []


def test_private_data_is_in_no_file_of_ours_either(home: Path) -> None:
    chance = random.Random(9)
    needles = []
    for number in range(1, 21):
        value = f"{chance.randrange(100, 665)}-{chance.randrange(10, 100)}-{chance.randrange(1000, 10000)}"
        session = ClaudeTranscript(number)
        session.prompt(f"her social security number is {value}")
        session.bash(f"echo 'ssn: {value}'", f"bad ssn {value}", exit_code=1)
        session.write(home / ".claude" / "projects" / "p")
        needles.append(("", value))
    with wisen.open_learner() as learner:
        report = learner.learn()
    assert report.counts.withheld == {"private:identity": 60}
    assert residues(needles, files(home / "wisen")) == []


def test_what_is_beside_a_canary_is_still_learnt_from(home: Path) -> None:
    token = draw_value("ghp_{a36}", random.Random(1))
    session = ClaudeTranscript()
    session.prompt(f"use {token}")
    session.prompt("always run the ORCHARD tests first")
    session.write(home / ".claude" / "projects" / "p")
    with wisen.open_learner() as learner:
        assert learner.learn().counts.typed_turns == 2
    assert any(b"ORCHARD" in data for data in files(home / "wisen").values())
