"""The decisions a user makes at a terminal: proposals, guards, rules, entries, forgetting, undo, install."""

from __future__ import annotations

from typing import Any

from tests.behaviour.reads import loaded, values_of
from tests.behaviour.recording import Recording
from tests.behaviour.world import World

_NOT_A_PERSON, _ENDED_BY_US = 5, 98


class Decider:
    """Takes decisions in a world, each first as a dry run, and keeps what came of them."""

    def __init__(self, world: World, recording: Recording, group: str, stage: str) -> None:
        self._world, self._recording, self._group = world, recording, group
        self._stage, self._taken = stage, 0

    def decide(self, *words: str, dry: bool = True, typed: str = "", project: int = 0, **variables: str) -> None:
        """Decide one thing, by a command."""
        folder = self._world.projects[min(project, len(self._world.projects) - 1)]
        runs = [(*words, "--dry-run", "--json")] if dry else []
        for each in (*runs, words):
            done = self._world.wisen("source", *each, folder=folder, typed=typed, **variables)
            if done.code == _ENDED_BY_US:
                raise SystemExit(f"wisen {' '.join(each)} did not end: {done.stdout[-500:]}{done.stderr[-500:]}")
            if done.code == _NOT_A_PERSON:
                raise SystemExit(f"No decision could be recorded, for nobody takes this for a person's: {done.stderr}")
            self._taken += 1
            name = f"{self._stage} {self._taken:03} {' '.join(each[:2])}"
            self._recording.save_run(self._group, name, ("wisen", *each), done)

    def ask(self, *words: str) -> Any:
        """What a list tells as JSON."""
        return loaded(self._world.wisen("source", *words, "--json").stdout)


def decide_first(world: World, recording: Recording, group: str) -> None:
    """Answers, guards, rules and entries."""
    decider = Decider(world, recording, group, "first")
    decide = decider.decide
    entries = [str(each["name"]) for each in decider.ask("entries", "list")["entries"] if each["type"] != "error"]
    for name in entries[:8]:
        decide("entries", "confirm", name, dry=False)
    decide("cycle")  # proposes what was confirmed
    waiting = decider.ask("proposals")["proposals"]
    about_guards = [str(each["id"]) for each in waiting if each["type"] == "guard"]
    others = [str(each["id"]) for each in waiting if each["type"] != "guard"]
    for id_, place in zip(others[:3], ((), ("--to", "hook"), ("--to", "local")), strict=False):
        decide("proposals", "approve", id_, *place)
    for id_ in others[3:5]:
        decide("proposals", "reject", id_)
    for id_ in others[5:6]:
        decide("proposals", "skip", id_)
    for id_ in others[6:7]:
        decide("proposals", "later", id_)
    for id_ in about_guards[:1]:
        decide("proposals", "approve", id_)
    decide("guards", "add", "deny rtk bun -> bun # rtk has no bun")
    decide("guards", "add", "warn edit: migrations/** # ask the team first", project=1)
    decide("guards", "add", "ask git push --force", "--everywhere")
    decide("guards", "add", "warn npm install -> pnpm install", "--shadow")
    guards = values_of(decider.ask("guards", "list"), "id")
    for id_ in guards[-1:]:
        decide("guards", "disable", id_)
        decide("guards", "enable", id_, "--as", "warn")
    decide("rules", "add", "Always run the linter before a commit.")
    decide("rules", "add", "Answer in British English.", "--global")
    decide("rules", "add", "Use tabs in Makefiles.", "--pending", project=1)
    _about_entries(decider)
    decide("note", "The staging database is reset on Mondays.", "--mark", "insight")
    decide("proposals", "place", "local")


def decide_more(world: World, recording: Recording, group: str) -> None:
    """What concerns files, words to be forgotten, undos, trials and the way people answer one by one."""
    decider = Decider(world, recording, group, "more")
    decide = decider.decide
    decide("review", dry=False, typed="w\ns\nl\nn\ny\nq\nq\nq\n\x04\x04\x04")
    decide("forget", "linter before a commit", "--yes")
    decide("forget", "prettier", "--scope", "all", "--yes")
    tombstones = values_of(decider.ask("forget", "--list"), "id")
    for id_ in tombstones[-1:]:
        decide("forget", "--undo", id_, "--yes")
    decide("undo", "--yes")
    decide("undo", "--yes")
    decide("blame", "CLAUDE.md", "--line", "4", "--keep")
    decide("blame", "CLAUDE.md", "--line", "7", "--remove")
    decide("changes", "record", "CLAUDE.md", "a line by hand", "shorter", project=1)
    changes = values_of(decider.ask("changes"), "id")
    for id_ in changes[-1:]:
        decide("changes", "revert", id_, "--yes")
    for id_ in changes[:1]:
        decide("changes", "refuse", id_)
    decide("trials", "on")
    for id_ in values_of(decider.ask("proposals"), "id")[:1]:
        decide("proposals", "try", id_)
    decide("trials", "off", "--here", project=1)
    decide("phrases", "learn", "--days", "3650")
    decide("memory", "write")
    decide("entries", "write", project=1)
    contexts = values_of(decider.ask("contexts", "list"), "key")
    decide("contexts", "alias", contexts[-1], str(world.user_home / "elsewhere"))
    decide("off", project=1)
    decide("on", project=1)
    decide("doctor", "--repair")
    decide("rules", "edit", dry=False, EDITOR="true")
    for agent in ("claude-code", "codex", "gemini-cli"):
        decide("install", agent, "--yes")
    decide("install", "claude-code", "--scope", "project", "--yes", project=1)
    decide("cycle")


def decide_last(world: World, recording: Recording, group: str) -> None:
    """After agents have worked with it: take things out again."""
    decider = Decider(world, recording, group, "last")
    decider.decide("cycle")
    for agent in ("claude-code", "codex", "gemini-cli"):
        decider.decide("uninstall", agent)
    for id_ in values_of(decider.ask("guards", "list"), "id")[:1]:
        decider.decide("guards", "remove", id_)
    decider.decide("undo", "--yes")
    decider.decide("forget", "--everything", "--scope", "context", "--yes", project=1)
    decider.decide("cycle", "--quick")


def _about_entries(decider: Decider) -> None:
    decide, names = decider.decide, values_of(decider.ask("entries", "list"), "name")
    decide("entries", "log", "learning", "The port of the test server is 4011.", "--area", "testing")
    for number, words in enumerate(
        (
            ("set", "priority", "critical"),
            ("set", "text", "Say it in fewer words."),
            ("confirm",),
            ("resolve",),
        )
    ):
        if len(names) > number:
            decide("entries", words[0], names[number], *words[1:])
    if len(names) > 8:
        decide("entries", "merge", names[5], names[4])
        decide("entries", "supersede", names[6], names[7])
        decide("entries", "split", names[5])
