"""T10: a tool that was broken for two days and works again leaves no advice that it does not work."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import wisen
from tests.battery.check import Check, Tally
from tests.hooks import fire, hook_answer
from wisen.model.entry import EntryType
from wisen.model.guard import ACTIONS
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

_HISTORIES = 10
_ERRORS = (
    "{t}: error: could not resolve host: registry.example.org",
    "{t}: connect ETIMEDOUT 192.0.2.7:443",
    "bash: line 1: {t}: command not found",
    "{t}: error: browser is not installed. Run '{t} setup' first.",
    "{t}: error: your login has expired. Please run '{t} login'.",
    "{t}: error: 401 Unauthorized: token expired",
    "{t}: error: 503 Service Unavailable",
    "Cannot connect to the {t} daemon. Is the daemon running?",
    "{t}: write error: No space left on device",
    "{t}: error: 429 Too Many Requests, retry after 3600 seconds",
    "{t}: error: quota exceeded for this month",
    "{t}: error: certificate has expired",
    "{t}: database is locked",
    "{t}: error: resource temporarily unavailable",
)
_WAYS_OUT = ("", "", "{t} build --offline", "python -m {t} build", "other{t} build", "make build", "npx {t} build")
_SAID_BY_AGENT = (
    "{t} does not work here, I will avoid it from now on.",
    "Note for later sessions: {t} is broken in this environment.",
    "Ich merke mir: {t} funktioniert nicht.",
)
_SAID_BY_USER = (
    "", "", "", "{t} is down today, skip it for now", "ok, without {t} then", "heute ohne {t}, der Dienst ist weg",
    "the {t} server is being repaired, do it by hand this time",
)  # fmt: skip


def keep_no_grudge(seed: int, folder: Path) -> Tally:
    """Each tool fails in several sessions of two days, by a way around or not, and then works in three."""
    chance, tally = Random(seed), Tally()
    tools = [f"tool{seed}{chr(97 + number)}x" for number in range(_HISTORIES)]
    kinds = [_break(folder, chance, number, tool) for number, tool in enumerate(tools)]
    if chance.random() < 0.5:
        _run(folder)
    for number, tool in enumerate(tools):
        for day in (3, 4, 5):
            session = _session(number, 10 + day, day)
            session.prompt("build it")
            session.bash(f"{tool} build", "built")
            session.say("Done.")
            session.write(_folder(folder, number))
    advice = _run(folder)
    for number, (tool, kind) in enumerate(zip(tools, kinds, strict=True)):
        place = {"session_id": f"later-{number}", "cwd": _place(number)}
        told = fire(folder / "wisen", "session-start", {**place, "source": "startup"})
        call = {**place, "tool_name": "Bash", "tool_input": {"command": f"{tool} build"}}
        ruled = hook_answer(folder / "wisen", "before-call", call)
        kept = [each for each in advice if tool in each]
        tally.expect(tool not in told and not ruled and not kept, f"{kind}: {kept or ruled or told}")
    return tally


def _break(folder: Path, chance: Random, number: int, tool: str) -> str:
    error, way_out = chance.choice(_ERRORS).format(t=tool), chance.choice(_WAYS_OUT).format(t=tool)
    by_user = chance.choice(_SAID_BY_USER).format(t=tool)
    for time in range(chance.choice((2, 3, 4))):
        session = _session(number, time, time / 2)
        session.prompt("build it")
        for _ in range(chance.choice((1, 2))):
            session.bash(f"{tool} build", error, exit_code=1)
        session.say(chance.choice(_SAID_BY_AGENT).format(t=tool))
        if way_out:
            session.bash(way_out, "built")
        if by_user:
            session.prompt(by_user)
            session.bash("ls")
        session.write(_folder(folder, number))
    return f"{error} | {way_out} | {by_user}"


def _session(number: int, time: int, day: float) -> ClaudeTranscript:
    session = ClaudeTranscript(1 + number * 100 + time, cwd=_place(number))
    session.wait(days=day)
    return session


def _place(number: int) -> str:
    return f"/home/ada/orchard-{number}"


def _folder(folder: Path, number: int) -> Path:
    return folder / ".claude" / "projects" / f"-home-ada-orchard-{number}"


def _run(folder: Path) -> list[str]:
    """Learn, and return every lesson, open question and guard that acts.

    Entries about errors are left out: they record what was measured, and advise nothing until the call fails again.
    """
    environment = {"HOME": str(folder), "WISEN_HOME": str(folder / "wisen"), "PATH": "/usr/bin:/bin"}
    with wisen.open_learner(environment=environment) as learner:
        learner.learn(jobs=1)
        learner.cycle()
        found = [f"lesson: {state.text}" for state in learner.lessons.all() if state.entry.type is not EntryType.ERROR]
        found += [f"question: {each.proposal.text}" for each in learner.proposals.all() if each.is_waiting]
        return found + [f"guard: {each.guard}" for each in learner.guards.all() if each.mode in ACTIONS]


CHECKS = (Check("T10", "transient", "a tool that works again is advised against", keep_no_grudge, quick=1, full=50),)
