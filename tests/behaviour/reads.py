"""The read-only commands: all of them as JSON, the most used ones also as text."""

from __future__ import annotations

import json
from typing import Any

from tests.behaviour.recording import Recording
from tests.behaviour.world import World

_AGENTS = ("claude-code", "codex", "gemini-cli", "openclaw", "hermes", "opencode")
_QUESTIONS = ("tests", "commit message", "lint errors", '"run test"', "rtk bun", "status command", "deploy")
_MESSAGES = (
    "no, use pnpm instead of npm",
    "Always run the tests before you commit.",
    "great, that works perfectly!",
    "Nein, das ist falsch, nimm bitte immer pnpm",
    "what time is it?",
)
_CORE = (
    ("status",),
    ("doctor",),
    ("stats",),
    ("learned", "--days", "365"),
    ("effect",),
    ("fixes", "--all"),
    ("undo", "--list"),
    ("forget", "--list"),
    ("changes",),
    ("proposals", "--all"),
    ("guards", "list"),
    ("guards", "test", "rtk bun run test"),
    ("trials", "list"),
    ("entries", "list", "--all"),
    ("contexts", "list"),
    ("rules", "--all"),
    ("memory", "days"),
    ("learn", "--jobs", "1"),
    ("blame", "CLAUDE.md"),
    ("recall", "tests", "--scope", "all", "--limit", "30", "--around", "2"),
    ("brief", "mend the tests"),
)
"""The state of a home: read after each stage."""
_MORE = (
    ("agents",),
    ("learned",),
    ("praise",),
    ("adopt",),
    ("fixes",),
    ("proposals",),
    ("proposals", "place"),
    ("guards",),
    ("guards", "test", "git push --force origin main"),
    ("guards", "test", "--tool", "Edit", "migrations/001.sql"),
    ("guards", "backtest", "deny rtk bun -> bun # it has no bun"),
    ("trials",),
    ("entries",),
    ("entries", "list"),
    ("contexts",),
    ("rules",),
    ("memory",),
    ("memory", "show"),
    ("phrases",),
    ("phrases", "show"),
    ("phrases", "learn", "--dry-run"),
    ("cycle", "--dry-run"),
    ("doctor", "--repair", "--dry-run"),
    ("doctor", "--purge", "--dry-run"),
    ("uninstall", "claude-code", "--dry-run"),
    ("forget", "rtk", "--dry-run"),
    ("forget", "--everything", "--scope", "context", "--dry-run"),
    ("rules", "edit", "--dry-run"),
    ("entries", "write", "--dry-run"),
    ("memory", "write", "--dry-run"),
    ("blame", "CLAUDE.md", "--unused"),
    ("blame", "CLAUDE.md", "--line", "4"),
    *(("recall", each) for each in _QUESTIONS),
    ("recall", "tests", "--kind", "fix", "--kind", "entry"),
    *(("brief", f"mend the {each}") for each in _QUESTIONS[1:4]),
)
_ONCE = (
    ("config",),
    ("models",),
    ("models", "show"),
    ("languages",),
    ("languages", "list"),
    ("languages", "build", "--dry-run"),
    ("learn", "--dry-run", "--jobs", "1"),
    ("learn", "--sample"),
    ("serve", "--dry-run"),
    *(("install", each, "--dry-run") for each in _AGENTS),
    *(("detect", each) for each in _MESSAGES),
)
"""What hardly depends on what was learned, or takes long."""
_TEXTS = (
    ("learn", "--jobs", "1"),
    ("status",),
    ("proposals",),
    ("proposals", "--all"),
    ("fixes",),
    ("fixes", "--all"),
    ("guards",),
    ("guards", "test", "rtk bun run test"),
    ("rules",),
    ("rules", "--all"),
    ("entries", "list"),
    ("contexts",),
    ("changes",),
    ("trials",),
    ("effect",),
    ("learned",),
    ("stats",),
    ("agents",),
    ("doctor",),
    ("memory",),
    ("memory", "show"),
    ("undo", "--list"),
    ("blame", "CLAUDE.md"),
    ("recall", "tests"),
    ("recall", "lint errors"),
    ("brief", "mend the tests"),
    ("config", "--template"),
)
_ELSEWHERE = (("rules",), ("learned",), ("guards",), ("memory",), ("brief", "mend the tests"), ("blame", "CLAUDE.md"))
_SHOWN: tuple[tuple[tuple[str, ...], tuple[str, ...], str, int], ...] = (
    (("proposals", "--all"), ("proposals", "show"), "id", 8),
    (("entries", "list", "--all"), ("entries", "show"), "name", 6),
    (("entries", "list", "--all"), ("explain",), "name", 6),
    (("fixes", "--all"), ("explain",), "id", 6),
    (("guards", "list"), ("guards", "show"), "id", 4),
    (("guards", "list"), ("guards", "backtest"), "id", 3),
    (("guards", "list"), ("explain",), "id", 3),
    (("changes",), ("changes", "show"), "id", 5),
    (("trials", "list"), ("trials", "show"), "id", 4),
    (("memory", "days"), ("memory", "show"), "day", 3),
    (("memory", "days"), ("memory", "show"), "session", 3),
)
"""Of what a list shows: a command for the single ones, the field that names them, and how many of them."""


def save_core(world: World, recording: Recording, group: str) -> dict[tuple[str, ...], Any]:
    """Run the commands that tell the state of a home; returns what they told."""
    return {words: _save(world, recording, f"{group}/json", words) for words in _CORE}


def save_reads(world: World, recording: Recording, group: str) -> None:
    """Run every command that reads and depends on what was learned, in all its forms."""
    lists = save_core(world, recording, group)
    for words in _MORE:
        _save(world, recording, f"{group}/json", words)
    world.preload = True
    for words in _TEXTS:
        recording.save_run(f"{group}/text", " ".join(words), ("wisen", *words), world.wisen("source", *words))
    for listed, command, name, most in _SHOWN:
        for number, value in enumerate(spread(values_of(lists[listed], name), most), 1):
            label = f"{' '.join(command)} of {' '.join(listed)} {name} {number}"
            done = world.wisen("source", *command, value, "--json")
            recording.save_run(f"{group}/json", label, ("wisen", *command, value, "--json"), done)
            if number == 1:
                done = world.wisen("source", *command, value)
                recording.save_run(f"{group}/text", label, ("wisen", *command, value), done)
    for place in world.projects[1:]:
        for words in _ELSEWHERE:
            done = world.wisen("source", *words, "--json", folder=place)
            recording.save_run(f"{group}/json", f"{' '.join(words)} in {place.name}", ("wisen", *words), done)
    _save_pages(world, recording, group)


def save_once(world: World, recording: Recording, group: str) -> list[tuple[str, ...]]:
    """Run what is the same in every home, and the help of every command, found by walking through the groups.

    Returns all commands.
    """
    for words in _ONCE:
        _save(world, recording, f"{group}/json", words)
    waiting, found = list[tuple[str, ...]]([()]), list[tuple[str, ...]]()
    while waiting:
        words = waiting.pop(0)
        done = world.wisen("source", *words, "--help")
        recording.save_run("0-help", " ".join(("wisen", *words)), ("wisen", *words, "--help"), done)
        _, is_group, listed = done.stdout.partition("\nCommands:\n")
        for line in listed.split("\n\n")[0].splitlines() if is_group else ():
            if line.startswith("  ") and line[2:3].strip():
                waiting.append((*words, line.split()[0]))
        found += [] if is_group else [words]
    return found


def _save(world: World, recording: Recording, group: str, words: tuple[str, ...]) -> Any:
    done = world.wisen("source", *words, "--json")
    recording.save_run(group, " ".join(words), ("wisen", *words, "--json"), done)
    return loaded(done.stdout)


def _save_pages(world: World, recording: Recording, group: str) -> None:
    """Reports and pages that commands write into files."""
    pages = world.folder / "pages"
    pages.mkdir(exist_ok=True)
    for words in (
        ("learn", "--jobs", "1", "--html", str(pages / "report.html"), "--markdown", str(pages / "report.md")),
        ("blame", "CLAUDE.md", "--html", str(pages / "blame.html")),
        ("effect", "--svg", str(pages / "effect.svg")),
        ("phrases", "show", "--write", str(pages / "phrases.json")),
        ("languages", "list", "--write", str(pages / "languages.json")),
    ):
        recording.save_run(f"{group}/pages", " ".join(words[:2]), ("wisen", *words), world.wisen("source", *words))
    for path in sorted(pages.iterdir()):
        recording.save(f"{group}/pages", path.name, path.read_text("utf-8"))
        path.unlink()


def loaded(text: str) -> Any:
    """The JSON that a command printed; nothing where it printed none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def values_of(answer: Any, name: str) -> list[str]:
    """The values of a field in the objects of the first list that JSON holds."""
    if isinstance(answer, dict):
        lists = [each for each in answer.values() if isinstance(each, list)]
        lists = [each for each in lists if any(isinstance(row, dict) and name in row for row in each)]
        answer = lists[0] if lists else []
    return [str(row[name]) for row in answer or () if isinstance(row, dict) and row.get(name)]


def spread(values: list[str], most: int) -> list[str]:
    """So many of some values, from everywhere among them."""
    if len(values) <= most:
        return values
    return [values[number * len(values) // most] for number in range(most)]
