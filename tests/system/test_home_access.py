"""The home is private, whatever existed before, and no partial file stays in it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hooks import fire
from wisen import app
from wisen.errors import SettingsError
from wisen.health import doctor
from wisen.model.hook import PARTS
from wisen.model.state import Health
from wisen.system import home_access
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X7")

_LEARN = """
import os, sys
from pathlib import Path
os.umask(int(sys.argv[3], 8))
from wisen import app
with app.wire(Path(sys.argv[1])).learner() as learner:
    learner.learn(Path(sys.argv[2]), jobs=1)
    learner.delivery.prepare_snapshots()
    learner.home.salt()
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Write a few sessions in which the user says something."""
    for number in range(3):
        log = ClaudeTranscript(number + 1)
        log.prompt("No, never use npm here, always use pnpm instead.")
        log.write(tmp_path / "logs")
    return tmp_path / "logs"


def modes(home: Path) -> dict[str, int]:
    """Return the modes of a home and everything below it."""
    every = [home, *home.rglob("*")]
    return {str(each.relative_to(home)): stat.S_IMODE(each.lstat().st_mode) for each in every}


def assert_private(home: Path) -> None:
    found = modes(home)
    open_ = {name: oct(mode) for name, mode in found.items() if mode & 0o077}
    assert not open_
    assert len(found) > 12


@pytest.mark.parametrize("umask", ["000", "022", "077", "002"])
def test_everything_is_private_whatever_the_umask(logs: Path, tmp_path: Path, umask: str) -> None:
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-c", _LEARN, home, logs, umask], check=True)
    fire(home, "session-start", {"session_id": "s", "cwd": "/home/ada/orchard"})
    assert_private(home)
    assert (home / "contexts").is_dir()
    assert [*(home / "backups").glob("*.db")]


def test_a_home_that_was_open_to_others_is_tightened_with_all_that_is_in_it(logs: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "contexts" / "old").mkdir(parents=True)
    (home / "contexts" / "old" / "rules.md").write_text("- one\n")
    (home / "languages").mkdir()
    (home / "run").write_text("#!/bin/sh\n")
    for each in (home, *home.rglob("*")):
        each.chmod(0o777 if each.is_dir() else 0o666)
    (home / "run").chmod(0o755)
    with app.wire(home).learner() as learner:
        learner.learn(logs, jobs=1)
    assert_private(home)
    assert stat.S_IMODE((home / "run").stat().st_mode) == 0o700, "what can be run still can"


def test_the_doctor_tells_who_else_can_read_and_mends_it(logs: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with app.wire(home).learner() as learner:
        learner.learn(logs, jobs=1)
    subject = app.wire(home).doctor_input()
    assert [each.health for each in doctor.examine(subject) if each.about == "home"] == [Health.GOOD]
    home.chmod(0o755)
    (home / "ledger.db").chmod(0o644)
    (home / "index.db").chmod(0o000)
    (finding,) = (each for each in doctor.examine(subject) if each.about == "home")
    assert finding.health is Health.BAD
    assert "and 2 more" in finding.says
    assert "doctor --repair" in finding.next_step
    (repaired,) = (each for each in doctor.repair(subject) if each.about == "home")
    assert repaired.says.startswith("3 files and folders were open")
    assert_private(home)
    assert all(each.health is not Health.BAD for each in doctor.examine(subject) if each.about in ("home", "index"))


def test_a_link_in_the_home_is_not_followed(logs: Path, tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "his.txt").write_text("his")
    (outside / "his.txt").chmod(0o644)
    home.mkdir()
    (home / "languages").symlink_to(outside)
    (home / "his.txt").symlink_to(outside / "his.txt")
    with app.wire(home).learner() as learner:
        learner.learn(logs, jobs=1)
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755
    assert stat.S_IMODE((outside / "his.txt").stat().st_mode) == 0o644


def test_a_home_that_is_a_link_is_tightened_where_it_is(logs: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o755)
    (tmp_path / "home").symlink_to(real)
    with app.wire(tmp_path / "home").learner() as learner:
        learner.learn(logs, jobs=1)
    assert_private(real)


@pytest.mark.parametrize("linked", [False, True])
def test_a_home_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, linked: bool) -> None:
    if os.geteuid() != 0:
        pytest.skip("only the superuser can give a folder to another user")
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 4711, 4711)
    if linked:
        (tmp_path / "link").symlink_to(home)
        home = tmp_path / "link"
    monkeypatch.setattr(os, "geteuid", lambda: 4712)
    with pytest.raises(SettingsError, match=r"belongs to another user \(uid 4711\).*WISEN_HOME"):
        app.wire(home)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    home_access.reject_foreign_home(tmp_path / "home")


def test_a_folder_that_holds_other_things_is_no_home_and_nothing_in_it_is_touched(tmp_path: Path) -> None:
    user_home, project = tmp_path / "ada", tmp_path / "ada" / "shop"
    (project / "src").mkdir(parents=True)
    (project / "film.mp4.part").write_text("a download that goes on")
    (project / "index.html").write_text("public")
    for each in (user_home, *user_home.rglob("*")):
        each.chmod(0o755 if each.is_dir() else 0o644)
    (user_home / "link").symlink_to(user_home)
    before = modes(user_home)
    for place, why in (
        (project, "holds other files, such as film.mp4.part"),
        (user_home, "is your home directory"),
        (user_home / "link", "is your home directory"),
        (tmp_path, "is your home directory, or holds it"),
        (Path("/"), "is your home directory, or holds it"),
    ):
        with pytest.raises(SettingsError, match=f"{why}.*set WISEN_HOME to "):
            app.wire(place, {"HOME": str(user_home)})
    assert modes(user_home) == before
    assert (project / "film.mp4.part").exists()
    (user_home / "w").mkdir()
    (user_home / "w" / "config.toml").write_text("[store]\nbackups = 3\n")
    assert app.wire(user_home / "w", {"HOME": str(user_home)}).settings.store.backups == 3
    (user_home / "w2").mkdir()
    (user_home / "w2" / "ledger.db.new-x1").write_text("another first run, which has just begun")
    app.wire(user_home / "w2", {"HOME": str(user_home)})


@pytest.mark.requirement("X6")
def test_what_a_killed_backup_left_goes_with_what_is_forgotten_and_with_the_next_backup(
    logs: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with app.wire(home).learner() as learner:
        learner.learn(logs, jobs=1)
        names = ("ledger-20260101T000000000000.db.part", "ledger-20260101T000000000000.db.part-journal")
        for name in names:
            (home / "backups" / name).write_text("always use pnpm")
        for name in ("ledger.db.part", "ledger.db.new-abc", "contexts/.wisen-1-0.part"):
            (home / name).parent.mkdir(exist_ok=True)
            (home / name).write_text("always use pnpm")
            os.utime(home / name, (1, 1))
        findings = [each.says for each in doctor.examine(app.wire(home).doctor_input()) if each.about == "home"]
        assert any(each.startswith("5 files were left incomplete") for each in findings), findings
        assert learner.forgetting.forget("always use pnpm", scope="*")
        left = [each for each in home.rglob("*") if each.is_file() and b"always use pnpm" in each.read_bytes()]
        assert not left
        for name in names:
            (home / "backups" / name).write_text("half")
        learner.home.backups.create()  # type: ignore[union-attr]
        assert not [*(home / "backups").glob("*.part*")]


def test_the_next_cycle_deletes_what_killed_processes_left_and_nothing_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    left = ("ledger.db.new-abc", "ledger.db.part", ".hook.4711.part", "salt.4711.1.new.part", "ledger.db.part-journal")
    kept = ("plan.parts.md", PARTS, "young.part")
    for name in (*left, *kept):
        (home / name).write_text("half")
        os.utime(home / name, None if name == "young.part" else (1, 1))
    with app.wire(home).learner() as learner:
        learner.cycle()
    assert {each.name for each in home.iterdir()} & {*left, *kept} == {*kept}


def test_a_repair_leaves_the_parts_of_the_hook_client(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with app.wire(home).learner() as learner:
        learner.cycle()
    (home / PARTS).write_text("{}")
    os.utime(home / PARTS, (1, 1))
    subject = app.wire(home).doctor_input()
    assert [each.says for each in doctor.examine(subject) if "incomplete" in each.says] == []
    doctor.repair(subject)
    assert (home / PARTS).exists()


def test_what_another_process_removes_while_it_is_looked_at_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, kept = tmp_path / "ledger.db.new-journal", tmp_path / "rules.md"
    for path in (journal, kept):
        path.write_text("")
        path.chmod(0o644)
    listed = os.scandir

    def list_then_remove(folder: str) -> list[os.DirEntry[str]]:
        entries = list(listed(folder))
        journal.unlink(missing_ok=True)
        return entries

    monkeypatch.setattr(os, "scandir", list_then_remove)
    assert [path for path in home_access.open_to_others(tmp_path) if path != str(tmp_path)] == [str(kept)]
    home_access.make_private(tmp_path)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
