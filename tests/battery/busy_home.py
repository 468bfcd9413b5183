"""A home that many commands work on at once: what they acknowledged, and what must be true of it at any moment."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tests.command_server import command_server
from wisen import app
from wisen.model.duplicate_entries import find_duplicate_entries, find_duplicate_proposals
from wisen.model.entry_state import EntryState, ProposalState, fold_proposal_states
from wisen.store.known_entries import entry_states
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.command_server import RunningCommand
    from wisen.model.change import Change
    from wisen.model.decision import RecordedDecision

LIMIT = 120.0
"""Timeout in seconds for slow machines."""
USERS_LINES = "# Shop\r\n\r\n- be kind to plums\r\n\r\n## Notes\r\n\r\nlast line, without its end"
USERS_SETTINGS = '{\n  "model": "own"\n}\n'
_RELEASE = ("npm test", "docker build -t pears:{} .", "git tag v{}", "docker push pears:{}", "kubectl rollout status")
"""A workflow, of which a skill is proposed."""
_OUR_LINE = re.compile(r"- (?P<text>.+) <!-- wisen:(?P<id>R-[0-9a-f]{8}) -->")
_PARTIAL = re.compile(r"\.wisen-\d+-\d+\.part|.*\.part(-\w+)?|.*\.db\.new-.*")
_REPAIRABLE = ("wisen doctor --repair", "wisen cycle", "wisen learn")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a home and its projects hold at one moment."""

    entries: tuple[EntryState, ...]
    proposals: dict[str, ProposalState]
    changes: tuple[Change, ...]
    decisions: tuple[RecordedDecision, ...]
    guards: dict[str, str]
    """The id of each guard, by what it watches for."""
    sessions: frozenset[str]
    duplicates: int
    notes: str
    target: str
    settings: str
    is_off: bool

    def live(self, word: str) -> int:
        """Return how many lessons that were not merged into another name this word."""
        return sum(word in each.text.split() for each in self.entries if not each.merged_into)

    def rules(self, text: str) -> int:
        """Return how many rules in force have this text."""
        return sum(each.text == text and each.is_rule and not each.merged_into for each in self.entries)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A command, and what is true once it has ended with 0."""

    words: tuple[str, ...]
    subject: str = ""
    """What it changes; no two attempts on it run at once, unless their order does not matter."""
    holds: Callable[[Seen], bool] = lambda _: True
    stdin: str = ""
    folder: str = "shop"
    retracts: str = ""
    """What was acknowledged about subjects with this text no longer needs to hold."""
    may_refuse: bool = False
    """Whether it may end with 1, because something else has decided in the meantime."""


@dataclass
class BusyHome:
    """A home with two projects: sessions and rules belong to `shop`; `yard` is what wisen is switched off in."""

    folder: Path
    first_run: Callable[[], object] | None = None
    """What reads the first sessions instead of this program."""
    written: list[str] = field(default_factory=list)
    """The sessions so far, by the agent's id."""
    forgotten: set[str] = field(default_factory=set)
    """The words that somebody tried to have forgotten."""
    acknowledged: dict[str, tuple[str, Callable[[Seen], bool]]] = field(default_factory=dict)
    """What must be true, by subject: the command that said so, and what it said."""
    ordinary_seconds: float = 0.0
    """The processor time of a `learn` with one new session and nothing to recover."""

    def __post_init__(self) -> None:
        """Write the projects and some sessions, and learn from them."""
        for name in ("shop", "yard"):
            (self.folder / name).mkdir()
            subprocess.run(["git", "init", "-q"], cwd=self.folder / name, check=True)
        self.target.write_bytes(USERS_LINES.encode())
        self.settings.parent.mkdir()
        self.settings.write_text(USERS_SETTINGS)
        for _ in range(6):
            self.add_session()
        if self.first_run is not None:
            self.first_run()
            self.ordinary_seconds = 1.0  # the first run of this program migrates the stores
            return
        assert self.run("learn").returncode == 0
        self.add_session()
        before = command_server().cpu_seconds
        assert self.run("learn").returncode == 0
        self.ordinary_seconds = command_server().cpu_seconds - before

    @property
    def home(self) -> Path:
        """Return the home itself."""
        return self.folder / "wisen"

    @property
    def target(self) -> Path:
        """Return the instruction file that rules are written to."""
        return self.folder / "shop" / "CLAUDE.md"

    @property
    def settings(self) -> Path:
        """Return the agent's settings, where hooks are installed."""
        return self.folder / ".claude" / "settings.json"

    @property
    def editor(self) -> Path:
        """Return the program that is the user's editor, if there is one."""
        return self.folder / "editor"

    def add_session(self) -> str:
        """Write a session with a lesson of its own, which is the word that this returns."""
        number = len(self.written) + 1
        start = datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(hours=number)
        log = ClaudeTranscript(number, cwd=str(self.folder / "shop"), start=start)
        log.prompt(f"release 1.{number} on staging")
        for command in _RELEASE:
            log.bash(command.format(f"1.{number}"), "done")
        log.prompt(f"add the report of module{number} to the page")
        log.bash("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", exit_code=2)
        log.bash("shopctl deploy", "deployed")
        log.prompt(f"No, never use {lesson_word(number)} in module{number}, always use spaces{number} instead.")
        log.write(self.folder / ".claude" / "projects" / "shop")
        self.written.append(log.session)
        return lesson_word(number)

    def start(self, attempt: Attempt) -> RunningCommand:
        """Start a command in its project."""
        environment = {**os.environ, "EDITOR": str(self.editor)} if self.editor.exists() else os.environ
        return command_server().start(attempt.words, environment, self.folder / attempt.folder, attempt.stdin)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return self.start(Attempt(words=words)).wait(LIMIT)

    def look(self) -> Seen:
        """Read everything, and verify each row of the ledger and the structure of the index. Raises: StoreError."""
        with app.wire().open_for_queries() as learner:
            ledger = learner.home.ledger
            ledger.check()
            moves, changes, decisions = ledger.moves.all(), learner.changes.all().changes, learner.changes.decisions()
            entries = entry_states(ledger)
            proposals = fold_proposal_states(ledger.proposals.all(), moves)
            guards = {each.watch: each.id for each in ledger.guards.all()}
        doubled = find_duplicate_entries(entries, moves)
        with closing(sqlite3.connect(self.home / "index.db")) as index:
            sessions = {str(native) for (native,) in index.execute("SELECT native FROM sessions")}
            assert index.execute("PRAGMA quick_check").fetchall() == [("ok",)], "the index is damaged"
        return Seen(
            entries=entries,
            proposals={each.proposal.id: each for each in proposals},
            changes=tuple(changes),
            decisions=decisions,
            guards=guards,
            sessions=frozenset(sessions),
            duplicates=len(doubled) + len(find_duplicate_proposals(proposals, doubled)),
            notes="".join(each.read_text() for each in self.home.glob("contexts/*/memory/*.md")),
            target=self.target.read_bytes().decode(),
            settings=self.settings.read_text(),
            is_off=(self.folder / "yard" / ".wisen-off").exists(),
        )

    def problems(self) -> list[str]:
        """Return what is torn, doubled or lost; nothing is repaired by looking."""
        seen = self.look()
        found = [f"lost: {said}" for said, holds in self.acknowledged.values() if not holds(seen)]
        found += _target_problems(seen)
        if seen.duplicates:
            found.append(f"{seen.duplicates} lessons or questions are recorded twice")
        for number in range(1, len(self.written) + 1):
            word = lesson_word(number)
            if seen.live(word) > 1:
                found.append(f"the lesson about {word} has {seen.live(word)} entries")
        hooks = json.loads(seen.settings).get("hooks")
        if seen.settings != USERS_SETTINGS and not hooks:
            found.append(f"half-edited settings: {seen.settings!r}")
        return found

    def recover(self) -> list[str]:
        """Learn as on any other day; return what is wrong then, or took too long."""
        before = command_server().cpu_seconds
        result = self.run("learn")
        seconds = command_server().cpu_seconds - before
        found = [] if result.returncode == 0 else [f"learn ends with {result.returncode}: {result.stderr}"]
        # In processor time: what else the machine does says nothing about a recovery.
        if seconds > self.ordinary_seconds * 3 + 1:
            found.append(f"recovery took {seconds:.1f} s, an ordinary run {self.ordinary_seconds:.1f} s")
        seen = self.look()
        found += [f"{each} was never learned" for each in self.written if each not in seen.sessions]
        for number in range(1, len(self.written) + 1):
            word = lesson_word(number)
            if word not in self.forgotten and seen.live(word) != 1:
                found.append(f"the lesson about {word} has {seen.live(word)} entries")
        return found + self.illnesses()

    def illnesses(self) -> list[str]:
        """Return what the doctor finds and names no repair of."""
        findings = json.loads(self.run("doctor", "--json").stdout)["findings"]
        return [
            f"doctor: {each['about']}: {each['says']}"
            for each in findings
            if each["health"] == "bad" and not any(step in each["next_step"] for step in _REPAIRABLE)
        ]

    def partial_files(self) -> list[Path]:
        """Return the temporary files that are left in the home, the projects and the agent's folder."""
        places = chain.from_iterable(os.walk(self.folder / name) for name in ("wisen", "shop", "yard", ".claude"))
        return [Path(place, name) for place, _, names in places for name in names if _PARTIAL.fullmatch(name)]

    def leftovers(self) -> list[str]:
        """Return the temporary files that the next run of each kind leaves, though they are old."""
        for each in self.partial_files():
            os.utime(each, (0, 0))
        self.add_session()
        for words, folder in (("cycle", "shop"), ("off", "yard"), ("on", "yard")):
            self.start(Attempt(words=(words,), folder=folder)).wait(LIMIT)
        return [f"left behind: {each.relative_to(self.folder)}" for each in self.partial_files()]


def lesson_word(number: int) -> str:
    """Return the word that only the lesson of this session holds."""
    return f"tabs{number}"


def _target_problems(seen: Seen) -> list[str]:
    """Return what is wrong with the instruction file: a line of the user's is changed, or one of ours is torn."""
    lines = seen.target.split("\r\n")
    users = [each for each in lines if each in USERS_LINES.split("\r\n") and each]
    found = []
    if users != [each for each in USERS_LINES.split("\r\n") if each]:
        found.append(f"the user's lines are not as they were: {seen.target!r}")
    ours = [each for each in lines if each and each not in users and not each.startswith("## ")]
    known = {each.text for each in seen.entries} | {each.proposal.text for each in seen.proposals.values()}
    matches = [_OUR_LINE.fullmatch(each) for each in ours]
    found += [
        f"torn: {line!r}" for line, match in zip(ours, matches, strict=True) if not match or match["text"] not in known
    ]
    ids = [match["id"] for match in matches if match]
    if len(ids) != len(set(ids)):
        found.append(f"a rule is written twice: {seen.target!r}")
    return found
