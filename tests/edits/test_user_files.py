"""User files are read, compared and replaced as a whole; a file that changed in between is left alone."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from wisen.edits.links import Links
from wisen.edits.user_files import UserFiles
from wisen.errors import FileChanged, FileError, WisenError
from wisen.model.change import FileVersion

pytestmark = pytest.mark.requirement("S19")
FILES = UserFiles()
AS_NOBODY = """
import os, sys
from wisen.edits.links import Links
from wisen.edits.user_files import UserFiles
from wisen.errors import FileError
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
seen = UserFiles().read(sys.argv[1])
try:
    UserFiles().write(seen, b"new")
except FileError as error:
    print(error)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"old\n")
    path.chmod(0o640)
    return path


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that another user can reach, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="wisen-test-") as name:
        folder = Path(name)
        folder.chmod(0o777)
        yield folder
        folder.chmod(0o777)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(path: Path | str, content: bytes | None = b"new") -> str:
    """Return the message for a file that can be neither read nor written; it must be useful to a person."""
    seen = FileVersion(str(path), None, 0, None)
    with pytest.raises(FileError) as reading:
        FILES.read(str(path))
    with pytest.raises(FileError) as writing:
        FILES.write(seen, content)
    assert str(path) in str(reading.value)
    assert str(path) in str(writing.value)
    return str(reading.value)


@pytest.mark.parametrize(
    "content", [b"", b"a\r\nb\r\n", b"\xef\xbb\xbfa\n", b"no end", b"\x00\xff\xfe\n", b"x" * 3_000_001], ids=len
)
def test_what_was_written_is_read_byte_for_byte(file: Path, content: bytes) -> None:
    written = FILES.write(FILES.read(str(file)), content)
    assert file.read_bytes() == content
    assert FILES.read(str(file)) == written == FileVersion(str(file), content, 0o640, None)
    assert names(file.parent) == ["CLAUDE.md"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o666])
def test_the_mode_stays_whatever_the_umask(file: Path, mode: int) -> None:
    file.chmod(mode)
    old = os.umask(0o077)
    try:
        FILES.write(FILES.read(str(file)), b"new")
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 1234, 2345)
    file.chmod(0o2750)
    assert FILES.write(FILES.read(str(file)), b"new").mode == 0o2750
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 2345, 0o2750)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_where_the_owner_cannot_stay_the_file_is_written_without_the_right_to_act_as_the_owner(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(handle: int, user: int, group: int) -> None:
        raise PermissionError(errno.EPERM, "not you")

    os.chown(file, 1234, 2345)
    file.chmod(0o6755)
    monkeypatch.setattr(os, "fchown", forbidden)
    assert FILES.write(FILES.read(str(file)), b"new") == FileVersion(str(file), b"new", 0o755, None)
    assert FILES.read(str(file)).content == b"new"


def test_a_new_file_gets_the_usual_mode_and_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "new.md"
    seen = FILES.read(str(path))
    assert seen == FileVersion(str(path), None, 0, None)
    old = os.umask(0o027)
    try:
        written = FILES.write(seen, b"new")
    finally:
        os.umask(old)
    assert written == FILES.read(str(path)) == FileVersion(str(path), b"new", 0o640, None)


def test_a_file_is_deleted_and_made_again(file: Path) -> None:
    gone = FILES.write(FILES.read(str(file)), None)
    assert gone == FileVersion(str(file), None, 0, None)
    assert names(file.parent) == []
    assert FILES.write(gone, None) == gone
    FILES.write(gone, b"again")
    assert file.read_bytes() == b"again"


def test_a_file_that_already_holds_the_content_is_not_touched(file: Path) -> None:
    before = file.stat()
    FILES.write(FILES.read(str(file)), b"old\n")
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("relative", [True, False])
def test_a_link_stays_a_link_and_the_file_behind_it_is_written(tmp_path: Path, relative: bool) -> None:
    real = tmp_path / "dotfiles" / "claude.md"
    real.parent.mkdir()
    real.write_bytes(b"old")
    (tmp_path / "home").mkdir()
    link, second = tmp_path / "home" / "CLAUDE.md", tmp_path / "home" / "AGENTS.md"
    link.symlink_to("../dotfiles/claude.md" if relative else real)
    second.symlink_to("CLAUDE.md")
    files = UserFiles(Links(tmp_path, [tmp_path / "home"]))
    seen = files.read(str(second))
    assert (seen.link, seen.content) == (os.path.realpath(real), b"old")
    assert files.write(seen, b"new").link == seen.link
    assert link.is_symlink()
    assert second.is_symlink()
    assert real.read_bytes() == b"new"
    assert not real.is_symlink()
    assert names(real.parent) == ["claude.md"]


def test_names_of_one_file_do_not_come_apart(file: Path) -> None:
    other = file.with_name("AGENTS.md")
    other.hardlink_to(file)
    before = file.read_bytes()
    with pytest.raises(FileError, match="one of 2 names"):
        FILES.write(FILES.read(str(file)), b"new")
    assert file.read_bytes() == other.read_bytes() == before
    other.unlink()
    FILES.write(FILES.read(str(file)), b"new")
    assert file.read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no extended attributes in Python")
def test_a_persons_marks_on_a_file_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.mark", b"mine")
    except OSError as error:
        pytest.skip(f"the file system of the temporary folder has no extended attributes: {error}")
    FILES.write(FILES.read(str(file)), b"new")
    assert os.getxattr(file, "user.mark") == b"mine"


def test_a_link_is_not_deleted_away_from_its_file(file: Path) -> None:
    link = file.with_name("AGENTS.md")
    link.symlink_to(file.name)
    with pytest.raises(FileError, match=r"is a link to .* Delete both yourself"):
        FILES.write(FILES.read(str(link)), None)
    assert link.read_bytes() == b"old\n"


def test_a_link_to_nothing_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("missing.md")
    assert "does not exist. Make that file, or remove the link." in refused(link)
    assert names(tmp_path) == ["CLAUDE.md"]


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "in a circle" in refused(tmp_path / "a")


def test_what_is_not_a_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("folder")
    assert "is a folder" in refused(tmp_path / "folder")
    assert "is a folder" in refused(tmp_path / "link", None)
    assert "pipe" in refused(tmp_path / "pipe")
    assert "device" in refused("/dev/null")
    assert names(tmp_path) == ["folder", "link", "pipe"]


def test_what_cannot_be_a_path_is_refused(file: Path) -> None:
    assert "not a folder" in refused(file / "below")
    assert "too long" in refused(file.with_name("x" * 300))
    with pytest.raises(FileError, match="is not a path"):
        FILES.read("a\0b")


def test_a_file_that_changed_vanished_or_appeared_is_left_alone(file: Path) -> None:
    seen = FILES.read(str(file))
    file.write_bytes(b"the user's")
    for content in (b"ours", None):
        with pytest.raises(FileChanged, match=r"CLAUDE\.md has changed since .* Read it again"):
            FILES.write(seen, content)
    assert file.read_bytes() == b"the user's"
    file.unlink()
    for content in (b"ours", None):
        with pytest.raises(FileChanged, match="is no longer there"):
            FILES.write(seen, content)
    nothing = FILES.read(str(file))
    file.write_bytes(b"")
    for content in (b"ours", None):
        with pytest.raises(FileChanged, match="has appeared"):
            FILES.write(nothing, content)
    assert file.read_bytes() == b""
    assert names(file.parent) == ["CLAUDE.md"]


def test_a_link_that_leads_elsewhere_now_is_left_alone(file: Path) -> None:
    link, other = file.with_name("AGENTS.md"), file.with_name("other.md")
    other.write_bytes(b"old\n")
    link.symlink_to(file.name)
    seen = FILES.read(str(link))
    link.unlink()
    link.symlink_to(other.name)
    with pytest.raises(FileChanged, match="leads to another file"):
        FILES.write(seen, b"new")
    link.unlink()
    link.write_bytes(b"old\n")
    with pytest.raises(FileChanged, match="is no longer a link"):
        FILES.write(seen, b"new")
    assert {path.read_bytes() for path in (file, other, link)} == {b"old\n"}


def test_a_change_that_comes_while_we_write_wins(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = FILES.read(str(file))
    sync = os.fsync

    def meanwhile(handle: int) -> None:
        file.write_bytes(b"the user's")
        sync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(FileChanged):
        FILES.write(seen, b"ours")
    assert file.read_bytes() == b"the user's"
    assert names(file.parent) == ["CLAUDE.md"]


def test_folders_made_for_a_file_that_cannot_be_written_go_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "no space")

    seen = FILES.read(str(tmp_path / "a" / "b" / "new.md"))
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(FileError, match=r"new\.md could not be written: the disk is full. Make room"):
        FILES.write(seen, b"new")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (errno.ENOSPC, "the disk is full. Make room"),
        (errno.EDQUOT, "the quota is used up. Make room"),
        (errno.EROFS, "its file system is read-only. Mount it"),
        (errno.EACCES, "permission is denied. Give yourself the right"),
        (errno.EIO, "Input/output error. Look at the disk"),
    ],
)
def test_what_the_system_refuses_is_reported_with_the_next_step(
    file: Path, monkeypatch: pytest.MonkeyPatch, code: int, says: str
) -> None:
    def fails(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    seen = FILES.read(str(file))
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(FileError) as caught:
        FILES.write(seen, b"new")
    assert str(caught.value).startswith(f"{file} could not be written: {says}")
    assert file.read_bytes() == b"old\n"
    assert names(file.parent) == ["CLAUDE.md"]


@pytest.mark.parametrize("of", ["folder", "file"])
def test_what_the_user_may_not_write_is_named_and_left_alone(open_to_all: Path, of: str) -> None:
    path = open_to_all / "CLAUDE.md"
    path.write_bytes(b"old")
    path.chmod(0o666 if of == "folder" else 0o444)
    open_to_all.chmod(0o555 if of == "folder" else 0o777)
    command = [sys.executable, "-c", AS_NOBODY, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{path} could not be written: ")
    assert ("permission is denied" if of == "folder" else "it is read-only") in done.stdout
    assert path.read_bytes() == b"old"
    assert names(open_to_all) == ["CLAUDE.md"]


def test_what_a_killed_writer_left_is_removed_and_nothing_else(file: Path) -> None:
    old = file.stat().st_mtime - 4000
    stale, fresh = file.with_name(".wisen-12-0.part"), file.with_name(".wisen-13-0.part")
    others = [file.with_name(name) for name in (".wisen-notes.md", ".wisen-1-2.part.md", "x.wisen-1-2.part")]
    for path in (stale, fresh, *others):
        path.write_bytes(b"left")
        if path is not fresh:
            os.utime(path, (old, old))
    FILES.write(FILES.read(str(file)), b"new")
    assert names(file.parent) == sorted(path.name for path in (file, fresh, *others))


def test_of_writers_at_once_each_gets_its_edit_in_or_gets_an_error(file: Path) -> None:
    """Check that every acknowledged line is there, once; a writer that came too late was told so and read again."""
    errors: list[Exception] = []
    start = threading.Barrier(4)

    def add(name: int) -> None:
        start.wait()
        for number in range(15):
            while True:
                seen = FILES.read(str(file))
                try:
                    FILES.write(seen, (seen.content or b"") + b"%d-%d\n" % (name, number))
                    break
                except FileChanged as error:
                    errors.append(error)

    threads = [threading.Thread(target=add, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = file.read_bytes().splitlines()
    assert sorted(lines) == sorted([b"old", *(b"%d-%d" % (name, number) for name in range(4) for number in range(15))])
    assert errors
    assert names(file.parent) == ["CLAUDE.md"]


@pytest.mark.parametrize("content", [b"old\n", None])
def test_of_two_who_saw_the_same_file_one_writes_and_the_other_gets_an_error(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "CLAUDE.md"
    for _ in range(20):
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content)
        seen = FILES.read(str(path))
        start, ends = threading.Barrier(2), dict.fromkeys((b"one", b"two"), "")

        def write(
            mine: bytes, seen: FileVersion = seen, start: threading.Barrier = start, ends: dict[bytes, str] = ends
        ) -> None:
            start.wait()
            try:
                FILES.write(seen, mine)
                ends[mine] = "written"
            except WisenError as error:
                ends[mine] = type(error).__name__

        threads = [threading.Thread(target=write, args=(mine,)) for mine in ends]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(ends.values()) == ["FileChanged", "written"]
        assert ends[path.read_bytes()] == "written"


@pytest.mark.parametrize(("folder", "is_private"), [("home", True), ("shop", False)])
def test_what_is_new_below_a_private_folder_is_never_open_to_others_not_even_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, is_private: bool
) -> None:
    modes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: modes.append(os.fstat(handle).st_mode & 0o077))
    (tmp_path / folder).mkdir(mode=0o700)
    files = UserFiles(private=tmp_path / "home")
    before = os.umask(0o022)
    try:
        files.write(files.read(tmp_path / folder / "notes" / "new.md"), b"new")
    finally:
        os.umask(before)
    while_it_is_written = modes[-2]  # before its folder is synced
    assert while_it_is_written == (0 if is_private else 0o044)
    assert (tmp_path / folder / "notes").stat().st_mode & 0o077 == (0 if is_private else 0o055)
