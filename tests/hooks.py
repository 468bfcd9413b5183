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
    """A text as the client gives it to an agent to show: with one mark behind it."""
    return hook_output.append_mark([text])


def are_hooks_installed(edit_ports: EditPorts, path: Path, agent: Hooks, wanted: Sequence[Hook]) -> bool:
    """Whether all these hooks stand in a settings file, and no others of ours for the same events."""
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
    """What the client tells the agent at an event, but for the seal of its session; empty where it tells nothing."""
    return without_seals(fire_sealed(home, event, payload, limit=limit, off=off, agent=agent))


def without_seals(text: str) -> str:
    """What is told without the seals of sessions, so that two of them can be compared."""
    return _SEAL.sub("", text)


def without_questions(text: str) -> str:
    """What is told without what is asked, which only the first session is told to do."""
    lines = text.split("\n")
    return "\n".join(each for each in lines if not each.startswith("Ask the user once") and '" or "skip ' not in each)


def fire_sealed(
    home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = ""
) -> str:
    """What the client tells the agent at an event, to the letter."""
    answer = hook_answer(home, event, payload, limit=limit, off=off, agent=agent)
    if not answer:
        return ""
    assert set(answer) == {"hookEventName", "additionalContext"}
    assert isinstance(answer["additionalContext"], str)
    return answer["additionalContext"]


def hook_answer(
    home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = ""
) -> dict[str, object]:
    """What the client answers at an event; empty where it prints nothing."""
    whole = printed_json(home, event, payload, limit=limit, off=off, agent=agent) or {"hookSpecificOutput": {}}
    assert set(whole) == {"hookSpecificOutput"}
    answer: dict[str, object] = whole["hookSpecificOutput"]
    return answer


def printed_json(
    home: Path, event: str, payload: object, *, limit: float = 20, off: str | None = None, agent: str = ""
) -> dict[str, Any]:
    """All that the client prints at an event; empty where it prints nothing. It always ends with 0."""
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
    """A failed call of the shell, as Claude Code tells it."""
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "error": error, "is_interrupt": False}
    return {"session_id": session, "cwd": str(cwd), "hook_event_name": "PostToolUseFailure", **call}


def write_lesson_sessions(home: Path, project: Path) -> None:
    """Two sessions in a project: a correction, and a call that failed and worked without one of its words."""
    project.mkdir(exist_ok=True)
    for number in (1, 2):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("deploy the shop")
        log.bash("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", exit_code=2)
        log.bash("shopctl deploy", "deployed")
        log.prompt("no, from now on always use pnpm instead of npm")
        log.bash("pnpm test")
        log.write(home / ".claude" / "projects" / "shop")
