"""Generates the sessions of a user, as many as wanted, from a seed: Claude Code logs, projects and instruction files.

The rates are those of real sessions: of 110 events about 5 are typed, 1 call in 20 fails, the same failures, fixes and
lessons come back, and new ones keep appearing. Session N is the same whatever else is generated, except that times are
counted back from `now`, so that a home of any size ends today.
"""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from pathlib import Path

EVENTS_PER_SESSION = 110
_GOALS, _CALLS_PER_GOAL = 5, 11
_PROJECTS = 60
_DAYS = 365
_NOUNS = (
    "invoice payment cart order shipment catalog search login session token report export import webhook queue worker "
    "scheduler mailer template theme layout chart table form upload avatar profile team role permission audit "
    "backup restore migration index cache proxy router gateway metric alert dashboard release changelog locale "
    "currency discount coupon refund ledger balance transfer statement customer vendor supplier warehouse "
    "label barcode printer"
).split()
_PLACES = "module page service endpoint command model view test fixture helper schema config".split()
_ACTS = "add fix rename move split document speed up simplify review extend".split()
_PROGRAMS = "npm pnpm bun cargo pytest ruff mypy tsc eslint docker kubectl terraform psql redis-cli make go git".split()
_SYMPTOMS = (
    "unrecognized option '{a}'",
    "cannot find module '{a}'",
    "no such table: {a}",
    "{a} is not defined",
    "permission denied: {a}",
    "connection refused by {a}",
    "unknown command {a}",
    "missing field {a}",
    "could not resolve host {a}",
    "{a} has no attribute {b}",
    "expected {a} but found {b}",
    "version of {a} does not match {b}",
)
_CORRECTIONS = (
    "no, use the {a} {p} instead of the {b} {p}",
    "that is wrong, the {a} must not touch the {b} {p}",
    "don't change the {b} {p}, I only asked for the {a}",
    "no. revert that and keep the {a} {p} as it was",
    "you forgot the {a} {p} again",
)
_DIRECTIVES = (
    "always run the {a} {p} before you commit anything in {b}",
    "never edit the {a} {p} by hand",
    "from now on put every {a} {p} next to its {b}",
    "please use {a} and not {b} for every {p}",
    "remember that the {a} {p} belongs to the {b} team",
)
_PRAISE = ("great, that works", "perfect, thanks", "nice, exactly what I wanted")


@dataclass(frozen=True, kw_only=True)
class GeneratedUser:
    """A user with projects and logs below one folder."""

    root: Path
    sessions: int
    now: datetime
    seed: int = 30
    bytes_per_event: int = 800

    @property
    def logs(self) -> Path:
        """Return the folder of the agent's logs."""
        return self.root / ".claude" / "projects"

    def write_projects(self) -> None:
        """Write the projects: repositories with instruction files of several commits."""
        for number in range(_PROJECTS):
            _write_project(self._project(number), random.Random(f"{self.seed} project {number}"), self.now)

    def write_sessions(self, first: int, last: int) -> int:
        """Write the sessions from `first` to before `last`; return their bytes."""
        filler = " ".join(random.Random(self.seed).choices([*_NOUNS, *_PLACES, "{", "}", "return", "\n"], k=40_000))
        weights = list(accumulate(1 / (rank + 3) for rank in range(_PROJECTS)))
        written = 0
        for number in range(first, last):
            chance = random.Random(f"{self.seed} {number}")
            project = self._project(chance.choices(range(_PROJECTS), cum_weights=weights)[0])
            at = self.now - timedelta(days=_DAYS) * (1 - (number + 1) / (self.sessions + 1))
            session = _Session(chance, number, str(project), at, filler, self.bytes_per_event)
            folder = self.logs / str(project).replace("/", "-")
            folder.mkdir(parents=True, exist_ok=True)
            data = session.data()
            (folder / f"{session.id}.jsonl").write_bytes(data)
            written += len(data)
        return written

    def _project(self, number: int) -> Path:
        return self.root / "src" / f"{_NOUNS[number % len(_NOUNS)]}-{_PLACES[number % len(_PLACES)]}"


class _Session:
    """One session, written record by record."""

    def __init__(
        self, chance: random.Random, number: int, cwd: str, at: datetime, filler: str, bytes_per_event: int
    ) -> None:
        self._chance, self._cwd, self._at, self._filler = chance, cwd, at, filler
        self._bytes = max(0, 2 * bytes_per_event - 900)  # an outcome carries the bytes of its call, too
        self.id = str(UUID(int=(number + 1) << 64))
        self._first, self._count, self._last = (number + 1) << 64, 0, "null"
        self._lines: list[str] = []
        self._scope = 20 + int((number + 1) ** 0.5)  # new words keep appearing, ever more rarely

    def data(self) -> bytes:
        """Return the bytes of its log."""
        for goal in range(_GOALS):
            self._type(goal)
            called = 0
            while called < _CALLS_PER_GOAL:
                called += self._work()
        return "".join(self._lines).encode()

    def _type(self, goal: int) -> None:
        chance, draw = self._chance, self._chance.random()
        a, b, place = self._name(), self._name(), chance.choice(_PLACES)
        if goal and draw < 0.16:
            text = chance.choice(_CORRECTIONS).format(a=a, b=b, p=place)
        elif goal and draw < 0.18:
            text = chance.choice(_DIRECTIVES).format(a=a, b=b, p=place)
        elif goal and draw < 0.24:
            text = chance.choice(_PRAISE)
        else:
            text = f"{chance.choice(_ACTS)} the {a} {place} and look at {b}-{chance.randrange(1000)}"
        self._record("user", {"role": "user", "content": text})

    def _work(self) -> int:
        """Append one call, or a failure with what follows it; return the number of calls."""
        chance = self._chance
        program, name = _PROGRAMS[min(int(chance.paretovariate(0.8)), len(_PROGRAMS)) - 1], self._name()
        command = f"{program} {chance.choice(_ACTS)} {name} --{chance.choice(_PLACES)}={chance.randrange(5000)}"
        if chance.random() >= 0.05:
            self._call(command)
            return 1
        symptom = _SYMPTOMS[min(int(chance.paretovariate(0.8)), len(_SYMPTOMS)) - 1].format(a=name, b=self._name())
        self._call(f"{command} --{self._name()}", f"{program}: error: {symptom}")
        if chance.random() < 0.5:
            self._call(command)
            return 2
        return 1

    def _name(self) -> str:
        """Return a name; the usual ones most often."""
        rank = min(int(self._chance.paretovariate(0.8)), self._scope) - 1
        return _NOUNS[rank % len(_NOUNS)] + ("" if rank < len(_NOUNS) else _PLACES[rank // len(_NOUNS) % len(_PLACES)])

    def _call(self, command: str, error: str = "") -> None:
        call = f"toolu_{self._first >> 64:08d}{self._count:06d}"
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
        message: dict[str, object] = {
            "id": f"msg_{self._count}",
            "type": "message",
            "role": "assistant",
            "content": [use],
        }
        self._record("assistant", message)
        block: dict[str, object] = {"tool_use_id": call, "type": "tool_result"}
        if error:
            block |= {"content": f"Exit code 2\n{error}", "is_error": True}
            self._record("user", {"role": "user", "content": [block]}, toolUseResult=f"Error: Exit code 2\n{error}")
        else:
            start, length = self._chance.randrange(90_000), int(self._bytes * self._chance.expovariate(1))
            output = self._filler[start : start + length]
            while len(output) < length:
                output += self._filler[: length - len(output)]
            block["content"] = output
            self._record("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": "", "stderr": ""})

    def _record(self, kind: str, message: dict[str, object], **fields: object) -> None:
        self._count += 1
        self._at += timedelta(seconds=7)
        uuid = str(UUID(int=self._first + self._count))
        stamp = self._at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        more = "".join(f',"{name}":{_written(value)}' for name, value in fields.items())
        self._lines.append(
            f'{{"parentUuid":{self._last},"isSidechain":false,"userType":"external","cwd":{json.dumps(self._cwd)},'
            f'"sessionId":"{self.id}","version":"2.1.50","gitBranch":"main","type":"{kind}",'
            f'"message":{_written(message)},"uuid":"{uuid}","timestamp":"{stamp}"{more}}}\n'
        )
        self._last = f'"{uuid}"'


def _written(value: object) -> str:
    """Return a value as the agent writes it: as JSON without spaces between its parts."""
    return json.dumps(value, separators=(",", ":"))


def _write_project(folder: Path, chance: random.Random, now: datetime) -> None:
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    lines = ["# Instructions", ""]
    for step in range(3):
        for _ in range(6):
            a, b, place = chance.choice(_NOUNS), chance.choice(_NOUNS), chance.choice(_PLACES)
            lines.append(f"- {chance.choice(_DIRECTIVES[:4]).format(a=a, b=b, p=place).capitalize()}.")
        (folder / "CLAUDE.md").write_text("\n".join(lines) + "\n")
        _git(folder, "add", "CLAUDE.md")
        day = (now - timedelta(days=_DAYS * (3 - step) / 4)).astimezone(UTC).isoformat()
        _git(folder, "commit", "-q", "-m", f"Step {step}", GIT_AUTHOR_DATE=day, GIT_COMMITTER_DATE=day)


def _git(folder: Path, *arguments: str, **environment: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
    settings = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": "/usr/bin:/bin"}
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, env=settings | environment)
