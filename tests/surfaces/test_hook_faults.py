"""Whatever breaks around the hook client, the agent's turn continues: a valid answer or none, always exit code 0."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commands import run
from tests.hooks import CLIENT, failed_call, fire, without_questions, write_lesson_sessions
from wisen import app

pytestmark = [pytest.mark.requirement("X10"), pytest.mark.requirement("X6")]

SAID = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
EVENTS = ("session-start", "prompt", "failure", "before-call")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home that holds something to tell, and the project it is for."""
    folder = tmp_path_factory.mktemp("prepared")
    write_lesson_sessions(folder, folder / "shop")
    with app.wire(folder / "wisen", {"HOME": str(folder)}).learner() as learner:
        learner.cycle(quick=True)
    return folder / "wisen", folder / "shop"


@pytest.fixture
def wisen(prepared: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of that home, to be broken."""
    return shutil.copytree(prepared[0], tmp_path / "wisen")


@pytest.fixture
def project(prepared: tuple[Path, Path]) -> Path:
    return prepared[1]


def payload(event: str, project: Path, session: str = "s") -> dict[str, object]:
    if event == "failure":
        return failed_call("shopctl deploy --wait", SAID, session=session, cwd=project)
    return {"session_id": session, "cwd": str(project), "source": "startup", "prompt": "use npm or pnpm?"}


def delivered_text(wisen: Path, project: Path, event: str = "session-start", session: str = "s") -> str:
    return fire(wisen, event, payload(event, project, session))


def failure(wisen: Path) -> str:
    found = app.wire(wisen).hook_health_check().read_health().failure
    return found.kind if found is not None else ""


def snapshot_of(wisen: Path) -> Path:
    current = json.loads((wisen / "snapshots" / "current.json").read_text())
    (digest,) = current["contexts"].values()
    return wisen / "snapshots" / f"{digest}.json"


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"pnpm", b"evil"))


def remove(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("harm", [cut, flip, remove, empty], ids=lambda each: each.__name__)
@pytest.mark.parametrize("event", EVENTS)
def test_a_broken_snapshot_tells_nothing_and_the_next_start_tells_that(
    wisen: Path, project: Path, event: str, harm: Callable[[Path], None]
) -> None:
    harm(snapshot_of(wisen))
    assert delivered_text(wisen, project, event) == ""
    if event != "before-call":
        assert failure(wisen).startswith("BrokenSnapshot at")
        run_cycle(wisen, project)
        again = delivered_text(wisen, project, session="next")
        assert "pnpm" in again
        assert "wisen's hook could not do its work lately (BrokenSnapshot" in again


def run_cycle(wisen: Path, project: Path) -> None:
    with app.wire(wisen, {"HOME": str(project.parent)}).learner() as learner:
        learner.delivery.prepare_snapshots()


@pytest.mark.parametrize("harm", [cut, remove, empty], ids=lambda each: each.__name__)
def test_a_broken_page_of_snapshots_tells_nothing(wisen: Path, project: Path, harm: Callable[[Path], None]) -> None:
    harm(wisen / "snapshots" / "current.json")
    for event in EVENTS:
        assert delivered_text(wisen, project, event) == ""


def test_a_session_whose_snapshot_is_gone_goes_on_with_the_present_one(wisen: Path, project: Path) -> None:
    first = delivered_text(wisen, project)
    (pin,) = (wisen / "snapshots" / "pins").iterdir()
    pin.write_text(pin.read_text().replace(snapshot_of(wisen).stem, "0" * 32))
    assert delivered_text(wisen, project) == without_questions(first), "and what was asked is not asked again"


@pytest.mark.parametrize("harm", [cut, empty, flip], ids=lambda each: each.__name__)
def test_a_broken_pin_fails_no_turn(wisen: Path, project: Path, harm: Callable[[Path], None]) -> None:
    delivered_text(wisen, project)
    (pin,) = (wisen / "snapshots" / "pins").iterdir()
    harm(pin)
    assert "pnpm" in delivered_text(wisen, project)
    for event in EVENTS:
        delivered_text(wisen, project, event)


def test_a_broken_note_of_a_failure_is_reported_and_does_not_stay_in_the_way(wisen: Path, project: Path) -> None:
    (wisen / "spool" / "beats").mkdir(parents=True, exist_ok=True)
    (wisen / "spool" / "beats" / "failed").write_bytes(b'{"half')
    assert "could not do its work" in delivered_text(wisen, project)
    assert "could not do its work" not in delivered_text(wisen, project, session="next")


def test_snapshots_of_another_version_tell_nothing(wisen: Path, project: Path) -> None:
    page = wisen / "snapshots" / "current.json"
    page.write_text(page.read_text().replace('"version":1', '"version":2'))
    for event in EVENTS:
        assert delivered_text(wisen, project, event) == ""


def test_without_stores_the_client_answers_as_before(wisen: Path, project: Path) -> None:
    expected = {event: without_questions(delivered_text(wisen, project, event, "a")) for event in EVENTS}
    assert expected["failure"]
    for path in [*wisen.glob("ledger.db*"), *wisen.glob("index.db*")]:
        path.unlink()
    (wisen / "config.toml").write_text("this is no TOML")
    assert {event: delivered_text(wisen, project, event, "b") for event in EVENTS} == expected


@pytest.mark.parametrize("home", ["missing", "file"])
def test_a_home_that_is_none_fails_no_turn(tmp_path: Path, home: str) -> None:
    (tmp_path / "file").write_text("")
    for event in (*EVENTS, "stop", "session-end"):
        assert fire(tmp_path / home, event, {"session_id": "s", "cwd": "/"}) == ""
    assert [path.name for path in tmp_path.iterdir()] == ["file"], "it does not come back by itself"


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_answered_from_all_the_same(wisen: Path, project: Path) -> None:
    for path in (wisen, *wisen.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for parent in wisen.parents:
        if parent.owner() == "root" and parent.is_relative_to(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o055)
    command = [sys.executable, "-I", "-S", str(CLIENT), "--home", str(wisen), "session-start"]
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid", "65534", "--clear-groups", *command]
    sent = json.dumps(payload("session-start", project)).encode()
    done = subprocess.run(command, input=sent, capture_output=True, check=False)
    for path in (wisen, *wisen.rglob("*")):
        path.chmod(0o755)
    if b"ermission denied" in done.stderr:
        pytest.skip("the interpreter itself cannot be read by others")
    assert done.returncode == 0
    assert b"pnpm" in done.stdout


@pytest.mark.parametrize("limit", [0, 1, 40, 200])
def test_a_full_disk_leaves_the_answer_and_no_part(wisen: Path, project: Path, limit: int) -> None:
    def full() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    for event in ("session-start", "failure"):
        command = [sys.executable, "-I", "-S", str(CLIENT), "--home", str(wisen), event]
        sent = json.dumps(payload(event, project, event)).encode()
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, preexec_fn=full) as client:  # noqa: PLW1509 - no threads here
            out, _ = client.communicate(sent, timeout=20)
        assert client.returncode == 0
        assert json.loads(out)["hookSpecificOutput"]["additionalContext"]
    assert not list(wisen.rglob("*.part"))
    for path in (*wisen.rglob("pins/*.json"), *(wisen / "spool").rglob("*.jsonl")):
        json.loads(path.read_text())


def test_what_hangs_is_left_behind_in_time(wisen: Path, project: Path) -> None:
    page = wisen / "snapshots" / "current.json"
    page.unlink()
    os.mkfifo(page)  # whoever opens it waits for a writer that never comes
    began = time.monotonic()
    assert delivered_text(wisen, project) == ""
    assert time.monotonic() - began < 5
    assert failure(wisen) == "TimeUp at session-start"


def test_killed_at_any_moment_it_leaves_nothing_that_hurts(wisen: Path, project: Path) -> None:
    for number in range(40):
        event = ("session-start", "failure", "prompt")[number % 3]
        command = [sys.executable, "-I", "-S", str(CLIENT), "--home", str(wisen), event]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
            assert client.stdin is not None
            client.stdin.write(json.dumps(payload(event, project, f"s{number % 5}")).encode())
            client.stdin.close()
            time.sleep(number / 1000)
            client.kill()
    for path in (*wisen.rglob("pins/*.json"), *(wisen / "spool").rglob("*.jsonl")):
        json.loads(path.read_text())
    for event in EVENTS:
        delivered_text(wisen, project, event, "fresh")
    assert "pnpm" in delivered_text(wisen, project, session="afterwards")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"null",
        b"[1]",
        b'"x"',
        b"\xff\xfe",
        b'{"session_id": 7, "cwd": 9, "prompt": [], "error": {}}',
        b"{}" * 9,
    ],
)
def test_an_event_that_makes_no_sense_is_passed_over(wisen: Path, sent: bytes) -> None:
    for event in EVENTS:
        assert fire(wisen, event, sent) == ""


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    victim=st.integers(0, 4),
    where=st.floats(0, 1),
    junk=st.binary(max_size=4),
    event=st.sampled_from(EVENTS),
    session=st.sampled_from(["s", "t"]),
)
def test_no_damage_to_what_it_reads_fails_a_turn(
    wisen: Path, project: Path, victim: int, where: float, junk: bytes, event: str, session: str
) -> None:
    files = sorted((wisen / "snapshots").rglob("*.json"))
    path = files[victim % len(files)]
    whole = path.read_bytes()
    at = int(where * len(whole))
    path.write_bytes(whole[:at] + junk + whole[at + 1 :])
    delivered_text(wisen, project, event, session)
    path.write_bytes(whole)


def test_what_is_still_broken_is_reported_at_the_next_start(wisen: Path, project: Path) -> None:
    flip(snapshot_of(wisen))
    assert delivered_text(wisen, project) == ""
    assert "BrokenSnapshot at session-start" in delivered_text(wisen, project, session="next")


def test_a_call_that_nobody_understands_still_ends_with_0(tmp_path: Path) -> None:
    for arguments in ([], ["--home"], ["session-start"], ["--home", str(tmp_path), "nonsense"]):
        done = subprocess.run(
            [sys.executable, "-I", "-S", CLIENT, *arguments], input=b"{}", capture_output=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, b"")
    assert b"usage: wisen-hook" in done.stderr


def test_a_cycle_that_was_killed_is_taken_up_by_the_next(home: Path) -> None:
    project = home / "shop"
    write_lesson_sessions(home, project)
    for number in range(6):
        with subprocess.Popen([Path(sys.executable).parent / "wisen", "cycle"], stdout=subprocess.DEVNULL) as cycle:
            time.sleep(0.1 + number * 0.1)
            cycle.kill()
    run("cycle")
    assert "pnpm" in delivered_text(home / "wisen", project)
    assert run("doctor").returncode == 0
