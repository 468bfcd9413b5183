"""T14: secrets planted wherever readers read reach no byte of the home and nothing that is printed or answered."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from benchmarks.secret_formats import FORMATS

import wisen
from tests.battery.check import Check, Tally
from tests.commands import run
from tests.hooks import fire
from tests.ownership import adopt
from tests.safety.test_canaries import files, residues
from wisen.errors import WisenError
from wisen.model.entry import Answer
from wisen.surfaces.mcp import tool_arguments as tools
from wisen.surfaces.mcp.tool_answers import ToolAnswers
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SHORT = [each for each in FORMATS if each.marked and not each.lines and not each.address]
_READ = ("status", "lessons", "rules", "fixes", "proposals", "memory", "changes", "contexts", "explain", "doctor")


class _Canaries:
    """Draws secrets, and remembers where each was planted."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.planted: list[tuple[str, str]] = []

    def at(self, place: str, *, name: bool = False) -> str:
        """A new secret; one that can be the name of a file if need be."""
        value = self._chance.choice(_SHORT).make(self._chance)
        while name and (len(value) > 100 or set(value) & set("/\\$%~:.+=")):
            value = self._chance.choice(_SHORT).make(self._chance)
        self.planted.append((place, value))
        return value


def _write_logs(home: Path, shop: Path, secret: Callable[..., str]) -> None:
    logs = home / ".claude" / "projects" / "shop"
    for number in (1, 2, 3):
        log = ClaudeTranscript(number, cwd=str(shop))
        log.prompt("run the tests")
        log.bash(f"make test KEY={secret('argument')}", f"refused: {secret('failed output')}", exit_code=1)
        log.bash("printenv", f"PATH=/bin\nDEPLOY_TOKEN={secret('environment in a log')}\nmake: error", exit_code=2)
        log.bash("make test --all", f"ok {secret('successful output')}")
        log.prompt(f"no, from now on always deploy with {secret('correction')} instead of npm")
        log.prompt("no, use pnpm, not npm")
        log.reject(log.call("Bash", command=f"rm {secret('rejected call')}"), f"never {secret('reason')}")
        log.queue("enqueue", f"remember {secret('queued prompt')}")
        log.call("mcp__store__get", key=secret("argument of an MCP call"), nested={"deep": [secret("nested argument")]})
        log.ok(log.call(f"mcp__x__{secret('name of a tool', name=True)}", a="b"))
        log.ok(log.call("Read", file_path=f"{shop}/{secret('name of a file', name=True)}.txt"))
        log.raw({"type": "summary", "summary": f"About {secret('title')}", "leafUuid": "x"})
        log.raw({"type": "custom-title", "customTitle": secret("custom title"), "sessionId": log.session})
        log.prompt(f"and on the branch {secret('prompt')}", gitBranch=secret("branch", name=True))
        log.write(logs)
    place = home / secret("folder", name=True)
    place.mkdir()
    elsewhere = ClaudeTranscript(4, cwd=str(place))
    elsewhere.prompt("no, always use pnpm, not npm")
    elsewhere.write(home / ".claude" / "projects" / f"-home-{secret('folder of logs', name=True)}")


def _write_files(home: Path, shop: Path, secret: Callable[..., str]) -> None:
    (shop / "CLAUDE.md").write_text(f"# Shop\n\n- Deploy with {secret('instruction file')}.\n- Use make.\n")
    notes = home / ".claude" / "projects" / "shop" / "memory"
    notes.mkdir(parents=True, exist_ok=True)
    (notes / "MEMORY.md").write_text(f"## Keys\n\nThe key is {secret('notebook')}.\n")
    (home / ".claude" / "settings.json").write_text(json.dumps({"env": {"API_TOKEN": secret("settings")}}))
    learnings = shop / ".learnings" / "LEARNINGS.md"
    learnings.parent.mkdir()
    heading = "## [LRN-20200301-001] insight\n\n### Summary\n"
    learnings.write_text(f"{heading}Deploy with {secret('adopted file')} on Monday.\n\n---\n")
    adopt(learnings)


def _tell(shop: Path, secret: Callable[..., str]) -> list[str]:
    """What programs, people and agents say to a Learner; returns what they are answered."""
    told: list[str] = []
    with wisen.open_learner() as learner:
        for act in (
            lambda: learner.records.record_insight(f"the key is {secret('recorded insight')}"),
            lambda: learner.records.record_failure(
                tool="deploy",
                error=f"bad {secret('recorded error')}",
                arguments={"to": secret("recorded argument")},
                place=shop,
            ),
            lambda: learner.memory.add_note(f"the key {secret('note')} came", shop),
        ):
            try:
                told.append(str(act()))
            except WisenError as refused:
                told.append(str(refused))
    answers = ToolAnswers(start=shop)
    for name, call in (
        ("remember", tools.Remember(text=f"Deploy with {secret('MCP text')}.", reason=secret("MCP reason"))),
        ("log", tools.Log(kind="insight", text=f"The key is {secret('MCP log')}.")),
        ("recall", tools.Recall(question="which key deploys")),
        ("fixes", tools.Fixes(tool="Bash", error=f"refused: {secret('MCP error')}")),
        ("context", tools.Context(task=f"deploy with {secret('MCP task')}")),
        ("rules", tools.Rules()),
        ("proposals", tools.Proposals()),
    ):
        try:
            told.append(json.dumps(answers.answer(name, call, "claude-code"), default=str))
        except WisenError as refused:
            told.append(str(refused))
    return told


def find_no_canary(seed: int, folder: Path) -> Tally:
    """Some sixty secrets in as many places; learned, reviewed, recalled, exported and undone."""
    canaries, tally = _Canaries(seed), Tally()
    shop, out = folder / "shop", folder / "out"
    for place in (shop, out):
        place.mkdir()
    _write_logs(folder, shop, canaries.at)
    _write_files(folder, shop, canaries.at)
    run("learn", "--html", out / "report.html", "--markdown", out / "report.md", cwd=shop)
    told = _tell(shop, canaries.at)
    run("cycle", cwd=shop)
    with wisen.open_learner() as learner:
        for asked in [each for each in learner.proposals.all() if each.is_waiting]:
            learner.proposals.answer(asked.proposal.id, Answer.APPROVED)
    for command in _READ:
        given = ("R-1",) if command == "explain" else ()
        done = run(command, *given, cwd=shop, expect=int(command == "explain"))
        told.append(done.stdout + done.stderr)
    told += [run(*words, cwd=shop).stdout for words in (("recall", "deploy key"), ("lessons", "--json"))]
    for event, payload in (
        ("session-start", {"session_id": "s", "cwd": str(shop), "source": "startup"}),
        ("prompt", {"session_id": "s", "cwd": str(shop), "prompt": f"what about {canaries.at('prompt of a hook')}?"}),
    ):
        told.append(fire(folder / "wisen", event, payload))
    stored = files(folder / "wisen")
    run("undo", "--yes", cwd=shop, expect=0)
    run("forget", "--everything", "--scope", "all", "--yes", "--export", out / "all.json", cwd=shop)
    everything = {f"{name} before": data for name, data in stored.items()} | files(folder / "wisen") | files(out)
    everything |= {f"answer {number}": text.encode() for number, text in enumerate(told)}
    found: dict[str, list[str]] = {}
    needles = [(str(number), value) for number, (_, value) in enumerate(canaries.planted)]
    for needle, name in residues(needles, everything):
        found.setdefault(needle, []).append(name)
    for number, (planted, _) in enumerate(canaries.planted):
        held = found.get(str(number))
        tally.expect(held is None, f"a secret from {planted} is in {held}")
    masked = [name for name, data in everything.items() if b"[redacted]" in data.lower()]
    tally.expect(not masked, f"something was masked and not dropped in {masked}")
    tally.expect(b"pnpm" in b"".join(stored.values()), "nothing at all was learned")
    return tally


CHECKS = (Check("T14", "canaries", "a planted secret is in a file or an answer", find_no_canary, quick=1, full=38),)
