"""A pytest plugin that reports where the suite's CPU time goes: `make test-times`.

Wall time says little on a busy machine. Counted is what the worker used, what the programs used that it started and
waited for, and what the commands of the command server used.
"""

from __future__ import annotations

import resource
import time
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from tests.command_server import cpu_seconds

if TYPE_CHECKING:
    from collections.abc import Generator

_MOST = 30
_KEY = "cpu_times"
_taken: dict[str, defaultdict[str, float]] = {name: defaultdict(float) for name in ("test", "file", "fixture")}


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime + cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count a test with its setup and teardown."""
    began = _cpu()
    result = yield
    taken = _cpu() - began
    _taken["test"][item.nodeid] += taken
    _taken["file"][item.nodeid.partition("::")[0]] += taken
    return result


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Count a fixture, without those that it uses."""
    began = _cpu()
    result = yield
    _taken["fixture"][f"{fixturedef.baseid}::{fixturedef.argname}"] += _cpu() - began
    return result


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand a worker's counts to the process that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[_KEY] = {name: dict(each) for name, each in _taken.items()}


class _Controller:
    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Add up what the workers counted."""
        for name, each in getattr(node, "workeroutput", {}).get(_KEY, {}).items():
            for what, seconds in each.items():
                _taken[name][what] += seconds


def pytest_configure(config: pytest.Config) -> None:
    """Listen to workers where there are any."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Controller())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the slowest of each kind."""
    terminalreporter.write_line(f"processor time of all tests: {sum(_taken['file'].values()):.0f} s")
    for name, counts in _taken.items():
        terminalreporter.section(f"slowest by {name}, in seconds of processor time")
        for what, seconds in sorted(counts.items(), key=lambda each: -each[1])[:_MOST]:
            terminalreporter.write_line(f"{seconds:8.2f}  {what}")
