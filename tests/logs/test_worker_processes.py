"""`Learner.learn` reads with several processes from any program; the main script needs no `__main__` guard."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import wisen
from wisen.logs import executors
from wisen.logs.worker_pool import WorkerPool
from wisen.testing.transcripts import ClaudeTranscript

SCRIPT = """
import sys, wisen
print("begun", flush=True)
with wisen.open_learner() as learner:
    report = learner.learn(jobs=2)
print("events", report.new_events)
"""
NOTEBOOK = f"""
import sys, types
main = types.ModuleType("__main__")
sys.modules["__main__"] = main
exec(compile({SCRIPT!r}, "<cell 1>", "exec"), main.__dict__)
"""
THREAD = f"""
import threading
def work():
    exec({SCRIPT!r}, {{}})
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
DAEMON = f"""
import multiprocessing
def work():
    exec({SCRIPT!r}, {{}})
child = multiprocessing.get_context("fork").Process(target=work, daemon=True)
child.start()
child.join()
"""
FOREIGN_FOLDER = "import pathlib\npathlib.Path('RAN').write_text('x')\n"


@pytest.fixture
def events(home: Path) -> int:
    """Write sessions of an agent; return how many events they contain."""
    for number in range(6):
        session = ClaudeTranscript(number)
        for turn in range(3):
            session.prompt(f"please look at part {number} {turn}")
            session.bash(f"make part{turn}", "done", exit_code=0)
        session.write(home / ".claude" / "projects" / "-work")
    with wisen.open_learner(home / "alone") as learner:
        return learner.learn(jobs=1).new_events


def run_program(program: list[str], home: Path, *, script: str | None = None, closed: bool = False) -> str:
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *program] if closed else program,
        cwd=home,
        input=script,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return ran.stdout


@pytest.mark.parametrize(
    ("program", "closed"),
    [(NOTEBOOK, False), (THREAD, True), (DAEMON, True)],
    ids=["notebook", "thread, stdin closed", "daemon, stdin closed"],
)
def test_a_program_without_a_main_file_reads_everything(home: Path, events: int, program: str, closed: bool) -> None:
    output = run_program([sys.executable, "-c", program], home, closed=closed)
    assert output == f"begun\nevents {events}\n"


def test_a_script_on_standard_input_reads_everything(home: Path, events: int) -> None:
    assert run_program([sys.executable, "-"], home, script=SCRIPT) == f"begun\nevents {events}\n"


@pytest.mark.requirement("X7")
def test_a_plain_script_without_a_guard_runs_once_and_its_workers_import_nothing_of_the_folder_it_is_started_in(
    home: Path, events: int
) -> None:
    for name in ("pickle", "struct", "signal", "msgspec", "ahocorasick_rs", "wisen"):
        (home / f"{name}.py").write_text(FOREIGN_FOLDER, encoding="utf-8")
    file = home / "elsewhere" / "script.py"
    file.parent.mkdir()
    file.write_text(SCRIPT, encoding="utf-8")
    assert run_program([sys.executable, str(file)], home) == f"begun\nevents {events}\n"
    assert not (home / "RAN").exists()


@pytest.mark.parametrize("executable", ["", "/nonexistent/python3", "/bin/true", "/usr/bin/blender", sys.executable])
def test_where_python_cannot_be_started_again_this_process_reads(
    home: Path, events: int, executable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(sys, "frozen", executable == sys.executable, raising=False)
    with wisen.open_learner(home / "wisen") as learner:
        assert learner.learn(jobs=2).new_events == events


def test_a_python_that_is_none_leaves_the_reading_to_this_process(
    home: Path, events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    false = home / "bin" / "python3"
    false.parent.mkdir()
    false.write_text("#!/bin/sh\necho hello; exit 0\n")
    false.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(false))
    with wisen.open_learner(home / "wisen") as learner:
        assert learner.learn(jobs=2).new_events == events


def test_sources_of_a_worker_that_was_killed_are_read_here(
    home: Path, events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(WorkerPool):
        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            future = super().submit(fn, *args, **kwargs)
            super().submit(os.kill, self._processes[0].pid, signal.SIGKILL)
            return future

    monkeypatch.setattr("wisen.logs.worker_pool.WorkerPool", Killed)
    with wisen.open_learner(home / "wisen") as learner:
        assert learner.learn(jobs=2).new_events == events


@pytest.mark.requirement("X7")
def test_any_executor_can_be_given_and_stays_open(home: Path, events: int) -> None:
    with ThreadPoolExecutor(2) as threads:
        with wisen.open_learner(home / "wisen", executor=threads) as learner:
            assert learner.learn().new_events == events
        assert threads.submit(len, "abc").result() == 3


class Broken(Executor):
    """A broken pool: it accepts nothing, or fails whatever it accepted."""

    def __init__(self, *, takes: bool) -> None:
        self.takes = takes

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        if not self.takes:
            raise BrokenExecutor("no more")
        future: Future[object] = Future()
        future.set_exception(BrokenExecutor("a process in the pool was terminated"))
        return future


@pytest.mark.parametrize("takes", [False, True])
def test_what_a_broken_pool_did_not_read_is_read_here(home: Path, events: int, takes: bool) -> None:
    with wisen.open_learner(home / "wisen", executor=Broken(takes=takes)) as learner:
        assert learner.learn().new_events == events


def test_workers_end_with_their_pool() -> None:
    with executors.open_pool(3, 0) as (pool, jobs):
        assert isinstance(pool, WorkerPool)
        assert jobs == 3
        pids = {pool.submit(os.getpid).result(timeout=60) for _ in range(20)}
        started = list(pool._processes)
    assert pids <= {each.pid for each in started}
    assert [each.returncode for each in started] == [0, 0, 0]


def test_what_a_worker_prints_or_cannot_send_harms_no_answer() -> None:
    with executors.open_pool(2, 0) as (pool, _):
        assert pool is not None
        assert pool.submit(print, "x" * 100_000).result(timeout=60) is None
        with pytest.raises(BrokenExecutor, match="cannot be sent"):
            pool.submit(lambda: 1).result(timeout=60)
        with pytest.raises(BrokenExecutor, match="cannot be sent"):
            pool.submit(open, os.devnull).result(timeout=60)
        assert pool.submit(len, b"x" * 5_000_000).result(timeout=60) == 5_000_000
