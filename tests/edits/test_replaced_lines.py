"""Replacing one of our lines: one edit in the same place, which can be undone exactly."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from tests.edits.edit_ports import make_edit_ports, plan
from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor
from wisen.edits.managed_lines import managed_lines
from wisen.edits.user_edits import detect_user_edits
from wisen.errors import UsageError
from wisen.model.change import ChangeFate

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = (
    b"# Shop\n\nMine.\n",
    b"# Shop\r\n\r\n## Rules\r\n\r\n- his\r\n",
    b"\xef\xbb\xbf- his\n\nlast",
    b"",
    b"## Rules",
)


def texts(path: Path) -> list[str]:
    return [each.text for each in managed_lines(path.read_bytes())] if path.exists() else []


@pytest.mark.requirement("S7")
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_lines_put_in_each_others_place_are_undone_in_any_order(
    tmp_path: Path, before: bytes, order: tuple[int, ...]
) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(before)
    editor = Editor(make_edit_ports())
    made = [editor.add_line(plan(path, 1, "Use npm."))]
    one = path.read_bytes()
    made.append(editor.replace_line(plan(path, 2, "Use pnpm."), "R-0001"))
    assert path.read_bytes() == one.replace(b"Use npm. <!-- wisen:R-0001", b"Use pnpm. <!-- wisen:R-0002")
    made.append(editor.replace_line(plan(path, 3, "Use bun."), "R-0002"))
    assert texts(path) == ["Use bun."]
    for which in order:
        editor.undo(made[which].change.id)
    assert path.read_bytes() == before


def test_undone_the_old_line_stands_in_its_place_again_and_what_others_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"# Shop\n")
    edit_ports = make_edit_ports()
    editor = Editor(edit_ports)
    old = editor.add_line(plan(path, 1, "Use npm.")).change
    path.write_bytes(path.read_bytes().replace(b"Use npm.", b"Use npm 9."))
    new = editor.replace_line(plan(path, 2, "Use bun."), "R-0001").change
    assert edit_history(edit_ports).fates[old.id] is ChangeFate.ARCHIVED
    path.write_bytes(path.read_bytes() + b"\nMore of mine.\n")
    assert detect_user_edits(edit_ports) == ()
    editor.undo(new.id)
    assert texts(path) == ["Use npm 9."], "in the words that the user had given it"
    assert path.read_bytes().endswith(b"\nMore of mine.\n")


def test_other_words_for_the_same_line_are_put_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_bytes(b"* his\n* Use npm. <!-- wisen:R-0001 -->\n* his too\n")
    editor = Editor(make_edit_ports())
    held = path.read_bytes()
    change = editor.replace_line(plan(path, 1, "Use npm 9."), "R-0001").change
    assert path.read_bytes() == b"* his\n* Use npm 9. <!-- wisen:R-0001 -->\n* his too\n"
    editor.undo(change.id)
    assert path.read_bytes() == held


def test_a_line_that_is_not_there_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"# Shop\n")
    with pytest.raises(UsageError, match="there is no line R-0001"):
        Editor(make_edit_ports()).replace_line(plan(path, 2, "Use bun."), "R-0001")
    assert path.read_bytes() == b"# Shop\n"
