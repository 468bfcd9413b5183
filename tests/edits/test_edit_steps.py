"""A whole edit, with its ledger rows, that is killed or fails at each of its steps in turn.

Steps are the system calls that touch files, and the statements of the ledger. Whatever happens, the file is the old one
or the new one; what is in it can be undone; and what was not made is not called rejected.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.edits.edit_ports import plan
from tests.edits.fake_checkouts import MemoryCheckouts
from tests.store.store_writer import ledger_of
from wisen.edits.edit_history import EditPorts, edit_history
from wisen.edits.editor import Editor, ValuePlan
from wisen.edits.user_edits import detect_user_edits
from wisen.edits.user_files import UserFiles
from wisen.errors import StoreError, WisenError
from wisen.model.change import ChangeFate, content_digest
from wisen.system.clock import SystemClock
from wisen.system.ids import Ulids
from wisen.testing.fakes import FixedClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.requirement("S19")
CALLS = "open read write fsync replace fchmod fstat close stat lstat scandir unlink mkdir access".split()
MARKDOWN, SETTINGS = b"\xef\xbb\xbf# Shop\r\n\r\nmine", b'{\n  // mine\n  "a": [1],\n}\n'
MOST = 400
"""More steps than any edit has."""


class Home:
    """A folder with a ledger and the file that is edited."""

    def __init__(self, folder: Path, old: bytes | None, name: str) -> None:
        self.folder = folder
        self.path = folder / "project" / name
        self.path.parent.mkdir(parents=True)
        self.old = old
        if old is not None:
            self.path.write_bytes(old)
        ledger_of(folder).close()

    @contextmanager
    def edit_ports(self) -> Iterator[EditPorts]:
        with closing(ledger_of(self.folder)) as ledger:
            clock = SystemClock()
            yield EditPorts(UserFiles(), MemoryCheckouts(), ledger, clock, Ulids(clock), "desk")

    def save(self) -> None:
        """Keep the home as it is now."""
        shutil.copytree(self.folder, self._saved)

    def restore(self) -> None:
        """Have the home be as it was kept, in the same place: the ledger names the file by its path."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._saved, self.folder)

    @property
    def _saved(self) -> Path:
        return self.folder.with_name(f"{self.folder.name} as it was")

    def content(self) -> bytes | None:
        return self.path.read_bytes() if self.path.exists() else None


def put_line(home: Home, edit_ports: EditPorts) -> Callable[[], object]:
    planned = plan(home.path)
    return lambda: Editor(edit_ports).add_line(planned)


def set_value(home: Home, edit_ports: EditPorts) -> Callable[[], object]:
    planned = ValuePlan(str(home.path), ("hooks", "Stop", "-"), "wisen", "installed", content_digest(home.content()))
    return lambda: Editor(edit_ports).set_value(planned)


def take_back(home: Home, edit_ports: EditPorts) -> Callable[[], object]:
    last = Editor(edit_ports).last_change()
    assert last is not None
    return lambda: Editor(edit_ports).undo(last.id)


DEEDS: dict[str, tuple[bytes | None, str, Callable[[Home, EditPorts], Callable[[], object]]]] = {
    "line": (MARKDOWN, "CLAUDE.md", put_line),
    "new file": (None, "CLAUDE.md", put_line),
    "value": (SETTINGS, "openclaw.json", set_value),
}


LOOKING = frozenset("read fstat stat lstat scandir access close".split())
"""Calls that change nothing on disk: a kill before one leaves the same as a kill before the next step."""


class Steps:
    """Counts steps, and does something else instead of the nth."""

    def __init__(self, nth: int, instead: Callable[[str], None], *, uncounted: frozenset[str] = frozenset()) -> None:
        self.nth, self.instead, self.done, self.uncounted = nth, instead, 0, uncounted

    def step(self, kind: str) -> None:
        if kind in self.uncounted:
            return
        self.done += 1
        if self.done == self.nth:
            self.instead(kind)

    @contextmanager
    def watched(self, edit_ports: EditPorts) -> Iterator[None]:
        """Make every system call and every statement of the ledger a step."""
        ledger: Any = edit_ports.ledger
        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, self._counted(name, getattr(os, name)))
            database = ledger.database
            for name in ("run", "run_many"):
                patch.setattr(database, name, self._counted("statement", getattr(database, name)), raising=True)
            yield

    def _counted(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **named: Any) -> Any:
            if kind == "close":
                real(*arguments, **named)  # the system closes the file even if it reports an error
                return self.step(kind)
            self.step(kind)
            return real(*arguments, **named)

        return counted


def survive(home: Home, new: bytes, *, undoing: bool) -> None:
    """Check what must be true whatever happened: old or new content, and everything can continue."""
    now = home.content()
    assert now in (home.old, new)
    with home.edit_ports() as edit_ports:
        edit_ports.ledger.check()
        known = edit_history(edit_ports)
        changes = [each for each in known.changes if each.operation is not None]
        stands = [each for each in changes if known.fates[each.id] is ChangeFate.STANDS]
        assert len(stands) == (now == new), "what is in the file is known, and nothing else is said to be"
        later = edit_ports._replace(clock=FixedClock(edit_ports.clock.now() + timedelta(hours=1)))
        assert ChangeFate.REMOVED not in {look.fate for look in detect_user_edits(later)}
        if stands:
            Editor(edit_ports).undo(stands[0].id)
        assert home.content() == home.old
        if not undoing:
            DEEDS_OF[home.path.name](home, edit_ports)()
            assert home.content() is not None
            assert home.content() != home.old


DEEDS_OF = {name: act for _, name, act in DEEDS.values()}


@pytest.mark.parametrize("undoing", [False, True], ids=["done", "undone"])
@pytest.mark.parametrize("deed", DEEDS)
def test_a_kill_at_any_step_leaves_the_old_or_the_new(tmp_path: Path, deed: str, undoing: bool) -> None:
    old, name, act = DEEDS[deed]
    seen: set[bool] = set()
    home = Home(tmp_path / "home", old, name)
    new = _new(home, act, undoing=undoing)
    for nth in range(1, MOST):
        home.restore()
        child = os.fork()
        if child == 0:
            _die_at(home, nth, take_back if undoing else act)
        _, status = os.waitpid(child, 0)
        seen.add(home.content() == new)
        survive(home, new, undoing=undoing)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            assert home.content() in (home.old, new)
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    else:
        pytest.fail("it never ran through")
    assert nth > 20
    assert seen == {True, False}


@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
@pytest.mark.parametrize("undoing", [False, True], ids=["done", "undone"])
@pytest.mark.parametrize("deed", DEEDS)
def test_an_error_at_any_step_is_reported_and_leaves_the_old_or_the_new(
    tmp_path: Path, deed: str, undoing: bool, code: int
) -> None:
    old, name, act = DEEDS[deed]
    failed = 0

    def fail(kind: str) -> None:
        if kind == "statement":
            raise StoreError(f"The ledger cannot be written: {os.strerror(code)}.")
        raise OSError(code, os.strerror(code))

    home = Home(tmp_path / "home", old, name)
    new = _new(home, act, undoing=undoing)
    for nth in range(1, MOST):
        home.restore()
        steps = Steps(nth, fail)
        with home.edit_ports() as edit_ports:
            prepared = (take_back if undoing else act)(home, edit_ports)
            try:
                with steps.watched(edit_ports):
                    prepared()
            except WisenError:
                failed += 1
        survive(home, new, undoing=undoing)
        if steps.done < nth:
            break
    else:
        pytest.fail("it never ran through")
    assert failed > 20


def _new(home: Home, act: Callable[[Home, EditPorts], Callable[[], object]], *, undoing: bool) -> bytes:
    """Return the file's content after the operation; the file is left in that state if it is to be undone."""
    with home.edit_ports() as edit_ports:
        act(home, edit_ports)()
        content = home.content()
        assert content is not None
        if not undoing:
            take_back(home, edit_ports)()
            assert home.content() == home.old
    home.save()
    return content


def _die_at(home: Home, nth: int, act: Callable[[Home, EditPorts], Callable[[], object]]) -> None:
    """In a child process: do it, and be killed instead of the nth step."""
    code = 1
    try:
        with home.edit_ports() as edit_ports:
            prepared = act(home, edit_ports)
            with Steps(nth, lambda _: os.kill(os.getpid(), signal.SIGKILL), uncounted=LOOKING).watched(edit_ports):
                prepared()
            code = 0
    finally:
        os._exit(code)
