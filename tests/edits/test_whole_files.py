"""A whole file is written or deleted as a recorded change, and undone byte for byte as long as nobody edits it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edits.edit_ports import make_edit_ports
from wisen.edits.edit_history import EditPorts
from wisen.edits.editor import Edit, Editor
from wisen.edits.undo import UndoKind
from wisen.edits.user_edits import detect_user_edits
from wisen.errors import FileChanged, UsageError
from wisen.model.change import ChangeFate

CONTENTS = st.binary(min_size=1, max_size=40)


def write(ports: EditPorts, path: Path, content: bytes | None) -> Edit:
    return Editor(ports).write_file(str(path), content, "a test", ports.files.read(path).digest)


@given(st.lists(CONTENTS, min_size=1, max_size=4), st.booleans())
def test_undoing_every_change_from_the_last_on_restores_each_content(contents: list[bytes], deletes: bool) -> None:
    with TemporaryDirectory() as folder:
        ports, path = make_edit_ports(), Path(folder, "SKILL.md")
        states: list[bytes | None] = [None]
        edits = []
        for content in [*contents, *([None] if deletes else [])]:
            if content == states[-1]:
                continue
            edits.append(write(ports, path, content))
            states.append(content)
        for edit, before in zip(reversed(edits), states[-2::-1], strict=True):
            assert Editor(ports).undo(edit.change.id).kind is UndoKind.EXACTLY
            assert ports.files.read(path).content == before


def test_a_deleted_file_comes_back_as_it_was(tmp_path: Path) -> None:
    ports, path = make_edit_ports(), tmp_path / "SKILL.md"
    path.write_bytes(b"written by the user\r\nwithout a last line break")
    gone = write(ports, path, None)
    assert not path.exists()
    Editor(ports).undo(gone.change.id)
    assert path.read_bytes() == b"written by the user\r\nwithout a last line break"


def test_what_somebody_edited_since_is_not_undone_over_their_edit(tmp_path: Path) -> None:
    ports, path = make_edit_ports(), tmp_path / "SKILL.md"
    edit = write(ports, path, b"one\n")
    path.write_bytes(b"one\nand theirs\n")
    with pytest.raises(UsageError, match="edited it since"):
        Editor(ports).undo(edit.change.id)
    assert path.read_bytes() == b"one\nand theirs\n"


def test_another_file_put_in_its_place_after_it_was_deleted_is_left_alone(tmp_path: Path) -> None:
    ports, path = make_edit_ports(), tmp_path / "SKILL.md"
    path.write_bytes(b"old\n")
    gone = write(ports, path, None)
    path.write_bytes(b"new one\n")
    with pytest.raises(UsageError):
        Editor(ports).undo(gone.change.id)
    assert path.read_bytes() == b"new one\n"


def test_a_file_that_changed_since_it_was_seen_is_not_written(tmp_path: Path) -> None:
    ports, path = make_edit_ports(), tmp_path / "SKILL.md"
    path.write_bytes(b"theirs\n")
    with pytest.raises(FileChanged):
        Editor(ports).write_file(str(path), b"ours\n", "a test", "")
    assert path.read_bytes() == b"theirs\n"


@pytest.mark.parametrize(
    ("content", "fate"), [(b"ours\nand theirs\n", ChangeFate.REWORDED), (None, ChangeFate.REMOVED)]
)
def test_what_the_user_does_to_it_is_noticed_without_storing_their_text(
    tmp_path: Path, content: bytes | None, fate: ChangeFate
) -> None:
    ports, path = make_edit_ports(), tmp_path / "SKILL.md"
    write(ports, path, b"ours\n")
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    (check,) = detect_user_edits(ports)
    assert check.fate is fate
    assert "theirs" not in check.text


def test_an_update_of_ours_is_nothing_that_a_user_did(tmp_path: Path) -> None:
    ports, path = make_edit_ports(), tmp_path / "SKILL.md"
    write(ports, path, b"one\n")
    write(ports, path, b"two\n")
    write(ports, path, None)
    assert detect_user_edits(ports) == ()
