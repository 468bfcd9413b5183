"""The one door for edits: what a person wrote is never touched, and what we did can be taken back in any order."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wisen.backends.files import UserFiles
from wisen.domain.changes import digest
from wisen.errors import FileChanged, UsageError
from wisen.loop.apply.edit import Editor, LinePlan, Undone
from wisen.loop.apply.managed import managed_in
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.ledgers import MemoryLedger
from wisen.testing.logs import NOON


def editor(ledger: MemoryLedger | None = None) -> Editor:
    return Editor(UserFiles(), ledger or MemoryLedger(), FixedClock(NOON), CountingIds(), "desk")


def plan(path: Path, number: int = 0, text: str = "Use pnpm, not npm.", heading: str = "Rules") -> LinePlan:
    saw = digest(path.read_bytes()) if path.exists() else ""
    return LinePlan(path=str(path), heading=heading, text=text, id=f"R-{number:04x}", why="you said so", saw=saw)


@pytest.mark.requirement("S19")
def test_a_line_is_put_in_and_taken_back_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"\xef\xbb\xbf# Shop\r\n\r\nmine")
    path.chmod(0o640)
    door = editor()
    change = door.put(plan(path))
    assert b"wisen:R-0000" in path.read_bytes()
    assert (change.line, change.heading, change.why) == ("R-0000", "Rules", "you said so")
    assert b"mine" not in b"".join(splice.old + splice.new for splice in change.splices)
    assert door.undo(change.id, dry_run=True).how is Undone.EXACTLY
    assert b"wisen:R-0000" in path.read_bytes()
    assert door.last() == change
    assert door.undo(change.id).how is Undone.EXACTLY
    assert door.last() is None
    assert path.read_bytes() == b"\xef\xbb\xbf# Shop\r\n\r\nmine"
    assert path.stat().st_mode & 0o777 == 0o640
    assert door.undo(change.id).how is Undone.ALREADY


@pytest.mark.requirement("S19")
def test_a_plan_that_saw_another_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    stale = plan(path)
    path.write_text("# Shop\nnew words\n")
    ledger = MemoryLedger()
    with pytest.raises(FileChanged, match=r"CLAUDE\.md"):
        editor(ledger).put(stale)
    assert path.read_text() == "# Shop\nnew words\n"
    assert ledger.changes(machine="desk") == ()


def test_a_file_that_we_made_goes_with_our_last_line_and_an_empty_one_of_his_stays(tmp_path: Path) -> None:
    made, his = tmp_path / "made.md", tmp_path / "his.md"
    his.write_bytes(b"")
    door = editor()
    changes = [door.put(plan(path, number)) for number, path in enumerate((made, his))]
    more = door.put(plan(made, 7, "Sort by date."))
    for change in (*changes, more):
        door.undo(change.id)
    assert not made.exists()
    assert his.read_bytes() == b""


def test_a_line_he_made_his_own_or_took_out_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    door = editor()
    one, two = door.put(plan(path, 1, "Use pnpm.")), door.put(plan(path, 2, "Sort by date."))
    his = path.read_text().replace("Use pnpm.", "Use pnpm 9.").replace("- Sort by date. <!-- wisen:R-0002 -->\n", "")
    path.write_text(his)
    assert door.undo(one.id).how is Undone.ALREADY
    assert door.undo(two.id).how is Undone.ALREADY
    assert path.read_text() == his


def test_what_is_gone_already_is_over_and_the_change_before_it_is_the_last(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    door = editor()
    one, two = door.put(plan(path, 1, "Use pnpm.")), door.put(plan(path, 2, "Sort by date."))
    path.write_text(path.read_text().replace("- Sort by date. <!-- wisen:R-0002 -->\n", ""))
    assert door.last() == two
    assert door.undo(two.id, dry_run=True).how is Undone.ALREADY
    assert door.last() == two
    assert door.undo(two.id).how is Undone.ALREADY
    assert door.last() == one


def test_a_file_that_he_deleted_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n")
    door = editor()
    change = door.put(plan(path))
    path.unlink()
    assert door.undo(change.id).how is Undone.ALREADY
    assert not path.exists()


def test_a_line_he_made_his_own_never_makes_room(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("# Mine\n" + "words\n" * 190)
    door = editor()
    door.put(plan(path, 0, "Rule 0."))
    path.write_text(path.read_text().replace("Rule 0.", "Rule 0, in my words."))
    for number in range(1, 20):
        door.put(plan(path, number, f"Rule {number}."))
    assert "Rule 0, in my words." in path.read_text()
    assert "Rule 1. " not in path.read_text()


def test_what_cannot_be_written_is_said_and_nothing_is_recorded(tmp_path: Path) -> None:
    path, ledger = tmp_path / "MEMORY.md", MemoryLedger()
    path.write_text("mine\n" * 250)
    door = editor(ledger)
    with pytest.raises(UsageError, match="is full"):
        door.put(plan(path))
    path.write_text("```\n")
    with pytest.raises(UsageError, match="fence"):
        door.put(plan(path))
    with pytest.raises(UsageError, match="may not be stored"):
        door.put(plan(path, text="use the key " + "AKIA" + "IOSFODNN7EXAMPLQ"))
    with pytest.raises(UsageError, match="No change has the id 'x'"):
        door.undo("x")
    assert ledger.changes(machine="desk") == ()
    assert path.read_text() == "```\n"


def test_lines_make_room_as_a_change_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("# Mine\n" + "words\n" * 190)
    door, worth = editor(), dict[str, float]()
    for number in range(20):
        worth[f"R-{number:04x}"] = float(number)
        door.put(plan(path, number, f"Rule {number}."), worth)
    kept = {each.id for each in managed_in(path.read_bytes())}
    assert "R-0013" in kept
    assert "R-0000" not in kept
    assert path.read_bytes().count(b"words\n") == 190
    assert any(change.why.startswith("made room: R-0000") for change in door.changes())


HIS = [b"# A", b"## Rules", b"- his item", b"his text", b"", b"\xff", b"~~~", b"~~~ "]


class Edits(RuleBasedStateMachine):
    """Ours, his and other tools' edits of one file, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "AGENTS.md"
        self.door = editor()
        self.number = 0
        self.moved = 0
        self.open: list[str] = []
        self.touched = False
        self.base: bytes | None = None

    @initialize(
        lines=st.lists(st.sampled_from(HIS), max_size=6),
        end=st.sampled_from([b"\n", b"\r\n"]),
        last=st.booleans(),
        bom=st.booleans(),
    )
    def begin(self, lines: list[bytes], end: bytes, last: bool, bom: bool) -> None:
        self.base = (b"\xef\xbb\xbf" if bom else b"") + end.join(lines) + (end if last and lines else b"")
        self.path.write_bytes(self.base)

    @rule(heading=st.sampled_from(["Rules", "More"]))
    def put(self, heading: str) -> None:
        self.number += 1
        before = self.path.read_bytes()
        try:
            change = self.door.put(plan(self.path, self.number, f"Rule {self.number}.", heading))
        except UsageError:
            assert self.path.read_bytes() == before
            return
        self.open.append(change.id)

    @precondition(lambda self: self.open)
    @rule(which=st.integers(min_value=0, max_value=30))
    def undo(self, which: int) -> None:
        id_ = self.open.pop(which % len(self.open))
        theirs = self.his_lines()
        self.door.undo(id_)
        assert self.his_lines() == theirs

    @rule(which=st.integers(min_value=0, max_value=30), line=st.sampled_from([b"- new of his", b"new text"]))
    def he_adds(self, which: int, line: bytes) -> None:
        lines = self.path.read_bytes().split(b"\n")
        lines.insert(which % (len(lines) + 1), line)
        self.path.write_bytes(b"\n".join(lines))
        self.touched = True

    @rule(which=st.integers(min_value=0, max_value=30))
    def he_removes(self, which: int) -> None:
        lines = self.path.read_bytes().split(b"\n")
        del lines[which % len(lines)]
        self.path.write_bytes(b"\n".join(lines))
        self.touched = True

    @rule(content=st.sampled_from([b"", b"# Other\r\n\r\n## Rules\r\n- theirs", b"\xef\xbb\xbf## More\n"]))
    def another_tool_overwrites(self, content: bytes) -> None:
        self.path.write_bytes(content)
        self.touched = True

    @rule()
    def he_moves_it_and_leaves_a_link(self) -> None:
        self.moved += 1
        real = self.path.resolve()
        new = real.with_name(f"moved-{self.moved}.md")
        real.rename(new)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(new.name)

    @invariant()
    def a_link_stays_a_link(self) -> None:
        assert self.path.is_symlink() == bool(self.moved)

    @rule(mode=st.sampled_from([0o600, 0o644, 0o664]))
    def another_mode(self, mode: int) -> None:
        self.path.chmod(mode)

    def his_lines(self) -> list[bytes]:
        """What is not ours, without what may be part of what we put around our lines."""
        lines = [line.strip(b"\r") for line in self.path.read_bytes().split(b"\n")]
        return [
            line for line in lines if line.strip() and b"wisen:" not in line and line not in (b"## Rules", b"## More")
        ]

    @invariant()
    def untouched_files_are_restored(self) -> None:
        if not self.open and not self.touched and self.base is not None:
            assert self.path.read_bytes() == self.base

    def teardown(self) -> None:
        self.folder.cleanup()


SEQUENCES = int(os.environ.get("WISEN_TEST_SEQUENCES", "500"))
"""How many sequences of edits are tried; `make test-long` tries many more."""
Edits.TestCase.settings = settings(
    max_examples=SEQUENCES, stateful_step_count=50, deadline=None, derandomize=SEQUENCES <= 500
)
test_edits = pytest.mark.requirement("S7")(Edits.TestCase)
