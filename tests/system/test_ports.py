"""Clocks, ids, files, models, embedders and executors fulfill their port contracts, both real and fake."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tests.edits.fake_checkouts import CheckoutsContract, MemoryCheckouts
from tests.edits.fake_files import FilesContract, MemoryFiles
from wisen.edits.user_files import UserFiles
from wisen.errors import ModelFailed, Reason
from wisen.logs.worker_pool import WorkerPool
from wisen.model.model_use import Tier
from wisen.system.clock import SystemClock
from wisen.system.git import GitCheckouts
from wisen.system.ids import Ulids
from wisen.testing.fake_models import ScriptedModel
from wisen.testing.fakes import CountingIds, FixedClock, HashEmbedder, InlineExecutor
from wisen.testing.port_contracts import (
    ClockContract,
    EmbedderContract,
    ExecutorContract,
    IdsContract,
    ModelContract,
    Verdict,
    harmless,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor
    from pathlib import Path

    from wisen.language_models.embedder import Embedder
    from wisen.language_models.model_ports import Model
    from wisen.system.machine_ports import Checkouts, Clock, Files, Ids

pytestmark = pytest.mark.requirement("X6")


def _until_the_clocks_moved() -> None:
    before = time.time(), time.perf_counter()
    while time.time() <= before[0] or time.perf_counter() <= before[1]:
        pass


class TestSystemClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return SystemClock()

    @pytest.fixture
    def tick(self) -> Callable[[], None]:
        return _until_the_clocks_moved


class TestFixedClock(ClockContract):
    @pytest.fixture
    def clock(self) -> FixedClock:
        return FixedClock()

    @pytest.fixture
    def tick(self, clock: FixedClock) -> Callable[[], None]:
        return lambda: clock.advance(0.5)

    def test_it_stands_still_until_it_is_moved(self, clock: FixedClock) -> None:
        assert clock.now() == clock.now()
        assert clock.elapsed() == 0.0
        began = clock.now()

        clock.advance(timedelta(hours=8))

        assert clock.now() - began == timedelta(hours=8)
        assert clock.elapsed() == 8 * 3600

    def test_it_can_be_set_to_any_moment_of_any_zone(self, clock: FixedClock) -> None:
        clock.set(datetime(2020, 5, 1, 12, tzinfo=timezone(timedelta(hours=2))))

        assert clock.now() == datetime(2020, 5, 1, 10, tzinfo=UTC)
        assert clock.now().utcoffset() == timedelta(0)
        assert clock.elapsed() == 0.0

    def test_it_does_not_run_backwards(self, clock: FixedClock) -> None:
        with pytest.raises(ValueError, match="use set"):
            clock.advance(-1)


class TestUlids(IdsContract):
    @pytest.fixture
    def clock(self) -> FixedClock:
        return FixedClock()

    @pytest.fixture
    def ids(self, clock: FixedClock) -> Ids:
        return Ulids(clock)

    @pytest.fixture
    def tick(self, clock: FixedClock) -> Callable[[], None]:
        return lambda: clock.advance(timedelta(milliseconds=1))


class TestCountingIds(IdsContract):
    @pytest.fixture
    def ids(self) -> Ids:
        return CountingIds()

    @pytest.fixture
    def tick(self) -> Callable[[], None]:
        return lambda: None

    def test_two_of_them_give_the_same_ids(self) -> None:
        assert CountingIds().new() == CountingIds().new()


class TestScriptedModel(ModelContract):
    @pytest.fixture
    def model(self) -> Model:
        return ScriptedModel(lambda _: Verdict(True), tiers=[Tier.NANO])

    @pytest.fixture
    def silent_model(self) -> Model:
        return ScriptedModel([], tiers=[Tier.NANO])

    def test_it_follows_its_script_and_remembers_what_it_was_asked(self) -> None:
        failure = ModelFailed("The server is busy.", Reason.UNAVAILABLE)
        model = ScriptedModel([Verdict(True), failure, "no verdict"], name="parrot")

        assert model.ask(harmless("a")).value == Verdict(True)
        with pytest.raises(ModelFailed, match="The server is busy"):
            model.ask(harmless("b"))
        with pytest.raises(ModelFailed) as malformed:
            model.ask(harmless("c"))
        assert malformed.value.reason is Reason.MALFORMED
        assert [question.material[0].text for question in model.questions] == ["a", "b", "c"]
        with pytest.raises(ModelFailed, match=r"parrot has 3 answers and was asked 4 times"):
            model.ask(harmless("d"))


class TestHashEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashEmbedder()

    def test_the_same_text_has_the_same_vector_in_every_process(self, embedder: Embedder) -> None:
        (vector,) = embedder.embed(["tabs not spaces"])

        assert [axis for axis, weight in enumerate(vector) if weight] == [23, 27, 89]


class TestInlineExecutor(ExecutorContract):
    @pytest.fixture
    def executor(self) -> Executor:
        return InlineExecutor()

    def test_the_work_is_done_when_submit_returns(self, executor: Executor) -> None:
        done: list[int] = []

        assert executor.submit(done.append, 1).done()
        assert done == [1]

    def test_what_ends_the_program_is_not_kept_in_a_future(self, executor: Executor) -> None:
        def stop() -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            executor.submit(stop)


class TestThreads(ExecutorContract):
    @pytest.fixture
    def executor(self) -> Iterator[Executor]:
        with ThreadPoolExecutor(max_workers=2) as threads:
            yield threads


class TestProcesses(ExecutorContract):
    @pytest.fixture
    def executor(self) -> Iterator[Executor]:
        # Forking a process that has threads can hang, and newer Pythons warn about it.
        with ProcessPoolExecutor(max_workers=2, mp_context=multiprocessing.get_context("spawn")) as processes:
            yield processes


class TestWorkerProcesses(ExecutorContract):
    @pytest.fixture
    def executor(self) -> Iterator[Executor]:
        with WorkerPool(2) as workers:
            yield workers


def _put(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)


class _FilesContract(FilesContract):
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "CLAUDE.md"


class TestUserFiles(_FilesContract):
    @pytest.fixture
    def files(self) -> Files:
        return UserFiles()

    @pytest.fixture
    def other(self) -> Callable[[Path, bytes | None], None]:
        return _put


class TestMemoryFiles(_FilesContract):
    @pytest.fixture
    def files(self) -> MemoryFiles:
        return MemoryFiles()

    @pytest.fixture
    def other(self, files: MemoryFiles) -> Callable[[Path, bytes | None], None]:
        return files.put


class TestGitCheckouts(CheckoutsContract):
    pytestmark = pytest.mark.needs("git")

    @pytest.fixture
    def checkouts(self) -> Checkouts:
        return GitCheckouts(os.environ)

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        self._git(tmp_path, "init", "-q")
        (tmp_path / "docs").mkdir()
        return tmp_path / "docs" / "CLAUDE.md"

    @pytest.fixture
    def commit(self) -> Callable[[Path, bytes], object]:
        def commit(path: Path, content: bytes) -> None:
            path.write_bytes(content)
            self._git(path.parent, "add", "-A")
            self._git(path.parent, "commit", "-q", "--allow-empty", "-m", "a change")

        return commit

    def test_what_is_only_added_is_tracked_once_anything_was_committed(
        self, checkouts: Checkouts, path: Path, commit: Callable[[Path, bytes], object]
    ) -> None:
        other = path.with_name("other.md")
        commit(path, b"x")
        other.write_bytes(b"new")
        assert checkouts.checkout_of(str(other)) is None
        self._git(path.parent, "add", "-A")
        found = checkouts.checkout_of(str(other))
        assert found is not None
        assert found.content == b""

    def test_a_broken_repository_tells_nothing(self, checkouts: Checkouts, path: Path) -> None:
        (path.parent.parent / ".git" / "HEAD").write_text("nonsense")
        assert checkouts.checkout_of(str(path)) is None

    def _git(self, folder: Path, *arguments: str) -> None:
        who = (
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "core.autocrlf=false",
        )
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


class TestMemoryCheckouts(CheckoutsContract):
    @pytest.fixture
    def checkouts(self) -> MemoryCheckouts:
        return MemoryCheckouts()

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return tmp_path / "CLAUDE.md"

    @pytest.fixture
    def commit(self, checkouts: MemoryCheckouts) -> Callable[[Path, bytes], object]:
        return checkouts.commit
