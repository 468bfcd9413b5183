"""The index contract for every implementation, and what only a file-backed index guarantees."""

from __future__ import annotations

import sqlite3
import string
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.sizes import size
from wisen.errors import StoreDamaged, StoreNewer
from wisen.model.event import MessageOrigin, Status
from wisen.model.index_batch import IndexBatch
from wisen.model.report import Selection
from wisen.model.source import ReadProblem, ReadProblemKind
from wisen.store.index import Index
from wisen.store.index_deletion import delete_sessions
from wisen.store.memories import Memories
from wisen.store.recorded_calls import CallWords
from wisen.store.sqlite_index import SqliteIndex, open_index
from wisen.system.clock import SystemClock
from wisen.testing.events_contract import EventsContract
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.fake_memories import PlainMemories
from wisen.testing.fake_miner import mine, mine_all
from wisen.testing.findings_contract import FindingsContract
from wisen.testing.histories_contract import HistoriesContract
from wisen.testing.index_removal_contract import IndexRemovalContract
from wisen.testing.log_writer import NOON, Log
from wisen.testing.memories_contract import MemoriesContract
from wisen.testing.mining_contract import MiningContract
from wisen.testing.model_uses_contract import ModelAnswersContract
from wisen.testing.signals_contract import SignalsContract
from wisen.testing.workflow_runs_contract import WorkflowRunsContract

pytestmark = pytest.mark.requirement("S19")


def open_sound(file: Path) -> SqliteIndex:
    """The index in a file that needs no warning."""
    index, warning = open_index(file, clock=SystemClock())
    assert warning is None
    return index


class TestMemoryIndex(
    EventsContract,
    HistoriesContract,
    MiningContract,
    FindingsContract,
    SignalsContract,
    IndexRemovalContract,
    ModelAnswersContract,
    WorkflowRunsContract,
):
    @pytest.fixture
    def index(self) -> Index:
        return MemoryIndex()

    @pytest.fixture
    def reopen(self, index: Index) -> Callable[[], Index]:
        return lambda: index


class TestPlainMemories(MemoriesContract):
    @pytest.fixture
    def memories(self) -> Memories:
        return PlainMemories()

    @pytest.fixture
    def again(self, memories: Memories) -> Callable[[], Memories]:
        return lambda: memories


class TestSqliteMemories(MemoriesContract):
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        return tmp_path / "index.db"

    @pytest.fixture
    def memories(self, file: Path) -> Iterator[Memories]:
        index = open_sound(file)
        yield index.memories
        index.close()

    @pytest.fixture
    def again(self, file: Path, memories: Memories) -> Iterator[Callable[[], Memories]]:
        opened: list[SqliteIndex] = []

        def new_memories() -> Memories:
            opened.append(open_sound(file))
            return opened[-1].memories

        yield new_memories
        for index in opened:
            index.close()


class TestSqliteIndex(
    EventsContract,
    HistoriesContract,
    MiningContract,
    FindingsContract,
    SignalsContract,
    IndexRemovalContract,
    ModelAnswersContract,
    WorkflowRunsContract,
):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[Index]:
        index = open_sound(tmp_path / "index.db")
        yield index
        index.close()

    @pytest.fixture
    def reopen(self, index: Index, tmp_path: Path) -> Iterator[Callable[[], Index]]:
        opened: list[Index] = []

        def again() -> Index:
            index.close()
            opened.append(open_sound(tmp_path / "index.db"))
            return opened[-1]

        yield again
        for each in opened:
            each.close()


few = st.sampled_from(string.ascii_lowercase[:4])
paths = st.sampled_from(["/a/x.jsonl", "/a/y.jsonl", "/ab/x.jsonl", "/a.jsonl"])
places = st.sampled_from(["/src", "/src/tool", "/src/tools", ""])
minutes = st.integers(0, 6)


@st.composite
def batches(draw: st.DrawFn) -> IndexBatch:
    """A log of few names, so that ids, sessions and calls meet."""
    log = Log(
        draw(paths), draw(few), agent=draw(st.sampled_from(["claude-code", "codex"])), context=draw(st.none() | few)
    )
    for _ in range(draw(st.integers(0, 6))):
        log.place = draw(places)
        name, minute = draw(few), draw(minutes)
        kind = draw(st.sampled_from(["typed", "call", "end", "reject", "interrupt", "concede"]))
        if kind == "typed":
            log.typed(f"m{name}", minute, draw(st.sampled_from(MessageOrigin)))
        elif kind == "call":
            log.call(name, minute, tool=draw(st.sampled_from(["Bash", "Edit"])), arguments=draw(st.none() | few))
        elif kind == "end":
            status = draw(st.sampled_from(Status))
            text = draw(st.sampled_from(["oh", "no", None]))
            log.end(name, status, minute, text if status in (Status.FAILED, Status.MASKED) else None)
        elif kind == "reject":
            log.reject(name, minute)
        elif kind == "concede":
            log.concede(f"a{name}", minute)
        else:
            log.interrupt(f"i{name}", draw(st.none() | few), minute)
    kinds = draw(st.lists(st.sampled_from(ReadProblemKind), max_size=3))
    problems = [ReadProblem(kind=kind, detail=draw(few), offset=draw(minutes)) for kind in kinds]
    return log.batch(*problems, cursor=draw(few), from_start=draw(st.booleans()))


def standing(index: Index) -> dict[tuple[str, int], tuple[int, int, bool]]:
    """Where the evidence of fixes stands, without the numbers of revisions."""
    return {key: (each.tries, each.failing, each.revision < 0) for key, each in index.fix_marks.all().items()}


@given(
    batches=st.lists(st.tuples(st.lists(batches(), max_size=3), st.integers(0, 3)), max_size=5),
    since=st.none() | minutes,
    under=st.none() | paths,
    agent=st.none() | st.just("codex"),
    place=st.lists(places, max_size=2),
)
@pytest.mark.sized
@settings(max_examples=size(60, 150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_sql_answers_like_plain_python(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[tuple[list[IndexBatch], int]],
    since: int | None,
    under: str | None,
    agent: str | None,
    place: list[str],
) -> None:
    file, plain = open_sound(tmp_path_factory.mktemp("index") / "index.db"), MemoryIndex()
    moment, folder = None if since is None else Log("/x").at(since), None if under is None else Path(under).parent
    selections = [Selection(), Selection(under=folder, agent=agent), Selection(since=moment, under=folder, agent=agent)]
    selections += [replace(selection, places=tuple(place)) for selection in selections]
    selections += [replace(selection, sessions=frozenset({1, 3})) for selection in selections]
    try:
        for batch, many in batches:
            before = file.folds.revision(), plain.folds.revision()
            assert file.events.store(batch) == plain.events.store(batch)
            # Some sessions are mined as they are now, and the rest are left for another time.
            waiting, expected = list(file.findings.take_unmined(1)), list(plain.findings.take_unmined(1))
            assert waiting == expected
            for index in (file, plain):
                index.findings.store_findings([mine(history) for history in waiting[:many]], 1)
            mined = frozenset(history.session for history in waiting[:many])
            assert file.folds.changed_sessions(before[0]) == plain.folds.changed_sessions(before[1]) == mined
            for selection in selections:
                assert file.events.counts(selection) == plain.events.counts(selection)
            assert file.recorded_calls.unmined_sessions() == plain.recorded_calls.unmined_sessions()
            assert (
                file.recorded_calls.last_event()
                == plain.recorded_calls.last_event()
                == plain.events.counts(Selection()).last
            )
            assert file.recorded_calls.count_sessions(moment) == plain.recorded_calls.count_sessions(moment)
            assert standing(file) == standing(plain)
            assert file.findings.fixes(Selection()) == plain.findings.fixes(Selection())  # what is kept is added to
        for selection in selections:
            assert list(file.events.histories(selection)) == list(plain.events.histories(selection))
            assert file.findings.failures(selection) == plain.findings.failures(selection)
            assert file.findings.failures(selection, alive=Log("/x").at(3)) == plain.findings.failures(
                selection, alive=Log("/x").at(3)
            )
            assert file.findings.fixes(selection) == plain.findings.fixes(selection)
            assert list(file.findings.goals(selection)) == list(plain.findings.goals(selection))
            assert file.findings.signals(selection) == plain.findings.signals(selection)
            assert file.events.read_problems(selection) == plain.events.read_problems(selection)
        assert file.recorded_calls.count_sessions() == len(list(plain.events.histories(Selection())))
        assert list(file.recorded_calls.find([CallWords(())])) == list(plain.recorded_calls.find([CallWords(())]))
        named = [(each, id_) for each in ("claude-code", "codex") for id_ in ("c1", "c2", "a", "b")]
        assert file.recorded_calls.sessions_of(named) == plain.recorded_calls.sessions_of(named)
        for fix in plain.findings.fixes(Selection()):
            assert file.findings.evidence(fix.id) == plain.findings.evidence(fix.id)
            attempts = [sorted(index.fix_marks.attempts({fix.id})) for index in (file, plain)]
            assert attempts[0] == attempts[1]
            assert {each.fix for each in attempts[0]} == {fix.id}
        ids = [fix.id for fix in plain.findings.fixes(Selection())]
        assert sorted(file.fix_marks.attempts(ids)) == sorted(plain.fix_marks.attempts(ids))
        assert file.fix_examples.newest(ids) == plain.fix_examples.newest(ids)
        numbers = sorted({session for session, _ in plain.runs.contexts_of()} | {1, 2})
        assert file.fix_examples.in_sessions(numbers) == plain.fix_examples.in_sessions(numbers)
        assert sorted(file.sessions.typed_texts()) == sorted(plain.sessions.typed_texts())
        for words in ((), ({"a"},), ({"1", "c"}, {"b"})):
            ended = []
            for index in (file, plain):
                calls = [*index.sessions.calls_with(words)]
                outcomes = index.sessions.outcomes_of([each.number for each in calls])
                ended.append(sorted((*each[1:], str(outcomes.get(each.number))) for each in calls))
            assert ended[0] == ended[1]
        for name in ("claude-code", "codex"):
            assert file.events.marks(name) == plain.events.marks(name)
    finally:
        file.close()


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    good, bad = Log("/a.jsonl", "s1"), Log("/b.jsonl", "s2")
    good.typed("m1")
    bad.typed("m2")
    impossible = bad.batch(ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=2**70))
    with pytest.raises(OverflowError):
        index.events.store([good.batch(), impossible])
    assert index.events.counts(Selection()).sources == 0
    assert index.events.store([good.batch(), bad.batch()]) == 2
    assert index.events.counts(Selection()).sessions == 2
    index.close()


def test_two_processes_fill_one_index_and_count_nothing_twice(tmp_path: Path) -> None:
    first, second = open_sound(tmp_path / "index.db"), open_sound(tmp_path / "index.db")
    one, two = Log("/a.jsonl", "s1"), Log("/b.jsonl", "s2", context="other")
    one.typed("m1")
    two.typed("m1")
    two.typed("m2")
    assert first.events.store([one.batch()]) == 1
    assert second.events.store([two.batch()]) == 1
    assert first.events.store([two.batch()]) == 0
    assert first.events.counts(Selection()) == second.events.counts(Selection())
    first.close()
    second.close()


@pytest.mark.requirement("X10")
def test_who_opens_an_index_does_not_mind_that_others_close_it_at_that_moment(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    open_index(path, clock=SystemClock())[0].close()

    def open_again_and_again(_: int) -> list[str | None]:
        warnings = []
        for _ in range(250):
            index, warning = open_index(path, clock=SystemClock())
            assert index.sessions.last_active() is None
            index.close()  # the last one to close it removes the log
            warnings.append(warning)
        return warnings

    with ThreadPoolExecutor(3) as pool:
        assert set(chain(*pool.map(open_again_and_again, range(3)))) == {None}


def test_a_damaged_index_is_set_aside_and_never_blocks(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    file.write_bytes(b"no database at all " * 500)
    before = file.read_bytes()
    index, warning = open_index(file, clock=SystemClock())
    assert warning is not None
    (aside,) = tmp_path.glob("index.db.damaged-*")
    assert str(aside) in warning
    assert aside.read_bytes() == before
    log = Log("/a.jsonl")
    log.typed("m1")
    assert index.events.store([log.batch()]) == 1
    index.check()
    index.close()
    open_sound(file).close()


def test_an_older_file_set_aside_is_never_overwritten(tmp_path: Path) -> None:
    class Stopped(SystemClock):
        def now(self) -> datetime:
            return datetime(2026, 3, 1, tzinfo=UTC)

    for content in (b"first", b"second", b"third"):
        (tmp_path / "index.db").write_bytes(content)
        open_index(tmp_path / "index.db", clock=Stopped())[0].close()
    aside = sorted(tmp_path.glob("index.db.damaged-*"))
    assert [file.read_bytes() for file in aside] == [b"first", b"second", b"third"]


def test_a_ledger_is_not_taken_for_an_index(tmp_path: Path) -> None:
    from wisen.store.sqlite_ledger import open_ledger

    open_ledger(tmp_path / "index.db", backups=tmp_path / "backups").close()
    index, warning = open_index(tmp_path / "index.db", clock=SystemClock())
    assert warning is not None
    assert "is not wisen's index" in warning
    assert "doctor" not in warning
    index.close()


def test_a_newer_index_is_refused_and_stays(tmp_path: Path) -> None:
    from wisen.store.migrate import MIGRATIONS, known_migrations
    from wisen.store.sealed_rows import add_row

    index = open_sound(tmp_path / "index.db")
    newer = known_migrations("index")[-1].version + 1
    add_row(index.database, MIGRATIONS, {"version": newer, "name": f"{newer:04}_future.sql"})
    index.close()
    before = (tmp_path / "index.db").read_bytes()
    with pytest.raises(StoreNewer, match=rf"index\.db has version {newer}"):
        open_index(tmp_path / "index.db", clock=SystemClock())
    assert (tmp_path / "index.db").read_bytes() == before


QUESTIONS: dict[str, Callable[[Index], object]] = {
    "counts": lambda index: index.events.counts(Selection()),
    "counts since": lambda index: index.events.counts(Selection(since=NOON)),
    "histories": lambda index: list(index.events.histories(Selection())),
    "unmined": lambda index: list(index.findings.take_unmined(2)),
    "failures": lambda index: index.findings.failures(Selection()),
    "fixes": lambda index: index.findings.fixes(Selection()),
    "evidence": lambda index: index.findings.evidence(""),
    "goals": lambda index: list(index.findings.goals(Selection())),
    "signals": lambda index: index.findings.signals(Selection()),
    "troubles": lambda index: index.events.read_problems(Selection()),
}


def mined_file(folder: Path) -> Path:
    """An index that holds something for every question, mined by version 1."""
    log = Log("/a.jsonl")
    log.typed("m1")
    log.concede("a1")
    for minute, status in enumerate((Status.FAILED, Status.OK, Status.OK)):
        log.call(f"c{minute}", minute)
        log.end(f"c{minute}", status, minute, "no" if status is Status.FAILED else None)
    log.call("c9", 9)
    log.reject("c9", 9)
    log.interrupt("i1", "c9", 9)
    index = open_sound(folder / "index.db")
    index.events.store([log.batch(ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=1))])
    assert mine_all(index) == 1
    assert all(question(index) for question in QUESTIONS.values())
    index.close()
    return folder / "index.db"


@pytest.mark.parametrize(
    ("table", "questions"),
    [
        ("shapes", "counts, counts since, histories, unmined"),
        ("mining", "counts, histories, unmined"),
        ("failures", "failures, fixes, evidence"),
        ("tries", "fixes, evidence"),
        ("goals", "goals"),
        ("signals", "signals"),
        ("troubles", "troubles"),
    ],
)
def test_damage_found_by_a_query_is_reported_in_our_words(tmp_path: Path, table: str, questions: str) -> None:
    file = mined_file(tmp_path)
    with closing(sqlite3.connect(file)) as other:
        other.execute(f"DROP TABLE {table}")
    index = open_sound(file)
    for question in questions.split(", "):
        with pytest.raises(StoreDamaged, match=r"index\.db is damaged.*wisen doctor --repair"):
            QUESTIONS[question](index)
    index.close()


@pytest.mark.parametrize(
    ("garble", "question"),
    [
        ("tallies SET first = 'x'", "counts"),
        ("tallies SET many = x'00ff'", "counts"),
        ("ends SET many = 'x'", "counts"),
        ("shapes SET how = 'x' WHERE how = 'ok'", "histories"),
        ("events SET at = 9e99", "unmined"),
        ("mining SET newest = 'x'", "unmined"),
        ("failures SET at = 'x'", "failures"),
        ("failures SET signature = 999", "failures"),
        ("failures SET lost_ms = 'x'", "failures"),
        ("signatures SET version = 'x'", "failures"),
        ("failures SET lost_ms = 'x'", "fixes"),
        ("tries SET danger = 'x'", "fixes"),
        ("changes SET added = '[1'", "fixes"),
        ("fixes SET change = 999", "fixes"),
        ("pairs SET after_success = x'00'", "fixes"),
        ("tries SET at = 'x'", "evidence"),
        ("goals SET ending = 'x'", "goals"),
        ("goals SET calls = '[99]'", "goals"),
        ("goals SET calls = '7'", "goals"),
        ("goals SET failed = 'x'", "goals"),
        ("signals SET kind = 'x'", "signals"),
        ("signals SET event = 999", "signals"),
        ("signals SET probability = 'x'", "signals"),
        ("signals SET first = 0.5", "signals"),
        ("signals SET at = 'x'", "signals"),
        ("signals SET lesson = x'00'", "signals"),
        ("signals SET forbids = NULL", "signals"),
        ("signals SET about = NULL", "signals"),
    ],
)
def test_a_garbled_value_is_reported_as_damage(tmp_path: Path, garble: str, question: str) -> None:
    file = mined_file(tmp_path)
    with closing(sqlite3.connect(file)) as other:
        other.execute(f"UPDATE {garble}")
        other.execute("DELETE FROM folds")  # what is kept of earlier reading is not read from these rows
        other.commit()
    index = open_sound(file)
    with pytest.raises(StoreDamaged, match=r"index\.db is damaged"):
        QUESTIONS[question](index)
    index.close()


def test_an_index_of_the_first_version_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wisen.store import migrate
    from wisen.store.sqlite_files import INDEX, open_file

    migrations = migrate.known_migrations("index")
    file = tmp_path / "index.db"
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "known_migrations", lambda _: migrations[:1])
        open_file(file, INDEX, busy=1).close()
    with closing(sqlite3.connect(file)) as old:
        old.execute("INSERT INTO agents VALUES (1, 'claude-code')")
        old.execute("INSERT INTO sources VALUES (1, 1, '/a.jsonl', 100, 7, 'end')")
        old.execute("INSERT INTO shapes VALUES (1, 'call', 'measured', '', 'Bash', '')")
        old.execute("INSERT INTO shapes VALUES (2, 'outcome', 'measured', 'failed', '', '')")
        for session in (1, 2, 3):
            old.execute("INSERT INTO sessions VALUES (?, 1, ?, 0)", (session, f"s{session}"))
            old.execute("INSERT INTO holdings VALUES (1, ?)", (session,))
            old.execute("INSERT INTO scenes VALUES (?, ?, 'ctx', '/src/tool')", (session, session))
        for place in range(30):
            # Numbers have gaps where an event was there already, and sessions take turns; the third has no event.
            number, scene, at = 1 + 3 * place, 1 + place // 3 % 2, 60_000 * place
            old.execute("INSERT INTO events VALUES (?, 1, ?, ?, 1, ?, NULL)", (number, f"c{place}", scene, at))
            old.execute(
                "INSERT INTO events VALUES (?, 1, ?, ?, 2, ?, ?)", (number + 1, f"e{place}", scene, at, f"c{place}")
            )
        old.commit()
    index = open_sound(file)
    before = index.events.counts(Selection())
    assert (before.sessions, [(use.calls, use.failed, use.sessions) for use in before.tools]) == (2, [(30, 30, 2)])
    one, two = index.findings.take_unmined(1)
    assert [step.call for step in one.steps] == [f"c{place}" for place in range(30) if place // 3 % 2 == 0]
    assert len(two.steps) == 15
    assert all(step.status is Status.FAILED for step in one.steps)
    assert (mine_all(index), mine_all(index)) == (2, 0)
    assert index.events.counts(Selection()) == before
    log = Log("/a.jsonl")
    log.call("new", 1)
    assert index.events.store([log.batch()]) == 1
    assert [history.steps[-1].call for history in index.findings.take_unmined(1)] == ["new"]
    index.close()


def test_a_moment_is_kept_to_the_millisecond(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    log = Log("/a.jsonl")
    log.typed("m1")
    index.events.store([log.batch()])
    assert index.events.counts(Selection()).first == NOON
    index.close()


def test_sessions_are_deleted_completely_however_few_events_are_looked_at_at_once(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    logs = [Log(f"/{name}.jsonl", name, context="shop") for name in ("one", "two", "three")]
    for turn in range(5):
        for log in logs:
            log.typed(f"{log.session.native}-{turn}")
            index.events.store([log.batch()])
    stored = {each.native: each.number for each in index.removal.archived_sessions()}
    with index.database.transaction():
        delete_sessions(index.database, [stored["one"], stored["three"]], at_once=4)
    assert index.database.run("SELECT count(*), (SELECT count(*) FROM texts) FROM events") == [(5, 5)]
    assert [each.native for each in index.removal.archived_sessions()] == ["two"]
    index.close()


def test_rewriting_a_file_changes_no_setting_and_leaves_no_other_file(tmp_path: Path) -> None:
    folder = tmp_path / "somebody's"
    folder.mkdir()
    index = open_sound(folder / "index.db")
    settings_of = ("PRAGMA temp_store", "PRAGMA temp_store_directory")
    before = [index.database.run(each) for each in settings_of]
    index.database.scrub()
    assert [index.database.run(each) for each in settings_of] == before
    index.close()
    assert [each.name for each in folder.iterdir()] == ["index.db"]
