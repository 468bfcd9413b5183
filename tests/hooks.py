"""Runs the hook client as an agent does: an isolated interpreter, the event on stdin, the answer on stdout."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wisen.agents.hook_ports import Hooks
from wisen.edits.edit_history import EditPorts
from wisen.install.hook_settings import applicable_hooks, current_hooks, hook_value, parse_hook_settings
from wisen.model.hook import Hook
from wisen.surfaces.hook import client, hook_output
from wisen.testing.transcripts import ClaudeTranscript

CLIENT = Path(client.__file__)
_SEAL = re.compile(r"(?<=wisen51902)-[0-9a-f]{16}\b")


def with_mark(text: str) -> str:
    """Return a text with the mark that the client appends to what an agent shows."""
    return hook_output.append_mark([text])


def are_hooks_installed(edit_ports: EditPorts, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> bool:
    """Whether a settings file has all these hooks, and no others of ours for the same events."""
    settings = parse_hook_settings(edit_ports.files.read(path).content, str(path))
    wanted = applicable_hooks(wanted, settings)
    places = {hook.keys for hook in wanted}
    there = [each for each in current_hooks(settings, agent) if each[0] in places]
    return there == sorted(map(hook_value, wanted))


def direct_command(
    event: str, agent: str = "", *, package: str = "/opt/wise n/wisen", home: str = "/home/ada/w"
) -> str:
    """What an older wisen wrote into settings: the interpreter and a file of the package, without a launcher."""
    named = ("--agent", agent) if agent else ()
    client = f"{package}/surfaces/hook/client.py"
    return shlex.join(("/opt/wise n/bin/python", "-I", "-S", client, "--home", home, *named, event))


def fire(home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = "") -> str:
    """Fire an event and return what the client delivers, without the session's seal; empty if nothing."""
    return without_seals(fire_sealed(home, event, payload, limit=limit, off=off, agent=agent))


def without_seals(text: str) -> str:
    """Remove the session seals from a delivered text, so that two sessions can be compared."""
    return _SEAL.sub("", text)


def without_questions(text: str) -> str:
    """Remove the questions from a delivered text, which only the first session gets."""
    lines = text.split("\n")
    return "\n".join(each for each in lines if not each.startswith("Ask the user once") and '" or "skip ' not in each)


def fire_sealed(
    home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = ""
) -> str:
    """Fire an event and return exactly what the client delivers."""
    answer = hook_answer(home, event, payload, limit=limit, off=off, agent=agent)
    if not answer:
        return ""
    assert set(answer) == {"hookEventName", "additionalContext"}
    assert isinstance(answer["additionalContext"], str)
    return answer["additionalContext"]


def hook_answer(
    home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = ""
) -> dict[str, object]:
    """Fire an event and return the client's answer; empty if it prints nothing."""
    whole = printed_json(home, event, payload, limit=limit, off=off, agent=agent) or {"hookSpecificOutput": {}}
    assert set(whole) == {"hookSpecificOutput"}
    answer: dict[str, object] = whole["hookSpecificOutput"]
    return answer


def printed_json(
    home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = ""
) -> dict[str, Any]:
    """Fire an event and return all that the client prints; empty if nothing. It always exits with 0."""
    sent = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    named = ["--agent", agent] if agent else []
    command = [sys.executable, "-I", "-S", str(CLIENT), "--home", str(home), *named, event]
    environment = None if off is None else {**os.environ, "WISEN_OFF": off}
    done = subprocess.run(command, input=sent, capture_output=True, check=False, timeout=limit, env=environment)
    assert done.returncode == 0
    assert done.stderr == b""
    whole: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return whole


def failed_call(command: str, error: str, *, session: str = "s", cwd: Path | str = "/") -> dict[str, object]:
    """The payload of a failed shell call, as Claude Code sends it."""
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "error": error, "is_interrupt": False}
    return {"session_id": session, "cwd": str(cwd), "hook_event_name": "PostToolUseFailure", **call}


def write_lesson_sessions(home: Path, project: Path) -> None:
    """Write two sessions: a correction, and a call that failed and then worked without one of its arguments."""
    project.mkdir(exist_ok=True)
    for number in (1, 2):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("deploy the shop")
        log.bash("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", exit_code=2)
        log.bash("shopctl deploy", "deployed")
        log.prompt("no, from now on always use pnpm instead of npm")
        log.bash("pnpm test")
        log.write(home / ".claude" / "projects" / "shop")
