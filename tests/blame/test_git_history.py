"""Histories of instruction files, read from real git repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wisen.blame.instruction_files import InstructionFiles
from wisen.model.instruction import InstructionFile, Version
from wisen.system import git, git_history

pytestmark = [pytest.mark.requirement("X4"), pytest.mark.needs("git")]

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG = "".join(f"- rule {number}\n" for number in range(20))


class Repository:
    """A repository in which an hour passes before each commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hours = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, at: datetime | None = None) -> str:
        """What git says to that."""
        moment = str(int((at or self.now).timestamp())) + " +0900"
        command = ["git", "-c", "protocol.file.allow=always", "-c", "user.name=A", "-c", "user.email=a@example.org"]
        environment = {**os.environ, "GIT_COMMITTER_DATE": moment, "GIT_AUTHOR_DATE": "1000000000 +0000"}
        done = subprocess.run(
            [*command, *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    @property
    def now(self) -> datetime:
        return START + timedelta(hours=self.hours)

    def write(self, text: str | bytes, name: str = "CLAUDE.md") -> None:
        """Write a file without committing it."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, text: str | bytes | None = None, name: str = "CLAUDE.md", at: datetime | None = None) -> str:
        """Commit a text, or what is there; returns the commit."""
        if text is not None:
            self.write(text, name)
        self.hours += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change", at=at)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def file(home: Path) -> Callable[[Path], InstructionFile]:
    return InstructionFiles(home, os.environ).file


Read = Callable[[Path], InstructionFile]


def texts(versions: tuple[Version, ...]) -> list[str]:
    return [version.text for version in versions]


def test_each_commit_that_changed_the_file_is_a_version_with_its_commit_and_time(
    repository: Repository, file: Read
) -> None:
    repository.git("config", "log.showRoot", "false")
    one = repository.commit("one\n")
    repository.commit("something else", "README.md")
    two = repository.commit("two\n")
    found = file(repository.folder / "CLAUDE.md")
    assert found.versions == (
        Version(at=START + timedelta(hours=1), text="one\n", origin=one),
        Version(at=START + timedelta(hours=3), text="two\n", origin=two),
    )
    assert found.versions[0].at.utcoffset() == timedelta(0)


def test_what_is_on_disk_and_not_committed_is_one_more_version(repository: Repository, file: Read) -> None:
    repository.commit("one\n")
    repository.write("two\n")
    path = repository.folder / "CLAUDE.md"
    os.utime(path, (START.timestamp() + 86400,) * 2)
    *_, last = file(path).versions
    assert last == Version(at=START + timedelta(days=1), text="two\n", origin="file")
    repository.git("add", "-A")
    assert file(path).versions[-1] == last
    os.utime(path, (0, 0))
    first, last = file(path).versions
    assert (last.text, last.at) == ("two\n", first.at)


def test_a_file_that_git_does_not_track_has_only_what_is_on_disk(repository: Repository, file: Read) -> None:
    repository.write("CLAUDE.local.md\n", ".gitignore")
    repository.commit("one\n")
    repository.write("mine\n", "CLAUDE.local.md")
    (only,) = file(repository.folder / "CLAUDE.local.md").versions
    assert (only.text, only.origin) == ("mine\n", "file")


def test_a_repository_without_a_commit_has_only_what_is_on_disk(repository: Repository, file: Read) -> None:
    repository.write("one\n")
    assert [version.origin for version in file(repository.folder / "CLAUDE.md").versions] == ["file"]


def test_a_renamed_file_keeps_its_history(repository: Repository, file: Read) -> None:
    repository.git("config", "diff.relative", "true")
    repository.commit(LONG)
    repository.commit(LONG + "- tabs\n")
    (repository.folder / "docs").mkdir()
    repository.git("mv", "CLAUDE.md", "docs/AGENTS.md")
    repository.commit()
    repository.commit(LONG + "- spaces\n", "docs/AGENTS.md")
    (repository.folder / "web").mkdir()
    repository.git("mv", "docs/AGENTS.md", "web/AGENTS.md")
    repository.commit(LONG + "- spaces, four\n", "web/AGENTS.md")
    ends = [version.text.removeprefix(LONG) for version in file(repository.folder / "web/AGENTS.md").versions]
    assert ends == ["", "- tabs\n", "- spaces\n", "- spaces, four\n"]


def test_a_name_that_was_used_before_leads_to_the_file_that_was_moved_there(repository: Repository, file: Read) -> None:
    repository.commit("something of long ago\n", "AGENTS.md")
    repository.commit(LONG)
    repository.git("rm", "-q", "AGENTS.md")
    repository.commit(LONG + "- tabs\n")
    repository.git("mv", "CLAUDE.md", "AGENTS.md")
    repository.commit()
    ends = [version.text.removeprefix(LONG) for version in file(repository.folder / "AGENTS.md").versions]
    assert ends == ["", "- tabs\n"]


def test_a_file_of_which_git_lost_a_version_does_not_cost_the_others_their_history(
    repository: Repository, home: Path
) -> None:
    repository.commit("one\n", "AGENTS.md")
    repository.commit("one\n")
    repository.commit("two\n", "AGENTS.md")
    repository.commit("three\n")
    lost = repository.git("rev-parse", "HEAD~1:AGENTS.md")
    (repository.folder / ".git/objects" / lost[:2] / lost[2:]).chmod(0o600)
    (repository.folder / ".git/objects" / lost[:2] / lost[2:]).write_bytes(b"garbage")
    found = InstructionFiles(home, os.environ).files([str(repository.folder)])
    assert [texts(each.versions)[-1] for each in found] == ["two\n", "three\n"]
    assert texts(found[1].versions) == ["one\n", "three\n"]


def test_a_copy_does_not_have_the_history_of_the_original(repository: Repository, file: Read) -> None:
    repository.commit(LONG)
    repository.commit(LONG + "- tabs\n")
    copied = repository.commit(LONG + "- tabs\n", "AGENTS.md")
    assert [version.origin for version in file(repository.folder / "AGENTS.md").versions] == [copied]
    assert len(file(repository.folder / "CLAUDE.md").versions) == 2
    repository.write(LONG + "- spaces\n")
    copied = repository.commit(LONG + "- tabs\n", "GEMINI.md")
    assert [version.origin for version in file(repository.folder / "GEMINI.md").versions] == [copied]


def test_a_name_that_is_used_again_has_its_own_history_and_the_moved_file_keeps_its(
    repository: Repository, home: Path
) -> None:
    repository.commit(LONG)
    repository.git("mv", "CLAUDE.md", "AGENTS.md")
    repository.commit(LONG + "- tabs\n", "AGENTS.md")
    repository.commit("See AGENTS.md.\n")
    found = InstructionFiles(home, os.environ).files([str(repository.folder)])
    assert [texts(each.versions) for each in found] == [[LONG, LONG + "- tabs\n"], [LONG, "", "See AGENTS.md.\n"]]


def test_a_file_that_left_a_link_in_its_place_keeps_its_history_under_both_names(
    repository: Repository, file: Read, home: Path
) -> None:
    repository.commit(LONG)
    repository.commit(LONG + "- tabs\n")
    repository.git("mv", "CLAUDE.md", "AGENTS.md")
    (repository.folder / "CLAUDE.md").symlink_to("AGENTS.md")
    repository.commit()
    repository.commit(LONG + "- spaces\n", "AGENTS.md")
    expected = ["", "- tabs\n", "- spaces\n"]
    for name in ("AGENTS.md", "CLAUDE.md"):
        assert [each.text.removeprefix(LONG) for each in file(repository.folder / name).versions] == expected
    # The two say the same to the same sessions, so they count once, under the name of the file itself.
    found = InstructionFiles(home, os.environ).files([str(repository.folder)])
    assert [each.path for each in found] == [str(repository.folder / "AGENTS.md")]


def test_a_file_that_was_once_a_link_begins_when_it_became_a_file(repository: Repository, file: Read) -> None:
    repository.write("elsewhere\n", "README.md")
    (repository.folder / "CLAUDE.md").symlink_to("README.md")
    repository.commit()
    (repository.folder / "CLAUDE.md").unlink()
    repository.commit("own rules\n")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["own rules\n"]


def test_while_a_file_was_deleted_it_held_nothing(repository: Repository, file: Read) -> None:
    repository.commit("one\n")
    repository.git("rm", "-q", "CLAUDE.md")
    repository.commit()
    repository.commit("two\n")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\n", "", "two\n"]
    repository.git("rm", "-q", "CLAUDE.md")
    repository.commit()
    repository.write("three\n")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\n", "", "two\n", "", "three\n"]


def test_a_branch_counts_from_its_merge_and_a_merge_that_changed_nothing_does_not(
    repository: Repository, file: Read
) -> None:
    repository.git("config", "log.diffMerges", "combined")
    repository.commit(LONG)
    repository.git("checkout", "-q", "-b", "side")
    repository.commit(LONG + "- of the branch\n")
    repository.git("checkout", "-q", "main")
    repository.commit("- first\n" + LONG)
    repository.hours += 1
    repository.git("merge", "-q", "--no-edit", "side")
    merge, merged = repository.git("rev-parse", "HEAD"), repository.now
    repository.git("checkout", "-q", "-b", "other")
    repository.commit("other", "README.md")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "--no-edit", "other")
    versions = file(repository.folder / "CLAUDE.md").versions
    assert texts(versions) == [LONG, "- first\n" + LONG, "- first\n" + LONG + "- of the branch\n"]
    assert (versions[-1].origin, versions[-1].at) == (merge, merged)


def test_versions_stay_in_order_when_a_clock_was_wrong(repository: Repository, file: Read) -> None:
    for text, day in (("one", 5), ("two", 3), ("three", 7)):
        repository.commit(text, at=START + timedelta(days=day))
    versions = file(repository.folder / "CLAUDE.md").versions
    assert texts(versions) == ["one", "two", "three"]
    assert [(version.at - START).days for version in versions] == [5, 5, 7]


def test_lines_that_only_end_otherwise_are_no_change(repository: Repository, file: Read) -> None:
    repository.commit("one\ntwo\n")
    repository.commit(b"\xef\xbb\xbfone\r\ntwo\r\n")
    repository.write(b"one\r\ntwo\r\n")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\ntwo\n"]


def test_bytes_that_are_no_text_are_read_as_far_as_they_are(repository: Repository, file: Read) -> None:
    repository.commit(b"\xff\x00 one\n")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["\ufffd\x00 one\n"]


def test_a_version_that_is_too_large_is_left_out(repository: Repository, file: Read) -> None:
    repository.commit("one\n")
    repository.commit("x" * (git_history.MAX_FILE_BYTES + 1))
    repository.commit("two\n")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\n", "two\n"]


def test_of_a_long_history_the_newest_part_is_known(
    repository: Repository, file: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_history, "_MAX_TOTAL_BYTES", 8)
    for text in ("one\n", "two\n", "six\n"):
        repository.commit(text)
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["two\n", "six\n"]


def test_no_more_than_500_versions_are_read(repository: Repository, file: Read) -> None:
    stream = "".join(
        f"commit refs/heads/main\ncommitter A <a@example.org> {1_700_000_000 + number} +0000\ndata 1\nx\n"
        f"M 100644 inline CLAUDE.md\ndata {len(str(number))}\n{number}\n"
        for number in range(510)
    )
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository.folder, input=stream.encode(), check=True)
    repository.git("checkout", "-q", "-f", "main")
    versions = file(repository.folder / "CLAUDE.md").versions
    assert texts(versions) == [str(number) for number in range(10, 510)]


def test_a_worktree_has_the_history_of_its_own_branch(repository: Repository, file: Read, tmp_path: Path) -> None:
    repository.commit("one\n")
    repository.git("worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    repository.commit("main\n")
    side = tmp_path / "side/CLAUDE.md"
    assert texts(file(side).versions) == ["one\n"]
    side.write_text("side\n")
    repository.git("-C", str(tmp_path / "side"), "commit", "-q", "-a", "-m", "side")
    assert texts(file(side).versions) == ["one\n", "side\n"]
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\n", "main\n"]


def test_a_file_in_a_submodule_has_the_submodules_history(
    repository: Repository, file: Read, tmp_path: Path, home: Path
) -> None:
    library = Repository(tmp_path / "library")
    library.commit("one\n")
    library.commit("two\n")
    repository.commit("outer\n")
    repository.git("submodule", "--quiet", "add", str(library.folder), "library")
    repository.commit()
    assert texts(file(repository.folder / "library/CLAUDE.md").versions) == ["one\n", "two\n"]
    found = InstructionFiles(home, os.environ).files([str(repository.folder)])
    assert [texts(each.versions) for each in found] == [["outer\n"], ["one\n", "two\n"]]


@pytest.mark.parametrize("name", ["[a-z]*.md", ":(top)x.md", "-n.md", "a b\n'\"ü.md", b"\xff.md"])
def test_no_name_is_taken_for_a_pattern_or_an_option(repository: Repository, file: Read, name: str | bytes) -> None:
    name = os.fsdecode(name)
    repository.commit("other\n", "x.md")
    repository.commit("one\n", name)
    repository.commit("two\n", name)
    assert texts(file(repository.folder / name).versions) == ["one\n", "two\n"]


def test_a_garbled_configuration_costs_no_history_as_it_is_never_read(repository: Repository, file: Read) -> None:
    repository.commit("one\n")
    repository.commit("two\n")
    (repository.folder / ".git/config").write_bytes(b"\x00garbage[")
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\n", "two\n"]


@pytest.mark.parametrize("damage", ["HEAD", "objects"])
def test_of_a_broken_repository_only_what_is_on_disk_is_known(repository: Repository, file: Read, damage: str) -> None:
    repository.commit("one\n")
    repository.commit("two\n")
    broken = repository.folder / ".git" / damage
    if broken.is_dir():
        shutil.rmtree(broken)
        broken.mkdir()
    else:
        broken.write_bytes(b"\x00garbage[")
    versions = file(repository.folder / "CLAUDE.md").versions
    assert [(version.text, version.origin) for version in versions] == [("two\n", "file")]


def test_without_git_only_what_is_on_disk_is_known(repository: Repository, home: Path, tmp_path: Path) -> None:
    repository.commit("one\n")
    here = InstructionFiles(home, {"PATH": str(tmp_path), "HOME": str(home)})
    assert [version.origin for version in here.file(repository.folder / "CLAUDE.md").versions] == ["file"]


def test_a_repository_of_somebody_else_is_refused_unless_the_user_calls_it_safe(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("one\n")
    path = repository.folder / "CLAUDE.md"
    monkeypatch.setattr(os, "geteuid", lambda: repository.folder.stat().st_uid + 1)

    def origin() -> str:
        return InstructionFiles(home, os.environ).file(path).versions[0].origin

    assert origin() == "file"
    for safe in (repository.folder, f"{repository.folder.parent}/*", "*"):
        (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {safe}\n")
        assert origin() != "file"
    for taken_back in (f"{repository.folder}\n\tdirectory =", f"{repository.folder}x", "~/other"):
        (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {taken_back}\n")
        assert origin() == "file"
    # What the repository says of itself never counts.
    (home / ".gitconfig").unlink()
    repository.git("config", "safe.directory", "*")
    assert origin() == "file"


def test_a_git_that_takes_too_long_is_not_asked_for_ever(
    repository: Repository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "_TIMEOUT_SECONDS", 0.2)
    (tmp_path / "bin").mkdir()
    slow = tmp_path / "bin/git"
    slow.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\nexec sleep 60\n")
    slow.chmod(0o755)
    for number in range(9):
        repository.write("one\n", f"{number}/CLAUDE.md")
        Repository(repository.folder / str(number)).commit()
    environment = {**os.environ, "PATH": f"{slow.parent}:{os.environ['PATH']}"}
    found = InstructionFiles(home, environment).files([str(repository.folder)])
    assert [[version.origin for version in each.versions] for each in found] == [["file"]] * 9
    assert (tmp_path / "asked").read_text() == "asked\n" * 4


def test_nothing_that_a_repository_names_is_run_and_nothing_of_it_is_written(
    repository: Repository, file: Read, tmp_path: Path
) -> None:
    repository.write("CLAUDE.md diff=evil filter=evil\n", ".gitattributes")
    repository.commit("one\n")
    repository.commit("two\n")
    head, body = repository.git("cat-file", "commit", "HEAD").split("\n\n", 1)
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n{body}\n"
    (tmp_path / "signed").write_text(signed)
    repository.git("reset", "-q", repository.git("hash-object", "-t", "commit", "-w", str(tmp_path / "signed")))
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\ncat\n")
    evil.chmod(0o755)
    for setting in (
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.smudge",
        "filter.evil.clean",
        "gpg.program",
        "core.sshCommand",
    ):
        repository.git("config", setting, str(evil))
    repository.git("config", "log.showSignature", "true")
    before = {path: path.stat().st_mtime_ns for path in (repository.folder / ".git").rglob("*")}
    (repository.folder / "CLAUDE.md").touch()
    assert texts(file(repository.folder / "CLAUDE.md").versions) == ["one\n", "two\n"]
    assert not (tmp_path / "was-run").exists()
    assert {path: path.stat().st_mtime_ns for path in (repository.folder / ".git").rglob("*")} == before


def test_the_callers_own_git_variables_do_not_lead_elsewhere(
    repository: Repository, home: Path, tmp_path: Path
) -> None:
    other = Repository(tmp_path / "other")
    other.commit("other\n")
    repository.commit("one\n")
    repository.commit("two\n")
    environment = {**os.environ, "GIT_DIR": str(other.folder / ".git"), "GIT_WORK_TREE": str(other.folder)}
    here = InstructionFiles(home, environment)
    assert texts(here.file(repository.folder / "CLAUDE.md").versions) == ["one\n", "two\n"]


def test_a_clone_that_holds_only_a_part_asks_no_server_for_the_rest(
    repository: Repository, file: Read, tmp_path: Path
) -> None:
    repository.commit("one\n")
    repository.commit("two\n")
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.folder}", str(tmp_path / "part"))
    repository.git("clone", "-q", "--depth=1", f"file://{repository.folder}", str(tmp_path / "shallow"))
    packs = sorted((tmp_path / "part/.git/objects/pack").iterdir())
    assert texts(file(tmp_path / "part/CLAUDE.md").versions)[-1] == "two\n"
    assert sorted((tmp_path / "part/.git/objects/pack").iterdir()) == packs
    assert texts(file(tmp_path / "shallow/CLAUDE.md").versions) == ["two\n"]
