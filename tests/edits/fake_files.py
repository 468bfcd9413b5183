"""In-memory files for tests of edits, and the contract suite for every implementation of `Files`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wisen.errors import FileChanged
from wisen.model.change import FileVersion

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.system.machine_ports import Files

_MODE = 0o644


class MemoryFiles:
    """Files in memory, without links and permissions."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, path: Path, content: bytes | None) -> None:
        """Set a file's content, as another program would; None deletes it."""
        if content is None:
            self._contents.pop(str(path), None)
        else:
            self._contents[str(path)] = content

    def read(self, path: Path) -> FileVersion:
        """Return a file as it is now; also one that does not exist."""
        content = self._contents.get(str(path))
        return FileVersion(str(path), content, 0 if content is None else _MODE, None)

    def real_path(self, path: Path) -> str:
        """Return the resolved path of a file, whether or not it exists."""
        return str(path)

    def link_target(self, path: Path) -> str | None:
        """None: there are no links here."""
        del path
        return None

    def siblings(self, path: Path) -> tuple[Path, ...]:
        """Return the other files of the same kind in a file's folder, sorted by name; none if there is no folder."""
        others = (Path(each) for each in sorted(self._contents) if each != str(path))
        return tuple(each for each in others if each.parent == path.parent and each.suffix == path.suffix)

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        """Replace what was seen by a content; None deletes the file. Raises: FileChanged."""
        if self.read(Path(seen.path)) != seen:
            raise FileChanged(f"{seen.path} has changed since it was read. Read it again and repeat the change.")
        self.put(Path(seen.path), content)
        return self.read(Path(seen.path))


class FilesContract:
    """Fixtures: `files`; `path`, where no file exists yet; and `other`, which writes a content there from outside."""

    def test_what_is_not_there_is_reported_and_can_be_written(self, files: Files, path: Path) -> None:
        seen = files.read(path)
        assert (seen.path, seen.content, seen.link) == (str(path), None, None)
        written = files.write(seen, b"")
        assert written.content == b""
        assert files.read(path) == written

    @pytest.mark.parametrize("content", [b"one\n", b"\xef\xbb\xbfa\r\nb", b"\x00\xff", b"x" * 100_000])
    def test_a_content_comes_back_byte_for_byte(self, files: Files, path: Path, content: bytes) -> None:
        seen = files.write(files.read(path), b"first")
        assert files.write(seen, content).content == content
        assert files.read(path).content == content

    def test_a_file_can_be_deleted_and_made_again(self, files: Files, path: Path) -> None:
        gone = files.write(files.write(files.read(path), b"a"), None)
        assert gone.content is None
        assert files.read(path).content is None
        assert files.write(gone, b"b").content == b"b"

    def test_the_files_beside_are_those_of_the_same_kind_in_the_folder(
        self, files: Files, path: Path, other: Callable[[Path, bytes | None], None]
    ) -> None:
        assert files.siblings(path) == ()
        for name in ("b.md", "a.md", "a.toml", path.name):
            other(path.with_name(name), b"x")
        assert files.siblings(path) == (path.with_name("a.md"), path.with_name("b.md"))
        assert files.siblings(path.parent / "nowhere" / "a.md") == ()

    def test_a_path_that_is_no_link_leads_to_itself(self, files: Files, path: Path) -> None:
        assert files.real_path(path) == str(path)
        files.write(files.read(path), b"x")
        assert files.real_path(path) == str(path)
        assert files.read(path).real_path == str(path)

    @pytest.mark.parametrize(("before", "then"), [(b"a", b"b"), (b"a", None), (None, b"a"), (None, b"")])
    def test_what_others_did_meanwhile_is_never_overwritten(
        self,
        files: Files,
        path: Path,
        other: Callable[[Path, bytes | None], None],
        before: bytes | None,
        then: bytes | None,
    ) -> None:
        if before is not None:
            other(path, before)
        seen = files.read(path)
        other(path, then)
        with pytest.raises(FileChanged, match=r"has changed|is no longer there|has appeared"):
            files.write(seen, b"ours")
        assert files.read(path).content == then
