"""An executor whose workers are separate programs (`worker_main.py`), so that any caller can start them."""

from __future__ import annotations

import pickle
import queue
import subprocess
import sys
import threading
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wisen.logs import worker_main

if TYPE_CHECKING:
    from collections.abc import Callable

_READY_SECONDS = 60.0
"""A worker that does not answer within this time after its start is given up."""
_PACKAGES = str(Path(__file__).resolve().parents[2])
"""The folder from which wisen itself is imported."""


class CallNotRun(BrokenExecutor):
    """A call was not run: its worker ended, or the call cannot be sent to another process."""


class _Work(NamedTuple):
    future: Future[Any]
    call: bytes


class WorkerPool(Executor):
    """Workers that are separate programs: any script, notebook, thread or daemon can start them."""

    def __init__(self, jobs: int) -> None:
        """Start the workers. Raises: OSError, RuntimeError (no process or thread can be started)."""
        self._queue: queue.SimpleQueue[_Work | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._live_workers = 0
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        try:
            for _ in range(jobs):
                self._processes.append(_start_process())
                self._threads.append(threading.Thread(target=self._serve, args=self._processes[-1:], daemon=True))
                self._live_workers += 1
            for thread in self._threads:
                thread.start()
        except BaseException:
            self._kill()
            raise

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a call in a worker. If the future fails with CallNotRun, run the call yourself."""
        future: Future[Any] = Future()
        try:
            call = pickle.dumps((fn, args, kwargs), protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 - whatever prevents pickling it
            call = b""
            reason = repr(error)
        with self._lock:
            if self._closed:
                raise RuntimeError("the executor was shut down and takes no more work")
            if not call:
                future.set_exception(CallNotRun(f"the call cannot be sent to another process: {reason}"))
            elif self._live_workers == 0:
                future.set_exception(CallNotRun("all workers have ended"))
            else:
                self._queue.put(_Work(future, call))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - its base
        """Accept no more work; queued calls still run, or are cancelled."""
        with self._lock:
            is_first, self._closed = not self._closed, True
        if cancel_futures:
            self._drain(lambda future: future.cancel())
        if is_first:
            for _ in self._threads:
                self._queue.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        """Pass calls to one worker, one after another."""
        try:
            if _is_ready(process):
                while (work := self._queue.get()) is not None and _run_work(process, work):
                    pass
        finally:
            with self._lock:
                self._live_workers -= 1
                last = self._live_workers == 0
            if last:
                self._drain(lambda future: _fail(future, "all workers have ended"))
            _end(process)

    def _drain(self, drop: Callable[[Future[Any]], object]) -> None:
        """Empty the work queue, except for the sentinels that stop the threads."""
        ends = 0
        while True:
            try:
                work = self._queue.get_nowait()
            except queue.Empty:
                break
            if work is None:
                ends += 1
            else:
                drop(work.future)
        for _ in range(ends):
            self._queue.put(None)

    def _kill(self) -> None:
        for process in self._processes:
            process.kill()
            _end(process)


def _start_process() -> subprocess.Popen[bytes]:
    # By path: with `-m` Python would look for modules in the current folder, which may be anybody's.
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, str(Path(worker_main.__file__).resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _is_ready(process: subprocess.Popen[bytes]) -> bool:
    """Send a worker the module search path, and wait until it is ready."""
    assert process.stdin
    assert process.stdout
    # An empty entry means the current folder, which may be anybody's.
    path = [each for each in sys.path if each and isinstance(each, str)]
    stop = threading.Timer(_READY_SECONDS, process.kill)
    stop.daemon = True
    try:
        stop.start()
        worker_main.write_frame(process.stdin, pickle.dumps([*path, *({_PACKAGES} - set(path))]))
        return worker_main.read_frame(process.stdout) == worker_main.READY
    except (OSError, RuntimeError):
        return False
    finally:
        stop.cancel()


def _run_work(process: subprocess.Popen[bytes], work: _Work) -> bool:
    """Run one call in a worker. Returns False if the worker has ended."""
    assert process.stdin
    assert process.stdout
    if not work.future.set_running_or_notify_cancel():
        return True
    try:
        worker_main.write_frame(process.stdin, work.call)
        answer = worker_main.read_frame(process.stdout)
    except OSError:
        answer = None
    if answer is None:
        work.future.set_exception(CallNotRun("the worker ended in the middle of the call"))
        return False
    try:
        state, value = pickle.loads(answer)  # noqa: S301 - from a process of our own
    except Exception as error:  # noqa: BLE001 - an exception whose class cannot be unpickled
        state, value = worker_main.NOT_READABLE, repr(error)
    if state == worker_main.DONE:
        work.future.set_result(value)
    elif state == worker_main.FAILED:
        work.future.set_exception(value)
    else:
        work.future.set_exception(CallNotRun(f"the call cannot be sent to or from another process: {value}"))
    return True


def _fail(future: Future[Any], reason: str) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(CallNotRun(reason))


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        try:
            if stream:
                stream.close()
        except OSError:
            pass  # nobody reads what was left to send
    try:
        process.wait(_READY_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
