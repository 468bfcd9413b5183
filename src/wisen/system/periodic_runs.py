"""Runs a command periodically: one run at a time, each in its own process, so that nothing accumulates in ours."""

from __future__ import annotations

import subprocess
import threading
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.system.machine_ports import Clock

_TIMEOUT_SECONDS = 3600.0
"""The time limit of one run, in seconds."""
_FIRST_DELAY = timedelta(seconds=2)
"""Delay of the first run, so that whoever started us does not have to wait."""


class RunStatus(NamedTuple):
    """The status of the runs."""

    rounds: int
    last: datetime | None
    """When the last one ended."""
    went_well: bool | None
    is_running: bool


class PeriodicRuns:
    """Runs a command at an interval."""

    def __init__(self, command: tuple[str, ...], environment: Mapping[str, str], minutes: float, clock: Clock) -> None:
        try:
            from apscheduler.schedulers.background import BackgroundScheduler
        except ImportError as missing:
            raise MissingExtra(
                "A schedule needs APScheduler, which is not installed: `pip install 'wisen[serve]'`."
            ) from missing
        self._command, self._environment, self._clock = command, dict(environment), clock
        self._lock, self._rounds, self._stopped = threading.Lock(), 0, False
        self._process: subprocess.Popen[bytes] | None = None
        self._last: datetime | None = None
        self._went_well: bool | None = None
        self._scheduler = BackgroundScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        )
        if minutes:
            self._scheduler.add_job(
                self.run_once, "interval", minutes=minutes, next_run_time=clock.now() + _FIRST_DELAY
            )

    def start(self) -> None:
        """Start; runs continue in a thread."""
        self._scheduler.start()

    def stop(self) -> None:
        """Start no more runs; one in progress is terminated, and what it did so far is kept."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()
        self._scheduler.shutdown(wait=True)

    def run_once(self) -> None:
        """Do one run."""
        with self._lock:
            if self._stopped:
                return
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                self._command,
                cwd="/",  # the folder in which the server was started is not ours to load anything from
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        try:
            code = self._process.wait(_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        with self._lock:
            self._process = None
            self._rounds, self._last, self._went_well = self._rounds + 1, self._clock.now(), code == 0

    def status(self) -> RunStatus:
        """Return the status of the runs."""
        with self._lock:
            return RunStatus(self._rounds, self._last, self._went_well, self._process is not None)
