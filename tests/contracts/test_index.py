"""The index's promises, proven for every index there is; then what only a file can promise."""

from __future__ import annotations

import sqlite3
import string
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wisen.backends.clock import SystemClock
from wisen.backends.stores.sqlite_index import SqliteIndex, open_index
from wisen.domain.events import Origin, Status
from wisen.domain.report import Selection
from wisen.domain.sources import Trouble, TroubleKind
from wisen.errors import StoreDamaged, StoreNewer
from wisen.ports import Index, Stretch
from wisen.testing.index_contract import IndexContract
from wisen.testing.indexes import MemoryIndex
from wisen.testing.logs import NOON, Log

pytestmark = pytest.mark.requirement("S19")


def open_sound(file: Path) -> SqliteIndex:
    """The index in a file that needs no warning."""
    index, warning = open_index(file, clock=SystemClock())
    assert warning is None
    return index


class TestMemoryIndex(IndexContract):
    @pytest.fixture
    def index(self) -> Index:
        return MemoryIndex()

    @pytest.fixture
    def reopen(self, index: Index) -> Callable[[], Index]:
        return lambda: index


class TestSqliteIndex(IndexContract):
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
minutes = st.integers(0, 6)


@st.composite
def stretches(draw: st.DrawFn) -> Stretch:
    """A log of few names, so that ids, sessions and calls meet."""
    log = Log(
        draw(paths), draw(few), agent=draw(st.sampled_from(["claude-code", "codex"])), context=draw(st.none() | few)
    )
    for _ in range(draw(st.integers(0, 6))):
        name, minute = draw(few), draw(minutes)
        kind = draw(st.sampled_from(["typed", "call", "end", "reject", "interrupt"]))
        if kind == "typed":
            log.typed(f"m{name}", minute, draw(st.sampled_from(Origin)))
        elif kind == "call":
            log.call(name, minute, tool=draw(st.sampled_from(["Bash", "Edit"])))
        elif kind == "end":
            status = draw(st.sampled_from(Status))
            log.end(name, status, minute, "oh" if status in (Status.FAILED, Status.MASKED) else None)
        elif kind == "reject":
            log.reject(name, minute)
        else:
            log.interrupt(f"i{name}", draw(st.none() | few), minute)
    kinds = draw(st.lists(st.sampled_from(TroubleKind), max_size=3))
    troubles = [Trouble(kind=kind, detail=draw(few), offset=draw(minutes)) for kind in kinds]
    return log.stretch(*troubles, cursor=draw(few), afresh=draw(st.booleans()))


@given(
    batches=st.lists(st.lists(stretches(), max_size=3), max_size=4), since=st.none() | minutes, under=st.none() | paths
)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_sql_counts_like_plain_python(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Stretch]], since: int | None, under: str | None
) -> None:
    file, plain = open_sound(tmp_path_factory.mktemp("index") / "index.db"), MemoryIndex()
    try:
        for batch in batches:
            assert file.keep(batch) == plain.keep(batch)
        moment = None if since is None else Log("/x").at(since)
        for selection in (Selection(), Selection(since=moment, under=None if under is None else Path(under).parent)):
            assert file.counts(selection) == plain.counts(selection)
            assert list(map(_without_number, file.failures(selection))) == list(
                map(_without_number, plain.failures(selection))
            )
            assert file.troubles(selection) == plain.troubles(selection)
        for agent in ("claude-code", "codex"):
            assert file.marks(agent) == plain.marks(agent)
    finally:
        file.close()


def _without_number(failure: object) -> object:
    # Which number an index gives to a session is its own affair.
    from dataclasses import replace

    from wisen.domain.report import Failure

    assert isinstance(failure, Failure)
    return replace(failure, session=0)


def test_what_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    good, bad = Log("/a.jsonl", "s1"), Log("/b.jsonl", "s2")
    good.typed("m1")
    bad.typed("m2")
    impossible = bad.stretch(Trouble(kind=TroubleKind.GARBLED, detail="", offset=2**70))
    with pytest.raises(OverflowError):
        index.keep([good.stretch(), impossible])
    assert index.counts(Selection()).sources == 0
    assert index.keep([good.stretch(), bad.stretch()]) == 2
    assert index.counts(Selection()).sessions == 2
    index.close()


def test_two_processes_fill_one_index_and_count_nothing_twice(tmp_path: Path) -> None:
    first, second = open_sound(tmp_path / "index.db"), open_sound(tmp_path / "index.db")
    one, two = Log("/a.jsonl", "s1"), Log("/b.jsonl", "s2", context="other")
    one.typed("m1")
    two.typed("m1")
    two.typed("m2")
    assert first.keep([one.stretch()]) == 1
    assert second.keep([two.stretch()]) == 1
    assert first.keep([two.stretch()]) == 0
    assert first.counts(Selection()) == second.counts(Selection())
    first.close()
    second.close()


@pytest.mark.requirement("X10")
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
    assert index.keep([log.stretch()]) == 1
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
    from wisen.backends.stores.sqlite_ledger import open_ledger

    open_ledger(tmp_path / "index.db", backups=tmp_path / "backups").close()
    index, warning = open_index(tmp_path / "index.db", clock=SystemClock())
    assert warning is not None
    assert "is not wisen's index" in warning
    assert "doctor" not in warning
    index.close()


def test_a_newer_index_is_refused_and_stays(tmp_path: Path) -> None:
    from wisen.backends.stores.migrate import MIGRATIONS
    from wisen.backends.stores.seals import add

    index = open_sound(tmp_path / "index.db")
    add(index._db, MIGRATIONS, {"version": 2, "name": "0002_future.sql"})
    index.close()
    before = (tmp_path / "index.db").read_bytes()
    with pytest.raises(StoreNewer, match=r"index\.db has version 2"):
        open_index(tmp_path / "index.db", clock=SystemClock())
    assert (tmp_path / "index.db").read_bytes() == before


def test_damage_found_by_a_question_is_told_in_our_words(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    other = sqlite3.connect(tmp_path / "index.db")
    other.execute("DROP TABLE shapes")
    other.close()
    for question in (index.counts, lambda selection: list(index.failures(selection))):
        with pytest.raises(StoreDamaged, match=r"index\.db is damaged.*wisen doctor --repair"):
            question(Selection())
    index.close()


def test_a_moment_is_kept_to_the_millisecond(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    log = Log("/a.jsonl")
    log.typed("m1")
    index.keep([log.stretch()])
    assert index.counts(Selection()).first == NOON
    index.close()
