"""A lock is installed if its files are the ones it names; another file is told from a missing version."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from tests.supply_chain.install import OTHER_FILE, install_locked, is_failure, reason


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A folder with one package, of one module."""
    folder = tmp_path / "index"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "X = 1\n")
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr(
            "tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny-1.0.dist-info/RECORD", "tiny.py,,\n")
    return folder


def install(index: Path, line: str) -> str:
    """Install one line of a lock from the folder, into another; return what pip says if it cannot."""
    lock = index.parent / "lock.txt"
    lock.write_text(line + "\n")
    place = ("--target", str(index.parent / "installed"))
    return install_locked(lock, ("--isolated", "--no-index", "--find-links", str(index), *place))


def test_files_with_the_locked_hashes_are_installed(index: Path) -> None:
    digest = hashlib.sha256((index / "tiny-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    assert install(index, f"tiny==1.0 --hash=sha256:{digest}") == ""
    assert (index.parent / "installed" / "tiny.py").exists()


def test_another_file_than_the_locked_one_is_not_installed_and_a_failure_where_the_lock_must_hold(index: Path) -> None:
    said = install(index, f"tiny==1.0 --hash=sha256:{'0' * 64}")
    assert OTHER_FILE in said
    assert is_failure(said, strict=True)
    assert not is_failure(said, strict=False)
    assert not (index.parent / "installed").exists()


def test_a_version_that_the_index_lacks_is_said_in_one_line_and_never_a_failure(index: Path) -> None:
    said = install(index, f"tiny==2.0 --hash=sha256:{'0' * 64}")
    assert "tiny==2.0" in reason(said)
    assert "\n" not in reason(said)
    assert not is_failure(said, strict=True)
