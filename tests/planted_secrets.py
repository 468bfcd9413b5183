"""Plants unique words in every kind of place below a home, and searches every byte for them, even compressed ones."""

from __future__ import annotations

import gzip
import io
import random
import sqlite3
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import zstandard
from ahocorasick_rs import AhoCorasick
from msgspec import structs

from tests.ownership import adopt
from wisen.learner import Learner
from wisen.model.entry import Answer, ManualEntry, MoveKind, ProposalType
from wisen.model.guard import Mode
from wisen.testing.entries_contract import a_proposal
from wisen.testing.transcripts import ClaudeTranscript

_BEGIN = 3
"""So many letters of a term may stand in a segment of FTS5 only once, for all terms that begin with them."""


class Facts:
    """Unique words, by the kind of place they are planted in."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.of: dict[str, list[str]] = {}

    def new(self, place: str) -> str:
        """A word for a place; it is not changed by stemming."""
        letters = "bcdfghjklmnpqrtvwz"
        word = "".join(self._chance.choice(letters) + self._chance.choice("aou") for _ in range(6)) + "x"
        self.of.setdefault(place, []).append(word)
        return word

    def all(self) -> list[str]:
        return [word for words in self.of.values() for word in words]


class Planter:
    """Writes logs and files of one project, and what a person and programs do with a Learner."""

    def __init__(self, home: Path, project: Path, facts: Facts, first: int = 0) -> None:
        self.home, self.project, self.facts = home, project, facts
        self._number = first
        self.own = ""
        """What the user wrote into their file."""
        project.mkdir(exist_ok=True)

    def session(self) -> ClaudeTranscript:
        self._number += 1
        start = datetime(2026, 3, 1, 8, 0, tzinfo=UTC) + timedelta(minutes=7 * self._number)
        return ClaudeTranscript(self._number, cwd=str(self.project), start=start)

    def write(self, log: ClaudeTranscript) -> None:
        log.write(self.home / ".claude" / "projects" / str(self.project).replace("/", "-"))

    def write_logs(self, sessions: int) -> None:
        """Sessions with a fact in each kind of event: they become lessons, fixes, goals, summaries and days."""
        new = self.facts.new
        for _ in range(sessions):
            log = self.session()
            log.prompt(f"build the {new('request')} page")
            log.bash(f"make {new('argument')} --wait", f"error: unknown option '--wait' {new('failure')}", exit_code=2)
            log.bash(f"make {new('worked')}", "made")
            log.prompt(f"no, from now on always use {new('correction')} instead of npm")
            log.reject(log.call("Bash", command=f"rm {new('rejected')}"), f"never remove {new('reason')} by hand")
            log.queue("enqueue", f"remember that the {new('queued')} is on the third floor")
            log.queue("remove")
            log.call("Edit", file_path="a.py", edits=[{"new": f'one\n"{new("nested")}"\ttwo'}])
            log.prompt(f"please remember: we deploy {new('remember')} on Tuesdays")
            log.bash("make test", "ok")
            log.prompt(f"thanks, perfect, that {new('praise')} works")
            self.write(log)

    def write_files(self, many: int) -> None:
        """Files of the user and of other systems, which are read and never written."""
        new = self.facts.new
        lines = "".join(f"- Mind the {new('instruction')}.\n" for _ in range(many))
        self.own = f"# Shop\n\n{lines}"
        (self.project / "CLAUDE.md").write_text(self.own)
        notebook = self.home / ".claude" / "projects" / str(self.project).replace("/", "-") / "memory" / "MEMORY.md"
        notebook.parent.mkdir(parents=True, exist_ok=True)
        notebook.write_text("".join(f"## {new('heading')}\n\nThe {new('notebook')} is blue.\n\n" for _ in range(many)))
        (self.project / ".learnings").mkdir(exist_ok=True)
        (self.project / ".learnings" / "LEARNINGS.md").write_text(
            "".join(
                f"## [LRN-20200301-{number:03d}] insight\n\n### Summary\n"
                f"Put {new('imported')} before {new('imported')} in {new('imported')}.\n\n---\n\n"
                for number in range(many)
            )
        )

        adopt(self.project / ".learnings" / "LEARNINGS.md")

    def record_statements(self, learner: Learner, many: int) -> None:
        """Record what people and programs tell a Learner."""
        new, context = self.facts.new, learner.contexts.key_of(self.project)
        other = self.project / "notes.txt"
        other.write_text("mine\n")
        for _ in range(many):
            learner.lessons.log(ManualEntry("insight", f"The {new('logged')} is cold.", context))
            learner.lessons.log(ManualEntry("insight", f"The {new('everywhere')} is warm."))
            worded = learner.lessons.log(ManualEntry("insight", f"The {new('worded')} is old.", context))
            learner.lessons.decide(worded.name, MoveKind.TEXT, f"The {new('reworded')} is old.")
            learner.memory.add_note(f"the {new('note')} came late", self.project)
            failure = learner.records.record_failure(
                tool="deploy",
                error=f"no such {new('record')}",
                arguments={"to": new("recorded argument")},
                place=self.project,
            )
            learner.records.record_resolution(failure, f"use {new('resolution')}")
            learner.records.record_insight(f"the {new('insight')} is fast")
            learner.changes.register(other, f"put {new('registered')} in", f"because of {new('why')}")

    def add_guards(self, learner: Learner, many: int) -> None:
        """Guards that the user wrote, with the user's decisions about them, and a proposal to make one stricter."""
        new = self.facts.new
        for _ in range(many):
            text = f"deny make {new('guarded')} -> make {new('better')} # the {new('guard reason')} is slow"
            guard = learner.guards.add(text, self.project).guard
            learner.guards.set_mode(guard.id, Mode.WARN, why=f"the {new('guard move')} says so")
            offered = structs.replace(
                a_proposal(f"P{guard.id}", guard.id),
                type=ProposalType.GUARD,
                text=f"ask make {new('guard proposal')}",
                context=guard.context,
                at=datetime.now(UTC),
            )
            learner.home.ledger.entries.record([offered])

    def approve_rules(self, learner: Learner, many: int) -> None:
        """Rules that the user approved: they are in the user's file, with their inverses in the ledger."""
        for asked in [each for each in learner.proposals.all() if each.is_waiting][:many]:
            learner.proposals.answer(asked.proposal.id, Answer.APPROVED)
        learner.rules.write_learnings(self.project)

    def write_outputs(self, home: Path, many: int) -> None:
        """What stands beside the stores: reports, notes of hooks, an index that was set aside."""
        (home / "reports").mkdir(exist_ok=True)
        (home / "spool").mkdir(exist_ok=True)
        (home / "snapshots" / "pins").mkdir(parents=True, exist_ok=True)
        for number in range(many):
            (home / "reports" / f"{number}.html").write_text(f"<p>the &quot;{self.facts.new('page')}&quot; is up</p>")
            (home / "reports" / f"{number}.md").write_text(f"# Day\n\n- the {self.facts.new('report')} is up\n- mine\n")
            note = f'{{"event":"wish","kind":"forget","of":"{self.facts.new("spool")}"}}\n'
            (home / "spool" / f"{number}.jsonl").write_text(note)
            snapshot = f'{{"block":"the {self.facts.new("snapshot")} is up"}}'
            (home / "snapshots" / f"old{number}.json").write_text(snapshot)
            (home / "snapshots" / "pins" / f"s{number}.json").write_text(f'{{"digest":"old{number}"}}')
        (home / "index.db.damaged-20260301T000000000000").write_text(f"garbled {self.facts.new('aside')} bytes")


def find_residues(home: Path, words: Iterable[str]) -> dict[str, set[str]]:
    """Find the files that contain these words in any byte: packed, compressed, or as a search term."""
    wanted = [*words]
    tails = AhoCorasick([word[_BEGIN:] for word in wanted])
    found: dict[str, set[str]] = {}
    for name, data in _contents(home):
        for number, *_ in tails.find_matches_as_indexes(data.decode("latin-1").lower(), overlapping=True):
            found.setdefault(wanted[number], set()).add(name)
    for word in _terms(home) & {*wanted}:
        found.setdefault(word, set()).add("terms of the search")
    return found


def _contents(home: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(home.rglob("*")):
        if path.is_file():
            name, data = str(path.relative_to(home)), path.read_bytes()
            yield name, data
            yield from ((f"{name} unpacked", each) for each in _unpacked(data))


def _unpacked(data: bytes) -> Iterator[bytes]:
    """What a file holds where it is compressed: objects of git, gzip, zstd, zip."""
    with suppress(zlib.error):
        yield zlib.decompress(data)
    with suppress(OSError, EOFError, zlib.error):
        yield gzip.decompress(data)
    with suppress(zstandard.ZstdError):
        yield zstandard.ZstdDecompressor().decompressobj().decompress(data)
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as archive:
        yield from map(archive.read, archive.namelist())


def _terms(home: Path) -> set[str]:
    with closing(sqlite3.connect(home / "index.db")) as db:
        db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, memory_words, row)")
        return {str(term) for (term,) in db.execute("SELECT term FROM temp.terms")}
