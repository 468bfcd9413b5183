"""Files are judged again only where something changed, and the findings are those of judging everything."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wisen
from wisen.blame.chance import MAX_CHANCE, MIN_SESSIONS, PLACEBOS, binomial_tail, is_rare_at_placebos
from wisen.blame.file_sessions import FileSessions, JudgedFold, load_fold
from wisen.blame.instruction_files import InstructionFiles
from wisen.blame.judge_files import judge_files, with_stored_history
from wisen.blame.stored_judgements import StoredJudgement, build_judgement, load_judgements
from wisen.edits.user_files import UserFiles
from wisen.mining.call_words import has_call_with, summarize_calls
from wisen.model.error_boundaries import ErrorBoundaries
from wisen.model.history import History, Step
from wisen.testing.transcripts import ClaudeTranscript

from .test_blame import AFTER, BEFORE, BEGAN, CHANGED, NOW, write_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.learner import Learner
    from wisen.model.instruction import InstructionFile

pytestmark = pytest.mark.requirement("X4")
PROJECTS = ("shop", "shop/api", "farm")
LINES = ("Always prefix commands with `rtk`.", "Never use `npm`.", "Keep `docs/old.md`.", "Run `bun test`.", "Hello.")
COMMANDS = ("rtk bun test", "npm install", "bun test", "cat docs/old.md", "ls")


def write_at(file: Path, text: str, days: float) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    at = (BEGAN + timedelta(days=days)).timestamp()
    os.utime(file, (at, at))


class World:
    """A user with projects, sessions and instruction files."""

    def __init__(self, home: Path) -> None:
        self.home, self._numbers, self._sessions = home, count(100), dict[int, list[str]]()
        self._environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        for project in PROJECTS:
            (home / "work" / project).mkdir(parents=True, exist_ok=True)
        shop = home / "work" / "shop" / "CLAUDE.md"
        write_at(shop, BEFORE, -1)
        write_sessions(home / ".claude" / "projects" / "p", shop.parent)
        with self.open() as learner:
            learner.learn()
            write_at(shop, AFTER, (CHANGED - BEGAN).days)
            learner.learn()

    def open(self) -> Learner:
        """Open a learner of this user."""
        return wisen.open_learner(self.home / "wisen", environment=self._environment)

    def extend_session(self, number: int, project: str, command: str, *, fails: bool) -> None:
        """Append a call to a session, which may be new."""
        calls = self._sessions.setdefault(number, [])
        calls.append(f"{command}\0{int(fails)}")
        cwd = str(self.home / "work" / project)
        session = ClaudeTranscript(100 + number, cwd=cwd, start=BEGAN + timedelta(hours=37 * number))
        session.prompt("go on")
        for each in calls:
            line, _, failed = each.partition("\0")
            error = "error: unrecognized subcommand 'bun'\n\nUsage: rtk <COMMAND>"
            session.bash(line, error if int(failed) else "ok", exit_code=2 * int(failed))
        session.write(self.home / ".claude" / "projects" / "q")

    def remove_session(self, learner: Learner, number: int) -> None:
        """Delete a session from the index."""
        native = ClaudeTranscript(100 + number).session
        learner.home.index.removal.remove_sessions({("claude-code", native, 0)})
        self._sessions.pop(number, None)

    def edit_file(self, project: str, lines: Sequence[int], days: float) -> None:
        """Write the instruction file of a project, or that of all; without lines, delete it."""
        folder = self.home / "work" / project if project else self.home / ".claude"
        if lines:
            write_at(folder / "CLAUDE.md", "\n".join(LINES[each] for each in lines), days)
        else:
            (folder / "CLAUDE.md").unlink(missing_ok=True)


def judge_from_scratch(learner: Learner, home: Path) -> list[StoredJudgement]:
    """What all files are judged to be if nothing was judged before, without the marks of the files."""
    found = InstructionFiles(home, {}).files(sorted({each.path for each in learner.projects.active_aliases()}))
    by_root: dict[str, list[InstructionFile]] = {}
    for file in found:
        by_root.setdefault(file.root, []).append(with_stored_history(learner.projects, file))
    sessions = FileSessions(learner.home, 0, JudgedFold())
    blames = [blame for root, files in by_root.items() for blame in sessions.judge(root, files)[0]]
    return [build_judgement(UserFiles(), each, "") for each in sorted(blames, key=lambda each: each.file.path)]


def judged_files(learner: Learner) -> list[StoredJudgement]:
    """What is stored about all files, without the marks of the files."""
    stored = load_judgements(learner.home, UserFiles())
    assert stored is not None
    return [StoredJudgement(each.digest, each.judged, each.root, "", each.lines) for each in stored[1]]


SESSION = st.tuples(
    st.just("session"), st.integers(0, 30), st.sampled_from(PROJECTS), st.sampled_from(COMMANDS), st.booleans()
)
REMOVAL = st.tuples(st.just("removal"), st.integers(0, 30))
EDIT = st.tuples(
    st.just("edit"),
    st.sampled_from(("", *PROJECTS)),
    st.lists(st.integers(0, len(LINES) - 1), max_size=4),
    st.floats(0, 60),
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.lists(st.one_of(SESSION, SESSION, REMOVAL, EDIT), min_size=1, max_size=3), max_size=6))
def test_judging_what_changed_finds_what_judging_everything_finds(
    steps: list[list[tuple[Any, ...]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    world = World(tmp_path_factory.mktemp("user"))
    with world.open() as learner:
        for changes in [*steps, [("session", 1, "shop", "ls", False)]]:
            for kind, *values in changes:
                if kind == "session":
                    number, project, command, fails = values
                    world.extend_session(number, project, command, fails=fails)
                elif kind == "removal":
                    world.remove_session(learner, *values)
                else:
                    world.edit_file(*values)
            learner.learn(judge=True)
            assert judged_files(learner) == judge_from_scratch(learner, world.home)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


class RecordedInstructions(InstructionFiles):
    """Instruction files that record what was looked for."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, {})
        self.searched: list[str] = []
        self.read: list[str] = []

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """Record the directories."""
        self.searched += [Path(root).name for root in roots]
        return super().files(roots)

    def file(self, path: Path) -> InstructionFile:
        """Record the file."""
        self.read.append(path.parent.name)
        return super().file(path)


def judge(learner: Learner, home: Path) -> RecordedInstructions:
    instructions = RecordedInstructions(home)
    judge_files(learner.projects, UserFiles(), instructions, ErrorBoundaries(), search_all=False)
    return instructions


def test_only_projects_with_changed_sessions_and_changed_files_are_looked_at(world: World) -> None:
    with world.open() as learner:
        for number, project in enumerate(PROJECTS):
            world.extend_session(number, project, "npm install", fails=False)
            world.edit_file(project, [0, 1], 5)
        learner.learn()
        again = judge(learner, world.home)
        assert (again.searched, again.read) == ([], [])
        world.edit_file("farm", [0, 1, 2], 6)
        again = judge(learner, world.home)
        assert (again.searched, again.read) == ([], ["farm"])
        world.extend_session(50, "farm", "npm install", fails=False)
        learner.learn(judge=False)
        again = judge(learner, world.home)
        assert (again.searched, again.read) == (["farm"], [])


def test_rules_of_all_files_are_returned_whether_or_not_they_were_judged_again(world: World) -> None:
    with world.open() as learner:
        for project in PROJECTS:
            world.extend_session(PROJECTS.index(project), project, "npm install", fails=False)
            world.edit_file(project, [0, 1], 5)
        learner.learn()
        world.extend_session(50, "farm", "npm install", fails=False)
        learner.learn(judge=False)
        blames = judge_files(
            learner.projects, UserFiles(), InstructionFiles(world.home, {}), ErrorBoundaries(), search_all=False
        )
        rules = [(Path(blame.file.root).name, each.line.text) for _, blame in blames for each in blame.effects]
        assert rules == [(Path(name).name, line) for name in ("farm", "shop", "shop/api") for line in LINES[:2]]


def test_what_a_damaged_or_lost_fold_counted_is_counted_again(world: World) -> None:
    with world.open() as learner:
        before = judged_files(learner)
        assert load_fold(learner.home.index)[1].roots
        learner.home.index.folds.clear()
        world.extend_session(1, "farm", "ls", fails=False)
        learner.learn()
        assert judged_files(learner) == before == judge_from_scratch(learner, world.home)
        from wisen.store.folds import Fold

        for value in ("", "[]", '{"roots": {"": 1}}', '{"page": 7}'):
            learner.home.index.folds.save("instruction files", "1", Fold(1, value))
            assert load_fold(learner.home.index) == (0, JudgedFold())


def test_sessions_that_were_mined_before_calls_were_summarized_are_summarized_when_files_are_judged(
    world: World,
) -> None:
    with world.open() as learner:
        before, blame = judged_files(learner), learner.blame.get(world.home / "work/shop/CLAUDE.md")
    import sqlite3

    with sqlite3.connect(world.home / "wisen" / "index.db") as index:
        index.execute("DELETE FROM called")
        index.execute("DELETE FROM call_words")
    index.close()
    with world.open() as learner:
        assert learner.blame.get(world.home / "work/shop/CLAUDE.md") == blame
        assert not learner.home.index.calls.missing()
        world.extend_session(1, "farm", "ls", fails=False)
        learner.learn()
        assert judged_files(learner) == before


def test_a_session_that_began_too_long_ago_does_not_count(world: World) -> None:
    with world.open() as learner:
        number = learner.blame.get(world.home / "work/shop/CLAUDE.md").sessions
        late = ClaudeTranscript(99, cwd=str(world.home / "work/farm"), start=BEGAN + timedelta(days=401))
        late.bash("ls", "x")
        late.write(world.home / ".claude" / "projects" / "q")
        learner.learn()
        assert learner.blame.get(world.home / "work/shop/CLAUDE.md").sessions < number
        assert judged_files(learner) == judge_from_scratch(learner, world.home)
        native = ClaudeTranscript(99).session
        learner.home.index.removal.remove_sessions({("claude-code", native, 0)})
        learner.learn(judge=True)
        assert learner.blame.get(world.home / "work/shop/CLAUDE.md").sessions == number
        assert judged_files(learner) == judge_from_scratch(learner, world.home)


WORDS = st.text(alphabet="ab/. '\"\\\n\x1c\x1f", max_size=7)


def _names_of(path: str) -> Iterator[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")][-7:]
    for first in range(len(parts)):
        for last in range(first + 1, len(parts) + 1):
            yield "/".join(parts[first:last])


@given(paths=st.lists(WORDS, min_size=1, max_size=4), name=WORDS)
def test_a_name_is_found_in_a_call_with_all_its_words(paths: list[str], name: str) -> None:
    import msgspec

    steps = tuple(
        Step(
            call=f"c{number}",
            tool="Read",
            arguments=msgspec.json.encode({"file_path": path}).decode(),
            status=None,
            text=None,
            at=NOW,
        )
        for number, path in enumerate(paths)
    )
    calls = [{"Read", *_names_of(re.sub("[\x1c-\x1f]", "\ufffd", path))} for path in paths]
    found = has_call_with(summarize_calls(History(session=1, steps=steps), ()).calls, name.split())
    assert found == any(set(name.split()) <= words for words in calls)


@given(
    failures=st.lists(st.sets(st.integers(0, 39), max_size=25).map(sorted), max_size=6),
    first=st.integers(1, 39),
    width=st.integers(1, 39),
    chance=st.floats(1e-12, 0.01),
)
def test_placebo_dates_are_counted_as_if_one_by_one(
    failures: list[list[int]], first: int, width: int, chance: float
) -> None:
    sessions, span = 40, range(first, min(first + width, 40))

    def chance_at(failing: list[int], date: int) -> float:
        before = sum(number < date for number in failing)
        after = sum(date <= number < date + len(span) for number in failing)
        if max(before, after) < MIN_SESSIONS:
            return 1.0
        of_after = min(len(span), sessions - date)
        share = of_after / (date + of_after)
        return min(binomial_tail(after, before + after, share), binomial_tail(before, before + after, 1 - share))

    dates = [date for date in range(3, sessions - 3) if abs(date - first) >= 3]
    placebos = [chance_at(failing, date) for failing in failures for date in dates]
    rare = len(placebos) >= PLACEBOS and sum(each <= chance for each in placebos) <= MAX_CHANCE * len(placebos)
    assert is_rare_at_placebos(failures, sessions, span, chance) == rare
