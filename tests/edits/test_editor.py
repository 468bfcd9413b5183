"""The editor: what the user wrote is never touched, and what we did can be undone in any order."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.edits.edit_ports import make_edit_ports, plan
from tests.edits.fake_checkouts import MemoryCheckouts
from tests.sizes import size
from wisen.edits.budget import budget_of
from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor, PassagePlan, ValuePlan
from wisen.edits.managed_lines import managed_lines
from wisen.edits.undo import UndoKind
from wisen.edits.user_edits import detect_user_edits
from wisen.edits.user_files import UserFiles
from wisen.errors import FileChanged, FileError, FileFull, UsageError
from wisen.model.change import ChangeFate, CheckedOutFile, LineEdit, content_digest
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import FixedClock
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from wisen.model.change import Change, FileVersion


class ReadOnly(UserFiles):
    """Files that can only be read."""

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        raise FileError(f"{seen.path} is read-only.")


class Busy(UserFiles):
    """Files that another process changes as soon as they were read."""

    def read(self, path: str | Path) -> FileVersion:
        seen = super().read(path)
        Path(path).write_bytes((seen.content or b"") + b"more\n")
        return seen


def make_editor(ledger: MemoryLedger | None = None) -> Editor:
    return Editor(make_edit_ports(ledger))


@pytest.mark.requirement("S19")
def test_a_line_is_put_in_and_taken_back_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"\xef\xbb\xbf# Shop\r\n\r\nmine")
    path.chmod(0o640)
    editor = make_editor()
    change = editor.add_line(plan(path)).change
    assert b"wisen:R-0000" in path.read_bytes()
    assert isinstance(change.operation, LineEdit)
    assert (change.operation.id, change.operation.heading, change.why) == ("R-0000", "Rules", "you said so")
    assert change.tokens > 0
    assert b"mine" not in b"".join(splice.old + splice.new for splice in change.splices)
    assert editor.undo(change.id, dry_run=True).kind is UndoKind.EXACTLY
    assert b"wisen:R-0000" in path.read_bytes()
    assert editor.last_change() == change
    assert editor.undo(change.id).kind is UndoKind.EXACTLY
    assert editor.last_change() is None
    assert path.read_bytes() == b"\xef\xbb\xbf# Shop\r\n\r\nmine"
    assert path.stat().st_mode & 0o777 == 0o640
    assert editor.undo(change.id).kind is UndoKind.ALREADY


@pytest.mark.requirement("S19")
def test_a_plan_that_saw_another_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    stale = plan(path)
    path.write_text("# Shop\nnew words\n")
    ledger = MemoryLedger()
    with pytest.raises(FileChanged, match=r"CLAUDE\.md"):
        make_editor(ledger).add_line(stale)
    assert path.read_text() == "# Shop\nnew words\n"
    assert ledger.changes.of(machine="desk") == ()


def test_a_change_of_somebody_else_is_recorded_although_the_file_is_changed_again_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"mine\n")
    ports = make_edit_ports()._replace(files=Busy())
    change = Editor(ports).register_change(str(path), "added a line", "fewer slips")
    assert [each.external_description for each in ports.ledger.changes.of(machine="desk")] == ["added a line"]
    assert change.after == content_digest(b"mine\n")
    assert path.read_bytes() == b"mine\nmore\n"


def test_a_file_that_we_made_goes_with_our_last_line_and_an_empty_one_of_the_users_stays(tmp_path: Path) -> None:
    made, users_file = tmp_path / "made.md", tmp_path / "his.md"
    users_file.write_bytes(b"")
    editor = make_editor()
    changes = [editor.add_line(plan(path, number)).change for number, path in enumerate((made, users_file))]
    more = editor.add_line(plan(made, 7, "Sort by date.")).change
    for change in (*changes, more):
        editor.undo(change.id)
    assert not made.exists()
    assert users_file.read_bytes() == b""


def test_a_line_the_user_made_their_own_or_took_out_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    editor = make_editor()
    one, two = (editor.add_line(plan(path, *each)).change for each in ((1, "Use pnpm."), (2, "Sort by date.")))
    edited = path.read_text().replace("Use pnpm.", "Use pnpm 9.").replace("- Sort by date. <!-- wisen:R-0002 -->\n", "")
    path.write_text(edited)
    assert editor.undo(one.id).kind is UndoKind.ALREADY
    assert editor.undo(two.id).kind is UndoKind.ALREADY
    assert path.read_text() == edited


def test_what_is_gone_already_is_over_and_the_change_before_it_is_the_last(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    editor = make_editor()
    one, two = (editor.add_line(plan(path, *each)).change for each in ((1, "Use pnpm."), (2, "Sort by date.")))
    path.write_text(path.read_text().replace("- Sort by date. <!-- wisen:R-0002 -->\n", ""))
    assert editor.last_change() == two
    assert editor.undo(two.id, dry_run=True).kind is UndoKind.ALREADY
    assert editor.last_change() == two
    assert editor.undo(two.id).kind is UndoKind.ALREADY
    assert editor.last_change() == one


def test_a_file_that_he_deleted_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    editor = make_editor()
    change = editor.add_line(plan(path)).change
    path.unlink()
    assert editor.undo(change.id).kind is UndoKind.ALREADY
    assert not path.exists()


def test_a_line_the_user_made_their_own_never_makes_room(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("# Mine\n" + "words\n" * 190)
    editor = make_editor()
    editor.add_line(plan(path, 0, "Rule 0."))
    path.write_text(path.read_text().replace("Rule 0.", "Rule 0, in my words."))
    for number in range(1, 20):
        editor.add_line(plan(path, number, f"Rule {number}."))
    assert "Rule 0, in my words." in path.read_text()
    assert "Rule 1. " not in path.read_text()


def test_what_cannot_be_written_is_said_and_nothing_is_recorded(tmp_path: Path) -> None:
    path, ledger = tmp_path / "MEMORY.md", MemoryLedger()
    path.write_text("mine\n" * 250)
    editor = make_editor(ledger)
    with pytest.raises(FileFull, match=r"has 250 lines, and what agents read is best kept to 200 lines"):
        editor.add_line(plan(path))
    path.write_text("```\n")
    with pytest.raises(UsageError, match="fence"):
        editor.add_line(plan(path))
    with pytest.raises(UsageError, match="may not be stored"):
        editor.add_line(plan(path, text="use the key " + "AKIA" + "IOSFODNN7EXAMPLQ"))
    with pytest.raises(UsageError, match="No change has the id 'x'"):
        editor.undo("x")
    assert ledger.changes.of(machine="desk") == ()
    assert path.read_text() == "```\n"


def test_lines_make_room_and_come_back_with_one_undo(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("# Mine\n" + "words\n" * 190)
    edit_ports = make_edit_ports()
    editor, worth = Editor(edit_ports), dict[str, float]()
    for number in range(20):
        worth[f"R-{number:04x}"] = float(number)
        before = path.read_bytes()
        last = editor.add_line(plan(path, number, f"Rule {number}."), worth).change
    kept = {each.id for each in managed_lines(path.read_bytes())}
    assert "R-0013" in kept
    assert "R-0000" not in kept
    assert path.read_bytes().count(b"words\n") == 190
    assert isinstance(last.operation, LineEdit)
    (gone,) = last.operation.archived
    known = edit_history(edit_ports)
    archived = next(
        each for each in known.changes if isinstance(each.operation, LineEdit) and each.operation.id == gone
    )
    assert known.fates[archived.id] is ChangeFate.ARCHIVED
    assert editor.undo(last.id).kind is UndoKind.EXACTLY
    assert path.read_bytes() == before
    assert edit_history(edit_ports).fates[archived.id] is ChangeFate.STANDS


def test_a_line_that_made_room_and_was_taken_back_meanwhile_stays_away(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("# Mine\n" + "words\n" * 194)
    editor = make_editor()
    first, second, third = (editor.add_line(plan(path, number, f"Rule {number}.")).change for number in range(3))
    assert isinstance(third.operation, LineEdit)
    assert third.operation.archived == ("R-0000",)
    assert editor.undo(first.id).kind is UndoKind.ALREADY
    editor.undo(third.id)
    assert [each.id for each in managed_lines(path.read_bytes())] == ["R-0001"]
    editor.undo(second.id)
    assert path.read_text() == "# Mine\n" + "words\n" * 194


def test_a_section_holds_only_so_many_lines_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text("## Rules\n" + "- mine\n" * 70)
    editor = make_editor()
    for number in range(70):
        editor.add_line(plan(path, number, f"Rule {number}."), {f"R-{number:04x}": 1.0})
    assert len(managed_lines(path.read_bytes())) == 60
    assert path.read_text().count("- mine\n") == 70


@pytest.mark.sized
@pytest.mark.requirement("S19")
def test_hundreds_of_promotions_never_pass_the_budget_and_never_touch_a_persons_line(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    mine = [b"# Memory", b"", b"- My own line, which stays.", b"## Rules", b"- and this one", b"\xff" * 3_000]
    path.write_bytes(b"\n".join(mine))
    editor, budget = make_editor(), budget_of("MEMORY.md")
    for number in range(size(250, 1_000)):
        heading = ("Rules", "Tools", "Style")[number % 3]
        editor.add_line(
            plan(path, number, f"Rule {number}. " + "x" * (number % 300), heading), {f"R-{number:04x}": number % 7}
        )
        content = path.read_bytes()
        assert budget.fits(content)
        assert all(line in content for line in mine)


def test_only_looking_writes_and_records_nothing(tmp_path: Path) -> None:
    path, ledger = tmp_path / "CLAUDE.md", MemoryLedger()
    edit = make_editor(ledger).add_line(plan(path), dry_run=True)
    assert edit.old_content is None
    assert b"Use pnpm" in (edit.new_content or b"")
    assert not path.exists()
    assert ledger.changes.of(machine="desk") == ()
    assert ledger.changes.checks(machine="desk") == ()


def test_two_names_of_one_file_are_one_file(tmp_path: Path) -> None:
    real, link = tmp_path / "AGENTS.md", tmp_path / "CLAUDE.md"
    real.write_text("# Shop\n")
    link.symlink_to("AGENTS.md")
    editor = make_editor()
    one, two = (
        editor.add_line(plan(path, number, f"Rule {number}.")).change for number, path in enumerate((real, link))
    )
    assert editor.undo(one.id).kind is UndoKind.ALONE
    assert editor.undo(two.id).kind is UndoKind.ALONE
    assert real.read_text() == "# Shop\n"
    assert link.is_symlink()


@pytest.mark.requirement("S19")
def test_a_line_that_he_moved_to_another_file_is_followed(tmp_path: Path) -> None:
    old, new = tmp_path / "CLAUDE.md", tmp_path / "AGENTS.md"
    old.write_text("# Shop\n")
    edit_ports = make_edit_ports()
    change = Editor(edit_ports).add_line(plan(old)).change
    new.write_text("# Agents\n\n## Rules\n\n- Use pnpm, not npm. <!-- wisen:R-0000 -->\n")
    old.unlink()
    (look,) = detect_user_edits(edit_ports)
    assert (look.fate, look.path) == (ChangeFate.STANDS, str(new))
    assert Editor(edit_ports).undo(change.id).kind is UndoKind.ALONE
    assert new.read_text() == "# Agents\n\n## Rules\n\n"
    assert not old.exists()


def test_what_the_user_did_is_noted_once_and_their_word_stays(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    edit_ports = make_edit_ports()
    editor = Editor(edit_ports)
    for number, text in enumerate(("Use pnpm.", "Sort by date.", "Be brief.")):
        editor.add_line(plan(path, number, text))
    assert detect_user_edits(edit_ports) == ()
    path.write_text(
        path.read_text().replace("Use pnpm.", "Use pnpm 9.").replace("- Be brief. <!-- wisen:R-0002 -->\n", "")
    )
    assert [(look.fate, look.text) for look in detect_user_edits(edit_ports)] == [
        (ChangeFate.REWORDED, "Use pnpm 9."),
        (ChangeFate.REMOVED, ""),
    ]
    assert detect_user_edits(edit_ports) == ()
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    path.write_text(path.read_text().replace("Use pnpm 9.", f"Use {secret}."))
    assert [(look.fate, look.text) for look in detect_user_edits(edit_ports)] == [(ChangeFate.REWORDED, "")]


def test_a_change_that_was_recorded_and_never_made_is_reported_as_such_and_is_no_refusal(tmp_path: Path) -> None:
    path, ledger = tmp_path / "CLAUDE.md", MemoryLedger()
    path.write_text("# Shop\n")
    edit_ports = make_edit_ports(ledger)._replace(files=ReadOnly())
    editor = Editor(edit_ports)
    with pytest.raises(FileError, match="read-only"):
        editor.add_line(plan(path))
    (change,) = ledger.changes.of(machine="desk")
    assert edit_history(edit_ports).fates[change.id] is ChangeFate.NOT_MADE
    assert editor.last_change() is None
    assert editor.undo(change.id).kind is UndoKind.ALREADY
    assert detect_user_edits(edit_ports) == ()
    later = edit_ports._replace(clock=FixedClock(NOON + timedelta(hours=1)))
    assert [look.fate for look in detect_user_edits(later)] == [ChangeFate.NOT_MADE]
    assert detect_user_edits(later) == ()


def test_an_undo_that_was_recorded_and_never_made_can_be_made_again(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    edit_ports = make_edit_ports()
    change = Editor(edit_ports).add_line(plan(path)).change
    with pytest.raises(FileError, match="read-only"):
        Editor(edit_ports._replace(files=ReadOnly())).undo(change.id)
    assert edit_history(edit_ports).fates[change.id] is ChangeFate.STANDS
    assert Editor(edit_ports).undo(change.id).kind is UndoKind.EXACTLY
    assert path.read_text() == "# Shop\n"


ENTRY = b"## [LRN-20260115-001] best_practice\n\nUse pnpm.\n\n---\n"


def test_a_passage_is_put_at_the_end_replaced_and_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "LEARNINGS.md"
    path.write_bytes(b"# Learnings\n\nmine, without an end")
    editor = make_editor()

    def place(new: bytes, old: bytes = b"") -> Change:
        return editor.add_passage(PassagePlan(str(path), new, "learnt", content_digest(path.read_bytes()), old)).change

    first = place(ENTRY)
    newer = ENTRY.replace(b"Use pnpm.", b"Use pnpm 9.")
    second = place(newer, old=ENTRY)
    assert path.read_bytes() == b"# Learnings\n\nmine, without an end\n" + newer
    with pytest.raises(UsageError, match="already"):
        place(newer)
    with pytest.raises(UsageError, match="not ours"):
        place(newer, old=b"mine")
    path.write_bytes(path.read_bytes() + b"his new entry\n")
    assert editor.undo(second.id).kind is UndoKind.ALONE
    assert path.read_bytes() == b"# Learnings\n\nmine, without an end\n" + ENTRY + b"his new entry\n"
    assert editor.undo(first.id).kind is UndoKind.ALONE
    assert path.read_bytes() == b"# Learnings\n\nmine, without an end\nhis new entry\n"


def test_taking_back_what_was_taken_back_behind_another_touch_stays_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    editor = make_editor()
    first = editor.add_line(plan(path, 1, "Use pnpm.")).change
    path.write_text(path.read_text() + "- his\n")
    second = editor.add_line(plan(path, 2, "Sort by date.")).change
    editor.undo(first.id)
    third = editor.add_line(plan(path, 3, "Be brief.")).change
    editor.undo(second.id)
    editor.undo(third.id)
    assert managed_lines(path.read_bytes()) == ()
    assert "- his\n" in path.read_text()


def test_other_words_in_another_file_are_not_the_users_act_where_git_took_ours(tmp_path: Path) -> None:
    path, other = tmp_path / "AGENTS.md", tmp_path / "NOTES.md"
    other.write_text("- something else <!-- wisen:R-0000 -->\n")
    path.write_text("# Shop\n")
    checkouts = MemoryCheckouts()
    checkouts.commit(path, b"# Shop\n")
    edit_ports = make_edit_ports(checkouts=checkouts)
    Editor(edit_ports).add_line(plan(path))
    checkouts.switch(path, CheckedOutFile("b" * 40, b"# Shop\n"))
    path.write_text("# Shop\n")
    assert [look.fate for look in detect_user_edits(edit_ports)] == [ChangeFate.UNCLEAR]
    plain = make_edit_ports()
    Editor(plain).add_line(plan(path))
    path.write_text("# Shop\n")
    assert [look.fate for look in detect_user_edits(plain)] == [ChangeFate.REWORDED]


def test_undoing_an_edit_keeps_later_ones_that_led_back_to_the_same_content(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"{}\n")
    editor = make_editor()
    first, _, last = (
        editor.set_value(ValuePlan(str(path), ("a",), 1, "needed", content_digest(path.read_bytes()), removes)).change
        for removes in (False, True, False)
    )
    editor.undo(first.id)
    assert path.read_bytes() == b'{\n  "a": 1\n}\n'
    editor.undo(last.id)
    assert path.read_bytes() == b"{}\n"


@pytest.mark.requirement("S7")
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_equal_values_appended_to_a_list_are_all_gone_in_whatever_order_they_are_undone(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"")
    editor = make_editor()
    ids = []
    for _ in order:
        seen = content_digest(path.read_bytes())
        ids.append(editor.set_value(ValuePlan(str(path), ("new", "-"), True, "needed", seen)).change.id)
    for which in order:
        editor.undo(ids[which])
    assert path.read_bytes() == b""
