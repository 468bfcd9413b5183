"""Builds the hook events that agents send: from real sessions, and by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.behaviour.reads import spread
from tests.behaviour.world import World

AGENTS = ("claude-code", "codex", "gemini-cli")
_SHELL = {"claude-code": "Bash", "codex": "Bash", "gemini-cli": "run_shell_command"}
_ASKED = (
    "what did we decide about tests",
    "do you remember the lint errors?",
    "remind me how we run the tests",
    "last time we talked about commit messages, what was it?",
    "was haben wir zu rtk gesagt?",
    "why did we change the status command",
)
_TYPED = (
    "approve 1",
    "approve 2 to hook",
    "approve #1",
    "approve 99",
    "approve it to be done with",
    "skip 1",
    "skip 2",
    "what have you learned",
    "show my rules",
    "memory stats",
    "forget about it",
    "forget the linter",
    "yes, forget the linter",
    "improve yourself",
    "overrule G-00000000",
)
_LINES = (
    "rtk bun run test",
    "cd frontend && rtk bun run lint",
    "git push --force origin main",
    "git push --force-with-lease",
    "npm install left-pad",
    "bash -c 'rtk bun test'",
    "$(echo rtk) bun test",
    "ls -la",
    "echo 'rtk bun run test'",
)
_BROKEN = ("", "{", "[]", '"text"', '{"session_id": 7}', '{"session_id": "broken", "cwd": 3, "prompt": []}', "\xff\x00")
_FILES = ("migrations/001_init.sql", "src/app.py", "docs/index.md")


class Event(NamedTuple):
    """One call of the hook client."""

    agent: str
    name: str
    payload: object


class Met(NamedTuple):
    """What the sessions hold: typed prompts, calls and failed calls with what they said."""

    prompts: list[str]
    calls: list[tuple[str, dict[str, Any]]]
    failures: list[tuple[str, dict[str, Any], str]]


def make_events(world: World, guards: list[str]) -> list[Event]:
    """About five hundred events of all kinds."""
    met = _met(world)
    places = [*(str(each) for each in world.projects), str(world.user_home / "nowhere")]
    found: list[Event] = []
    for agent in AGENTS:
        found += _starts(agent, places)
        found += _prompts(agent, places, met, guards)
        found += _before_calls(agent, places, met)
        found += _failures(agent, places, met, world)
        found += _ends(agent, places)
        found += [Event(agent, name, each) for name in ("prompt", "before-call") for each in _BROKEN]
    return found


def _starts(agent: str, places: list[str]) -> Iterator[Event]:
    for number, place in enumerate(places):
        for source in ("startup", "resume", "clear", "compact", "again"):
            payload = {"session_id": f"{agent}-{number}", "cwd": place, "source": source}
            yield Event(agent, "session-start", {**payload, "hook_event_name": "SessionStart"})


def _prompts(agent: str, places: list[str], met: Met, guards: list[str]) -> Iterator[Event]:
    most = 60 if agent == "claude-code" else 15
    texts = [*spread(met.prompts, most), *_ASKED, *_TYPED, *(f"overrule {each}" for each in guards[:2])]
    for number, text in enumerate(texts):
        place = number % len(places) if number < most else 0
        head = {"session_id": f"{agent}-{place}", "cwd": places[place], "hook_event_name": "UserPromptSubmit"}
        yield Event(agent, "prompt", {**head, "prompt": text})
    for text in (*_ASKED[:2], *_TYPED[:2]):
        yield Event(agent, "prompt", {"session_id": f"{agent}-new", "cwd": places[1], "prompt": text})


def _before_calls(agent: str, places: list[str], met: Met) -> Iterator[Event]:
    calls = [(tool, fields) for tool, fields in _spread_calls(met, 40 if agent == "claude-code" else 15)]
    calls += [(_SHELL[agent], {"command": line}) for line in _LINES]
    calls += [("Edit", {"file_path": f"{places[1]}/{name}", "old_string": "a", "new_string": "b"}) for name in _FILES]
    for number, (tool, fields) in enumerate(calls):
        for place in (0, 1) if number >= len(calls) - len(_LINES) - len(_FILES) else (number % 2,):
            session = f"{agent}-calls-{place}-{number // 4}"
            head = {"session_id": session, "cwd": places[place], "tool_use_id": f"call-{number}"}
            yield Event(agent, "before-call", {**head, "tool_name": tool, "tool_input": fields})
    lifted = [f"{agent}-0", f"{agent}-new"]  # in which the user has lifted guards before
    for session, line in zip(lifted, _LINES, strict=False):
        fields = {"session_id": session, "cwd": places[0], "tool_name": _SHELL[agent]}
        yield Event(agent, "before-call", {**fields, "tool_input": {"command": line}})


def _failures(agent: str, places: list[str], met: Met, world: World) -> Iterator[Event]:
    most = 60 if agent == "claude-code" else 20
    chosen = [met.failures[int(at)] for at in spread([str(each) for each in range(len(met.failures))], most)]
    log = world.folder / "scratch" / f"{agent}.jsonl"
    for number, (tool, fields, output) in enumerate(chosen):
        session = f"{agent}-failing-{number // 5}"
        head = {"session_id": session, "cwd": places[number % 2], "tool_use_id": f"failed-{number}"}
        head |= {"transcript_path": str(log)}
        if agent == "claude-code":
            rest = {"tool_name": tool, "tool_input": fields, "error": output, "is_interrupt": number % 17 == 16}
            yield Event(agent, "failure", {**head, **rest})
        elif agent == "codex":
            item = {"type": "CommandExecution", "id": f"failed-{number}", "exit_code": 1, "aggregated_output": output}
            with log.open("a", encoding="utf-8") as file:
                file.write(
                    json.dumps({"type": "event_msg", "payload": {"type": "item_completed", "item": item}}) + "\n"
                )
            yield Event(agent, "after-call", {**head, "tool_name": tool, "tool_input": fields, "tool_response": output})
        else:
            response = {"llmContent": f"Output: {output}\nExit Code: 1\n"}
            rest = {"tool_name": "run_shell_command", "tool_input": fields, "tool_response": response}
            yield Event(agent, "after-call", {**head, **rest})
    yield Event(agent, "after-call", {"session_id": f"{agent}-0", "cwd": places[0], "tool_name": "Bash"})


def _ends(agent: str, places: list[str]) -> Iterator[Event]:
    for number, place in enumerate(places):
        for name in ("stop", "stop", "session-end"):
            yield Event(agent, name, {"session_id": f"{agent}-{number}", "cwd": place, "stop_hook_active": False})


def _spread_calls(met: Met, most: int) -> list[tuple[str, dict[str, Any]]]:
    return [met.calls[int(at)] for at in spread([str(each) for each in range(len(met.calls))], most)]


def _met(world: World) -> Met:
    """Read the transcripts of Claude Code; what cannot be read is left out."""
    met = Met([], [], [])
    for path in sorted((world.user_home / ".claude" / "projects").rglob("*.jsonl")):
        made: dict[str, tuple[str, dict[str, Any]]] = {}
        for part in _parts(path):
            if isinstance(part, str):
                if part.strip() and not part.startswith(("<", "Caveat:", "[Request", "This session is")):
                    met.prompts.append(part[:4000])
            elif part.get("type") == "tool_use" and isinstance(part.get("input"), dict):
                made[str(part.get("id"))] = (str(part.get("name")), part["input"])
                met.calls.append(made[str(part.get("id"))])
            elif part.get("type") == "tool_result" and part.get("is_error") and part.get("tool_use_id") in made:
                content = part.get("content")
                if isinstance(content, list):
                    content = "\n".join(str(each.get("text", "")) for each in content if isinstance(each, dict))
                met.failures.append((*made[str(part["tool_use_id"])], str(content)))
    return met


def _parts(path: Path) -> Iterator[Any]:
    """The typed texts and the blocks of a transcript, in order."""
    for line in path.read_bytes().splitlines():
        try:
            record = json.loads(line)
            content = record["message"]["content"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(content, str) and record.get("type") == "user" and not record.get("isMeta"):
            yield content
        elif isinstance(content, list):
            yield from (each for each in content if isinstance(each, dict))
